//! The shape of the repository: crate direction, no line of business in code, files where they belong.

use engine_statechart::NodeKind;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Which of our crates each of our crates may use (engine/ARCHITECTURE.md, "The rooms").
const DIRECTION: &[(&str, &[&str])] = &[
    ("engine-statechart", &[]),
    ("engine-store", &[]),
    ("engine-settings", &[]),
    ("engine-draw", &[]),
    ("engine-paper", &[]),
    ("engine-files", &[]),
    ("engine-definitions", &["engine-statechart", "engine-settings"]),
    ("engine-runtime", &["engine-definitions", "engine-statechart", "engine-store", "engine-settings", "engine-files"]),
    ("engine-partners", &["engine-definitions", "engine-statechart", "engine-settings"]),
    ("worker", &["engine-runtime", "engine-partners", "engine-definitions", "engine-store", "engine-settings"]),
    (
        "engine-http",
        &[
            "engine-runtime",
            "engine-partners",
            "engine-draw",
            "engine-paper",
            "engine-definitions",
            "engine-store",
            "engine-statechart",
            "engine-settings",
        ],
    ),
];

#[test]
fn crates_depend_in_one_direction() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo metadata runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let ours: BTreeSet<&str> = packages.iter().filter_map(|p| p["name"].as_str()).collect();
    let allowed: BTreeMap<&str, &[&str]> = DIRECTION.iter().copied().collect();
    let mut wrong = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let Some(allowed) = allowed.get(name) else { continue };
        for dependency in package["dependencies"].as_array().into_iter().flatten().filter(|d| d["kind"] != "dev") {
            let used = dependency["name"].as_str().unwrap_or_default();
            if ours.contains(used) && !allowed.contains(&used) {
                wrong.push(format!("{name} uses {used}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    for name in ours.iter().filter(|n| !["engine-server", "journey-tests", "journey-bench"].contains(n)) {
        assert!(allowed.contains_key(name), "crate `{name}` has no place in the direction");
    }
}

/// Words that only definitions may say. Each is looked for as a whole word, whatever its case.
const LINES_OF_BUSINESS: &[&str] = &[
    "motor",
    "vehicle",
    "car",
    "cars",
    "bike",
    "bikes",
    "two_wheeler",
    "vahan",
    "rto",
    "insurer",
    "insurers",
    "premium",
    "policy",
    "nominee",
    "idv",
    "ncb",
    "hospital",
    "term_life",
    "sme",
    "shopkeeper",
    "razorpay",
];

/// (file's ending, word, why it is meant otherwise there).
const MEANT_OTHERWISE: &[(&str, &str, &str)] = &[("", "policy", "a security, retry or timer policy, and header names")];

#[test]
fn no_code_names_a_line_of_business() {
    let mut found = Vec::new();
    for top in ["engine", "worker", "web/src"] {
        for file in sources(&root().join(top)) {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            for (number, line) in text.lines().enumerate() {
                for word in words(line) {
                    let named = LINES_OF_BUSINESS.contains(&word.as_str());
                    let otherwise = MEANT_OTHERWISE
                        .iter()
                        .any(|(ending, w, _)| file.to_string_lossy().ends_with(ending) && *w == word);
                    if named && !otherwise {
                        found.push(format!("{}:{}: {word}: {}", file.display(), number + 1, line.trim()));
                    }
                }
            }
        }
    }
    assert!(found.is_empty(), "a line of business is named in code:\n{}", found.join("\n"));
}

fn words(line: &str) -> impl Iterator<Item = String> + '_ {
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|w| !w.is_empty()).map(str::to_lowercase)
}

fn sources(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let Ok(entries) = std::fs::read_dir(dir) else { return files };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            if !["node_modules", "dist", "target", "tests", "fixtures", "examples", "benches"].contains(&name.as_str())
            {
                files.extend(sources(&path));
            }
        } else if [".rs", ".ts", ".tsx", ".css"].iter().any(|e| name.ends_with(e)) {
            files.push(path);
        }
    }
    files
}

#[test]
fn paths_in_the_architecture_exist() {
    let text = std::fs::read_to_string(root().join("engine/ARCHITECTURE.md")).expect("engine/ARCHITECTURE.md");
    let mut missing = Vec::new();
    for quoted in text.split('`').skip(1).step_by(2) {
        let looks_like_a_path =
            quoted.contains('/') && !quoted.contains([' ', '(', '{', '*', ':']) && !quoted.starts_with('/');
        let bases = ["", "engine", "worker", "engine/runtime/src", "engine/runtime", "worker/src"];
        let exists = |path: &str| bases.iter().any(|b| root().join(b).join(path).exists());
        // `runtime/turn` stands for `engine/runtime/src/turn`.
        let inside = quoted.split_once('/').map(|(head, tail)| format!("{head}/src/{tail}")).unwrap_or_default();
        if looks_like_a_path && !exists(quoted) && !exists(&inside) {
            missing.push(quoted.to_string());
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn the_web_app_has_the_description_of_this_api() {
    let kept = std::fs::read_to_string(root().join("web/src/contract/openapi.json")).unwrap_or_default();
    let made = engine_http::openapi().to_pretty_json().expect("the description is JSON");
    assert!(kept.trim_end() == made, "web/src/contract/openapi.json is out of date: run `make contract`");
}

#[test]
fn sql_yaml_and_templates_have_one_home() {
    let homes: &[(&str, &[&str])] = &[
        ("sqlx::query", &["engine/store/"]),
        ("serde_yaml", &["engine/definitions/src/source/", "engine/definitions/src/fmt/"]),
        ("Handlebars", &["engine/definitions/"]),
    ];
    let mut wrong = Vec::new();
    for top in ["engine", "worker"] {
        for file in sources(&root().join(top)) {
            let name = file.strip_prefix(root()).unwrap_or(&file).to_string_lossy().replace('\\', "/");
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            for (needle, allowed) in homes {
                if text.contains(needle) && !allowed.iter().any(|home| name.starts_with(home)) {
                    wrong.push(format!("{name}: {needle}"));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// A setting that is documented and does nothing is a lie.
#[test]
fn every_setting_is_read() {
    let mut texts = Vec::new();
    for top in ["engine", "worker"] {
        let read = |file: &PathBuf| std::fs::read_to_string(file).unwrap_or_default();
        let files = sources(&root().join(top)).into_iter().filter(|file| !file.ends_with("settings/src/areas.rs"));
        texts.extend(files.map(|file| read(&file)));
    }
    let mut unread = Vec::new();
    for engine_settings::Field { area, name, .. } in engine_settings::fields() {
        let mut of_type = area.to_owned();
        of_type.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase);
        let has = |text: &str, word: &str| words(text).any(|found| found == word);
        let is_read = |text: &String| {
            let knows_area = area.is_empty() || text.contains(&format!(".{area}")) || text.contains(&of_type);
            knows_area && text.contains(&format!(".{name}")) && has(text, name)
        };
        if !texts.iter().any(is_read) {
            unread.push(format!("{area}.{name}"));
        }
    }
    assert_eq!(unread, Vec::<String>::new(), "settings that nobody reads");
}

/// `.deny.toml`, the part of it that is held here: `cargo deny` needs the network, and a program of its own.
#[derive(serde::Deserialize)]
struct Deny {
    licenses: Licences,
    bans: Bans,
    sources: Sources,
}

#[derive(serde::Deserialize)]
struct Licences {
    allow: Vec<String>,
}

#[derive(serde::Deserialize)]
struct Bans {
    deny: Vec<Banned>,
}

#[derive(serde::Deserialize)]
struct Banned {
    name: String,
    reason: String,
}

#[derive(serde::Deserialize)]
struct Sources {
    #[serde(rename = "allow-registry")]
    registries: Vec<String>,
}

impl Deny {
    /// What is wrong with a package of `cargo metadata`. All licences of a package must be allowed, chosen or not.
    fn against(&self, package: &Value) -> Vec<String> {
        let text = |member: &str| package[member].as_str().unwrap_or_default();
        let name = text("name");
        let banned = self.bans.deny.iter().filter(|banned| banned.name == name);
        let mut wrong: Vec<String> = banned.map(|banned| format!("{name}: {}", banned.reason)).collect();
        // Ours have no source.
        let Some(source) = package["source"].as_str() else { return wrong };
        if !self.sources.registries.iter().any(|registry| source.strip_prefix("registry+") == Some(registry)) {
            wrong.push(format!("{name} comes from {source}"));
        }
        let allowed: BTreeSet<&str> = self.licenses.allow.iter().flat_map(|licence| licence.split(" WITH ")).collect();
        let licence = text("license");
        let mut named =
            licence.split([' ', '/', '(', ')']).filter(|word| !["", "OR", "AND", "WITH"].contains(word)).peekable();
        if named.peek().is_none() || named.any(|word| !allowed.contains(word)) {
            wrong.push(format!("{name} has the licence `{licence}`"));
        }
        wrong
    }
}

#[test]
fn what_is_built_in_has_a_known_licence_and_source() {
    let deny = std::fs::read_to_string(root().join(".deny.toml")).expect("what may be built in");
    let deny: Deny = toml::from_str(&deny).expect("it is TOML");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(root())
        .output()
        .expect("cargo metadata runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let wrong: Vec<String> = packages.iter().flat_map(|package| deny.against(package)).collect();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn what_may_not_be_built_in_is_found() {
    let deny = std::fs::read_to_string(root().join(".deny.toml")).expect("what may be built in");
    let deny: Deny = toml::from_str(&deny).expect("it is TOML");
    let (here, fork) = ("registry+https://github.com/rust-lang/crates.io-index", "git+https://example.org/fork");
    let check = |name: &str, source: &str, licence: Option<&str>, expected: &[&str]| {
        let found = deny.against(&json!({"name": name, "source": source, "license": licence}));
        assert_eq!(found.len(), expected.len(), "{found:?}");
        assert!(found.iter().zip(expected).all(|(found, part)| found.contains(part)), "{found:?}");
    };
    check("a", here, Some("MIT OR Apache-2.0 WITH LLVM-exception"), &[]);
    check("a", here, Some("(MIT/Apache-2.0) AND GPL-3.0"), &["licence"]);
    check("a", here, None, &["licence"]);
    check("a", fork, Some("MIT"), &["comes from git"]);
    check("native-tls", here, Some("MIT"), &["TLS is rustls"]);
}

/// Rooms whose lines are read beside each other on one screen; the formatter leaves long texts and comments alone.
const NARROW: &[&str] = &["engine/runtime", "engine/store", "worker"];

#[test]
fn no_line_is_wider_than_120() {
    let mut wide = Vec::new();
    for file in NARROW.iter().flat_map(|room| sources(&root().join(room))) {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let long = text.lines().enumerate().filter(|(_, line)| line.chars().count() > 120);
        wide.extend(long.map(|(number, _)| format!("{}:{}", file.display(), number + 1)));
    }
    assert_eq!(wide, Vec::<String>::new());
}

/// R2.10-09: wherever a journey rests, a step is shown, and it has something to fill in, to look at or to wait for; a
/// step that only shows something ends the journey, says what it waits for or offers something to press.
#[test]
fn every_state_has_a_screen_with_something_to_do() {
    let catalog = journey_tests::server::catalog();
    let mut empty = Vec::new();
    for workflow in catalog.workflows() {
        let machine = &workflow.machine;
        for leaf in machine.nodes().filter(|node| node.kind == NodeKind::Atomic) {
            let active: Vec<String> = machine.ancestors(leaf.id).map(str::to_owned).collect();
            let is_beside =
                active.iter().any(|id| machine.node(id).is_some_and(|node| node.kind == NodeKind::Parallel));
            let step = workflow.step(&active);
            let has_screen = step.is_some_and(|step| {
                step.form.is_some() || step.face.view.is_some() || step.face.wait.is_some() || step.redirect.is_some()
            });
            if !is_beside && !has_screen && !leaf.is_transient {
                empty.push(format!("{}: {}", workflow.id, leaf.path));
            }
        }
    }
    assert!(empty.is_empty(), "{empty:#?}");
}
