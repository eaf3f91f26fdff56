//! What a version of a workflow consists of.

use super::{WORKFLOW, catalog, library, show};
use engine_definitions::{Files, Workflow, reload_closure};
use std::sync::Arc;

fn version(files: &Files) -> String {
    catalog(files).workflow("library/loan").expect("workflow").version.clone()
}

#[test]
fn a_version_is_its_closure_and_comes_back() {
    let files = library();
    let first = catalog(&files);
    let workflow: &Arc<Workflow> = first.workflow("library/loan").expect("workflow");
    for (path, pinned) in [
        (WORKFLOW, true),
        ("workflows/shared/code/part.yaml", true),
        ("workflows/library/loan/views/found.yaml", true),
        ("workflows/library/shared/texts.yaml", true),
        ("workflows/library/tables/branches.yaml", true),
        ("forms/library/loan/loan.json", true),
        ("forms/shared/fields.json", true),
        ("workflows/contracts/library/offer.yaml", true),
        ("workflows/partners/libraries/north/offer.yaml", false),
        ("workflows/partners/libraries/north/offer.examples.yaml", false),
        ("workflows/library/messages/ready.yaml", false),
        ("workflows/site/site.yaml", false),
    ] {
        let mut changed = files.clone();
        let mut bytes = files.get(path).expect(path).to_vec();
        bytes.push(b'\n');
        changed.insert(path, bytes);
        assert_eq!(version(&changed) != workflow.version, pinned, "{path}");
    }
    let mut kept = Files::new();
    for (path, hash) in &workflow.closure {
        kept.insert(path.clone(), files.get(path).expect(path).clone());
        assert_eq!(files.hash(path), *hash);
    }
    let again = reload_closure("library/loan", &kept, &first).map_err(|p| show(&p)).expect("reloads");
    assert_eq!((again.version.as_str(), again.closure.len()), (workflow.version.as_str(), workflow.closure.len()));
}
