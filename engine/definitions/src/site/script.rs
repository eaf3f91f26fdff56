//! Scripts of others on our pages: which, and whose.

use crate::fields::MapReader;
use crate::source::Node;
use engine_statechart::Problem;

/// A script that comes to a page at its time.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// Path of the script on its host.
    pub path: String,
    /// Alias of the host in the settings: while they do not name it, the script does not come. Ours without one.
    pub host: Option<String>,
    /// Path of ours of what stands in for the script in the sandbox.
    pub sandbox: Option<String>,
}

impl Script {
    /// Reads `{script, host, sandbox}`.
    pub(super) fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Script> {
        let mut fields = MapReader::open(node, "a script of the site", &["script", "host", "sandbox"], problems)?;
        let sandbox = fields.text("sandbox");
        Some(Script { path: fields.need_text("script"), host: fields.text("host"), sandbox })
    }
}
