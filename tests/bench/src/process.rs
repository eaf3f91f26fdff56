//! What a process and its children cost: CPU, memory, from /proc.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

const TICKS_PER_SECOND: f64 = 100.0;

/// CPU seconds and proportional memory of a process tree.
#[derive(Clone, Copy, Default)]
pub struct Usage {
    pub cpu_s: f64,
    pub pss_bytes: u64,
}

pub fn usage(root: u32) -> Usage {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for pid in pids() {
        if let Some(parent) = stat(pid).and_then(|f| f.get(1)?.parse().ok()) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut total = Usage::default();
    let mut todo = vec![root];
    while let Some(pid) = todo.pop() {
        todo.extend(children.get(&pid).into_iter().flatten());
        let fields = stat(pid).unwrap_or_default();
        // user and system time, its own and of children that have ended
        total.cpu_s +=
            fields.iter().skip(11).take(4).filter_map(|f| f.parse::<f64>().ok()).sum::<f64>() / TICKS_PER_SECOND;
        let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
        let pss = rollup
            .lines()
            .find_map(|l| l.strip_prefix("Pss:"))
            .and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok());
        total.pss_bytes += pss.unwrap_or(0) * 1024;
    }
    total
}

/// Seconds that all cores of the machine were busy.
pub fn machine_busy_s() -> f64 {
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    let fields: Vec<f64> =
        text.lines().next().unwrap_or_default().split_whitespace().skip(1).filter_map(|f| f.parse().ok()).collect();
    let idle: f64 = fields.iter().skip(3).take(2).sum();
    (fields.iter().sum::<f64>() - idle) / TICKS_PER_SECOND
}

/// Bytes of a folder's files.
pub fn disk(folder: &Path) -> u64 {
    fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|e| e.metadata().ok()).map(|m| m.len()).sum()
}

fn pids() -> impl Iterator<Item = u32> {
    fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(|e| e.file_name().to_str()?.parse().ok())
}

/// Fields after the command's name: 0 is the state, 1 the parent.
fn stat(pid: u32) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    Some(text.rsplit_once(") ")?.1.split(' ').map(str::to_owned).collect())
}
