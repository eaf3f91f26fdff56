use super::Machine;
use crate::problem::Problems;
pub fn check(_m: &Machine, _p: &mut Problems) {}
