//! later
pub(crate) struct Library;
pub(crate) fn compile() {}
