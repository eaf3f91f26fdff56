//! later
use crate::source::Node;
/// later
pub fn export(node: &Node) -> serde_json::Value {
    node.to_json()
}
