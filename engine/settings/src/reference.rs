//! The reference table, made from the same listing as the settings themselves.

use crate::areas::*;

/// Every setting in order of areas.
pub fn fields() -> Vec<Field> {
    let mut all = vec![Field {
        area: "",
        name: "mode",
        default: "development",
        doc: "`development` or `production`; the latter refuses unsafe values at the start.".into(),
    }];
    for area in [
        Server::fields(),
        Database::fields(),
        Keys::fields(),
        Partners::fields(),
        Smtp::fields(),
        Sandbox::fields(),
        Limits::fields(),
        Worker::fields(),
        Uploads::fields(),
        Presence::fields(),
        Tracking::fields(),
        Session::fields(),
        Otp::fields(),
        Openid::fields(),
        Definitions::fields(),
        Log::fields(),
    ] {
        all.extend(area);
    }
    all
}

/// A Markdown table: setting, environment variable, default, meaning.
pub fn reference() -> String {
    let mut table = String::from("| setting | environment | default | meaning |\n| --- | --- | --- | --- |\n");
    for field in fields() {
        let path = field.path();
        let variable = variable(&path);
        table.push_str(&format!(
            "| `{path}` | `{variable}` | {} | {} |\n",
            show(field.default),
            field.doc.replace('|', "\\|")
        ));
    }
    table
}

/// Variable of the environment for a setting: `server.address` → `JOURNEY_SERVER__ADDRESS`.
pub fn variable(setting: &str) -> String {
    format!("JOURNEY_{}", setting.replace('.', "__").to_uppercase())
}

/// A default as written in Rust, as an operator writes it.
fn show(default: &str) -> String {
    let text = default.trim_end_matches(".into()").replace('_', "");
    match text.as_str() {
        "None" => "–".into(),
        "Vec::new()" => "`[]`".into(),
        "BTreeMap::new()" => "`{}`".into(),
        _ if text.contains('*') => {
            format!("`{}`", text.split('*').filter_map(|n| n.trim().parse::<u64>().ok()).product::<u64>())
        }
        _ => format!("`{}`", default.trim_end_matches(".into()").replace('"', "").replace("_000", "000")),
    }
}
