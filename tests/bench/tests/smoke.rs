//! The bench still works: tiny windows of an unoptimised build. Figures mean nothing here; that both sides do the same
//! work, that each effect and timer runs once, and that tables are told, is checked by the bench itself and below.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn bench(arguments: &[&str]) -> (String, Value) {
    let folder = tempfile::tempdir().expect("a folder");
    let json = folder.path().join("figures.json");
    let output = Command::new(env!("CARGO_BIN_EXE_journey-bench"))
        .args(arguments)
        .arg("--json")
        .arg(&json)
        .output()
        .expect("the bench starts");
    let (told, errors) =
        (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{told}\n{errors}");
    let figures = serde_json::from_slice(&std::fs::read(&json).expect("figures")).expect("JSON");
    (told, figures)
}

/// The product's own program: `make test` has built it before.
fn product() -> PathBuf {
    let binary = Path::new(env!("CARGO_BIN_EXE_journey-bench")).with_file_name("journey");
    if !binary.exists() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let built = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--package", "engine-server", "--bin", "journey"])
            .current_dir(root)
            .status();
        assert!(built.is_ok_and(|status| status.success()), "the product is built");
    }
    binary
}

#[test]
fn files_are_sent_and_listed() {
    let product = product().display().to_string();
    let arguments = ["--binary", &product, "--database", "sqlite", "--at-once", "2", "--photos", "1", "--looks", "3"];
    let (told, figures) = bench(&[&["uploads"], &arguments[..]].concat());
    assert_eq!(figures["rows"].as_array().map(Vec::len), Some(5), "{told}");
}

#[test]
fn both_sides_do_the_same_work_on_both_databases() {
    let product = product().display().to_string();
    let (told, figures) = bench(&[
        "journeys",
        "--binary",
        &product,
        "--connections",
        "4",
        "--seconds",
        "0.2",
        "--rounds",
        "1",
        "--open",
        "20",
        "--grown",
        "40",
    ]);
    let windows = figures["windows"].as_array().expect("windows");
    for database in ["sqlite", "postgres"] {
        for side in ["baseline", "product"] {
            let worked = windows
                .iter()
                .any(|w| w["database"] == database && w["side"] == side && w["steps"].as_u64() >= Some(4));
            assert!(worked, "{side} on {database}: {figures:#}");
        }
        for what in [
            "first journey",
            "memory idle",
            "disk per open journey",
            "steps/s, 4 customers",
            "p50 ms: 40 open, then 40",
        ] {
            assert!(
                told.lines().any(|line| line.starts_with(database) && line.contains(what)),
                "`{what}` on {database}:\n{told}"
            );
        }
    }
}

#[test]
fn a_person_sees_hers_among_others_on_both_databases() {
    let (told, _) = bench(&["lists", "--journeys", "400", "--own", "8", "--looks", "2"]);
    for database in ["sqlite", "postgres"] {
        for what in ["her account, p50", "her dashboard, p99", "searched and filtered, p50"] {
            assert!(
                told.lines().any(|line| line.starts_with(database) && line.contains(what)),
                "`{what}` on {database}:\n{told}"
            );
        }
    }
}

#[test]
fn effects_and_timers_run_once_on_both_databases() {
    let (told, _) = bench(&["jobs", "--effects", "50", "--timers", "50", "--within", "1"]);
    for database in ["sqlite", "postgres"] {
        for what in ["effects/s, 50 waiting", "pickup by an idle worker, p99", "50 timers due in 1 s"] {
            assert!(
                told.lines().any(|line| line.starts_with(database) && line.contains(what)),
                "`{what}` on {database}:\n{told}"
            );
        }
    }
}

#[test]
fn pages_come_beside_the_same_answer_from_memory() {
    let product = product().display().to_string();
    let arguments = ["--path", "/privacy-policy", "--connections", "2", "--seconds", "0.2", "--rounds", "1"];
    let (told, _) = bench(&[&["pages", "--binary", &product, "--former", &product], &arguments[..]].concat());
    for (side, what) in [("memory", "2 at once: pages/s"), ("former", "2 at once: CPU s per 1,000")] {
        assert!(told.lines().any(|line| line.starts_with(side) && line.contains(what)), "`{what}`:\n{told}");
    }
}
