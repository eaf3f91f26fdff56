//! Which definition lies where. The only place that knows the folders of workflows/ and forms/: a
//! folder per flow, what a line shares beside its flows, partners by kind.

use crate::source::Node;

/// What a path holds. Ids are paths without what the kind of file adds to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// `workflows/<line>/<flow>/flow.yaml`
    Flow(String),
    /// `workflows/shared/<part>/part.yaml`, `workflows/<line>/shared/<part>/part.yaml`
    Part(String),
    /// `texts.yaml` of the folder of a flow, a part or what is shared
    Texts(String),
    /// `values.yaml` of the folder of a flow, a part or what a line shares
    Values(String),
    /// `<folder>/views/<name>.yaml`; the id is `<folder>/<name>`
    View(String),
    /// `<folder>/tables/<name>.yaml`; the id is `<folder>/<name>`
    Table(String),
    /// `<folder>/tables/<name>/<key>.md`: one row of that table, whose id it is
    Row(String),
    /// `<line>/messages/<id>.yaml`; the id is the name alone
    Message(String),
    /// A story of a flow
    Story(String),
    /// `contracts/<line>/<name>.yaml`
    Contract(String),
    /// `<kind>/<partner>`
    Partner(String),
    /// `<name>`, `<name>.sandbox` or `<name>.examples` of a partner or of a kit
    Operation {
        owner: Owner,
        name: String,
        part: OperationPart,
    },
    /// `<name>.webhook` of a partner, or of a kit for each of its partners
    Webhook {
        owner: Owner,
        name: String,
    },
    Form(String),
    /// A file's words in another language
    Translation,
    Master,
    Calendars,
    /// Who may do what
    Roles,
    /// What a change must have stood
    Releases,
    /// `site/<name>.yaml`: what stands around every page, in one file or several
    Site,
    /// `site/pages/…`
    Page,
    /// `endpoints/<name>.yaml`
    Endpoint(String),
}

/// The owner of the operations in a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    Partner(String),
    Kit(String),
}

impl Owner {
    pub fn name(&self) -> &str {
        match self {
            Owner::Partner(name) | Owner::Kit(name) => name,
        }
    }
}

/// The files of an operation; each has its own readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperationPart {
    /// What is sent and what an answer means.
    Mapping,
    /// How the fake partner plays it, or a table that only such scripts read.
    Sandbox,
    Examples,
}

/// Folders of workflows/ that are no lines of business.
const NO_LINES: [&str; 7] = ["shared", "partners", "contracts", "master", "site", "endpoints", "schema"];
/// Folders inside a line or a flow that are neither flows nor parts.
const KINDS: [&str; 5] = ["shared", "tables", "messages", "views", "stories"];

/// Folder of a definition below workflows/ or forms/.
enum Folder {
    Line,
    Flow,
    Part,
    Shared,
}

fn folder(path: &str) -> Option<Folder> {
    let parts: Vec<&str> = path.split('/').collect();
    let is_line = |line: &str| !NO_LINES.contains(&line);
    let is_name = |name: &str| !KINDS.contains(&name);
    match parts.as_slice() {
        ["shared"] => Some(Folder::Shared),
        ["shared", part] if is_name(part) => Some(Folder::Part),
        [line] if is_line(line) => Some(Folder::Line),
        [line, "shared"] if is_line(line) => Some(Folder::Shared),
        [line, flow] if is_line(line) && is_name(flow) => Some(Folder::Flow),
        [line, "shared", part] if is_line(line) && is_name(part) => Some(Folder::Part),
        _ => None,
    }
}

/// What a path holds; `None`: nothing is read from there.
pub(crate) fn kind_of(path: &str) -> Option<FileKind> {
    if translation(path).is_some() {
        return Some(FileKind::Translation);
    }
    if let Some(id) = path.strip_prefix("forms/") {
        let id = id.strip_suffix(".json")?;
        let known = matches!(folder(id.rsplit_once('/')?.0)?, Folder::Flow | Folder::Part | Folder::Shared);
        return known.then(|| FileKind::Form(id.to_owned()));
    }
    let inside = path.strip_prefix("workflows/")?;
    if let Some(rest) = inside.strip_prefix("partners/") {
        return partner(rest.strip_suffix(".yaml")?);
    }
    if let Some(rest) = inside.strip_prefix("contracts/") {
        let id = rest.strip_suffix(".yaml")?;
        return (id.matches('/').count() == 1).then(|| FileKind::Contract(id.to_owned()));
    }
    if let Some(name) = inside.strip_prefix("master/") {
        let known = !name.contains('/') && (name.ends_with(".csv") || name.ends_with(".yaml"));
        return known.then_some(FileKind::Master);
    }
    if let Some(row) = inside.strip_suffix(".md") {
        let (table, _) = row.rsplit_once('/')?;
        let Some(FileKind::Table(id)) = kind_of(&format!("workflows/{table}.yaml")) else { return None };
        return Some(FileKind::Row(id));
    }
    let inside = inside.strip_suffix(".yaml")?;
    match inside {
        "calendars" => return Some(FileKind::Calendars),
        "roles" => return Some(FileKind::Roles),
        "releases" => return Some(FileKind::Releases),
        _ if inside.starts_with("endpoints/") => {
            return inside.strip_prefix("endpoints/").map(|id| FileKind::Endpoint(id.to_owned()));
        }
        _ if inside.starts_with("site/pages/") => return Some(FileKind::Page),
        _ if inside.starts_with("site/tables/") => {
            let name = inside.strip_prefix("site/tables/").filter(|name| !name.contains('/'))?;
            return Some(FileKind::Table(format!("site/{name}")));
        }
        _ if inside.strip_prefix("site/").is_some_and(|name| !name.contains('/')) => return Some(FileKind::Site),
        _ => {}
    }
    let (above, name) = inside.rsplit_once('/')?;
    match (folder(above), name) {
        (Some(Folder::Flow), "flow") => return Some(FileKind::Flow(above.to_owned())),
        (Some(Folder::Part), "part") => return Some(FileKind::Part(above.to_owned())),
        (Some(Folder::Flow | Folder::Part | Folder::Shared), "texts") => {
            return Some(FileKind::Texts(above.to_owned()));
        }
        (Some(Folder::Flow | Folder::Part), "values") => return Some(FileKind::Values(above.to_owned())),
        (Some(Folder::Shared), "values") if above != "shared" => return Some(FileKind::Values(above.to_owned())),
        _ => {}
    }
    let (above, kind) = above.rsplit_once('/')?;
    match (folder(above)?, kind) {
        (Folder::Flow | Folder::Part | Folder::Shared, "views") => Some(FileKind::View(format!("{above}/{name}"))),
        (Folder::Line | Folder::Part | Folder::Shared, "tables") => Some(FileKind::Table(format!("{above}/{name}"))),
        (Folder::Line | Folder::Shared, "messages") => Some(FileKind::Message(name.to_owned())),
        (Folder::Flow, "stories") => Some(FileKind::Story(above.to_owned())),
        _ => None,
    }
}

/// `<kind>/<partner>` alone, or a folder with `partner`, operations and `<name>.webhook`.
fn partner(inside: &str) -> Option<FileKind> {
    let parts: Vec<&str> = inside.split('/').collect();
    match parts.as_slice() {
        ["kits", kit, name] => Some(told_or_asked(Owner::Kit((*kit).to_owned()), name)),
        ["kits", _] => None,
        [kind, partner] | [kind, partner, "partner"] => Some(FileKind::Partner(format!("{kind}/{partner}"))),
        [_, partner, name] => Some(told_or_asked(Owner::Partner((*partner).to_owned()), name)),
        _ => None,
    }
}

fn told_or_asked(owner: Owner, name: &str) -> FileKind {
    match name.strip_suffix(".webhook") {
        Some(name) => FileKind::Webhook { owner, name: name.to_owned() },
        None => operation(owner, name),
    }
}

fn operation(owner: Owner, name: &str) -> FileKind {
    let (name, part) = match (name.strip_suffix(".sandbox"), name.strip_suffix(".examples")) {
        (Some(name), _) => (name, OperationPart::Sandbox),
        (_, Some(name)) => (name, OperationPart::Examples),
        (None, None) => (name, OperationPart::Mapping),
    };
    FileKind::Operation { owner, name: name.to_owned(), part }
}

/// Folder of the translations: `languages/<code>/<path of what is translated>`.
const LANGUAGES: &str = "languages/";

/// The file that a translation says in another language, and which language that is.
pub(crate) fn translation(path: &str) -> Option<(String, String)> {
    let (language, of) = path.strip_prefix(LANGUAGES)?.split_once('/')?;
    let is_code = language.len() == 2 && language.bytes().all(|byte| byte.is_ascii_lowercase());
    (is_code && kind_of(of).is_some()).then(|| (of.to_owned(), language.to_owned()))
}

/// Path of the translation of a file.
pub(crate) fn translation_path(path: &str, language: &str) -> String {
    format!("{LANGUAGES}{language}/{path}")
}

pub(crate) fn contract_file(id: &str) -> String {
    format!("workflows/contracts/{id}.yaml")
}

pub(crate) fn flow_file(id: &str) -> String {
    format!("workflows/{id}/flow.yaml")
}

pub(crate) fn part_file(id: &str) -> String {
    format!("workflows/{id}/part.yaml")
}

pub(crate) fn texts_file(folder: &str) -> String {
    format!("workflows/{folder}/texts.yaml")
}

pub(crate) fn values_file(folder: &str) -> String {
    format!("workflows/{folder}/values.yaml")
}

pub(crate) fn form_file(id: &str) -> String {
    format!("forms/{id}.json")
}

pub(crate) fn view_file(id: &str) -> String {
    in_folder(id, "views")
}

pub(crate) fn table_file(id: &str) -> String {
    in_folder(id, "tables")
}

/// Folder of the rows of a table that are files of their own.
pub(crate) fn rows_of(id: &str) -> String {
    table_file(id).trim_end_matches(".yaml").to_owned() + "/"
}

fn in_folder(id: &str, kind: &str) -> String {
    let (folder, name) = id.rsplit_once('/').unwrap_or(("", id));
    format!("workflows/{folder}/{kind}/{name}.yaml")
}

/// The folder of a flow or part, below workflows/, that a file of it lies in.
pub(crate) fn folder_of(file: &str) -> &str {
    file.strip_prefix("workflows/").and_then(|f| f.rsplit_once('/')).map_or("", |(folder, _)| folder)
}

/// The id behind a name of a form or view: one without a slash is beside the file in which it stands.
pub(crate) fn id_of(name: &str, at: &Node) -> String {
    match folder_of(&at.span.file) {
        folder if !folder.is_empty() && !name.contains('/') => format!("{folder}/{name}"),
        _ => name.to_owned(),
    }
}

/// The folders whose texts a flow reads, its own first; `bases` are those that it extends.
pub(crate) fn texts_of<'a>(flow: &'a str, bases: impl Iterator<Item = &'a str>) -> Vec<String> {
    let line = flow.split('/').next().unwrap_or_default();
    let own = std::iter::once(flow).chain(bases.filter(|b| *b != flow)).map(str::to_owned);
    own.chain([format!("{line}/shared")]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> String {
        text.to_owned()
    }

    #[test]
    fn a_path_says_what_it_holds() {
        for (path, expected) in [
            ("workflows/parcel/cover/flow.yaml", Some(FileKind::Flow(id("parcel/cover")))),
            ("workflows/shared/otp/part.yaml", Some(FileKind::Part(id("shared/otp")))),
            ("workflows/parcel/shared/label/part.yaml", Some(FileKind::Part(id("parcel/shared/label")))),
            ("workflows/parcel/cover/texts.yaml", Some(FileKind::Texts(id("parcel/cover")))),
            ("workflows/parcel/shared/texts.yaml", Some(FileKind::Texts(id("parcel/shared")))),
            ("workflows/parcel/cover/values.yaml", Some(FileKind::Values(id("parcel/cover")))),
            ("workflows/parcel/shared/values.yaml", Some(FileKind::Values(id("parcel/shared")))),
            ("workflows/shared/otp/values.yaml", Some(FileKind::Values(id("shared/otp")))),
            ("workflows/shared/values.yaml", None),
            ("workflows/shared/texts.yaml", Some(FileKind::Texts(id("shared")))),
            ("workflows/shared/otp/views/code.yaml", Some(FileKind::View(id("shared/otp/code")))),
            ("workflows/parcel/tables/zones.yaml", Some(FileKind::Table(id("parcel/zones")))),
            ("workflows/shared/otp/tables/limits.yaml", Some(FileKind::Table(id("shared/otp/limits")))),
            ("workflows/parcel/tables/zones/north.md", Some(FileKind::Row(id("parcel/zones")))),
            ("languages/hi/workflows/parcel/tables/zones/north.md", Some(FileKind::Translation)),
            ("workflows/parcel/views/north.md", None),
            ("workflows/parcel/README.md", None),
            ("workflows/parcel/messages/booked.yaml", Some(FileKind::Message(id("booked")))),
            ("workflows/parcel/cover/stories/bought.yaml", Some(FileKind::Story(id("parcel/cover")))),
            ("workflows/contracts/parcel/label.yaml", Some(FileKind::Contract(id("parcel/label")))),
            ("workflows/contracts/label.yaml", None),
            ("workflows/partners/carriers/post.yaml", Some(FileKind::Partner(id("carriers/post")))),
            ("workflows/partners/carriers/post/partner.yaml", Some(FileKind::Partner(id("carriers/post")))),
            (
                "workflows/partners/kits/carrier/label.sandbox.yaml",
                Some(FileKind::Operation {
                    owner: Owner::Kit(id("carrier")),
                    name: id("label"),
                    part: OperationPart::Sandbox,
                }),
            ),
            (
                "workflows/partners/carriers/post/paid.webhook.yaml",
                Some(FileKind::Webhook { owner: Owner::Partner(id("post")), name: id("paid") }),
            ),
            (
                "workflows/partners/kits/carrier/lost.webhook.yaml",
                Some(FileKind::Webhook { owner: Owner::Kit(id("carrier")), name: id("lost") }),
            ),
            ("forms/parcel/cover/sender.json", Some(FileKind::Form(id("parcel/cover/sender")))),
            ("forms/shared/fields.json", Some(FileKind::Form(id("shared/fields")))),
            ("languages/hi/workflows/parcel/cover/views/offers.yaml", Some(FileKind::Translation)),
            ("languages/hi/forms/parcel/cover/sender.json", Some(FileKind::Translation)),
            ("languages/hindi/forms/parcel/cover/sender.json", None),
            ("languages/hi/workflows/parcel/cover.yaml", None),
            ("workflows/parcel/cover.yaml", None),
            ("workflows/parcel/views/offers.yaml", None),
            ("workflows/messages/booked.yaml", None),
            ("workflows/partners/post.yaml", None),
            ("forms/parcel/sender.json", None),
        ] {
            assert_eq!(kind_of(path), expected, "{path}");
        }
    }

    #[test]
    fn an_id_gives_the_path_back() {
        for path in ["workflows/shared/otp/views/code.yaml", "workflows/parcel/cover/views/offers.yaml"] {
            let Some(FileKind::View(id)) = kind_of(path) else { panic!("{path}") };
            assert_eq!(view_file(&id), path);
        }
        assert_eq!(table_file("parcel/zones"), "workflows/parcel/tables/zones.yaml");
    }
}
