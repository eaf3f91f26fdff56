//! `simulate < cases.jsonl > lines.jsonl`: the plain dialect without the product's binary.
//! With `--export`: the machine of each case as JSON for XState.

use engine_statechart::source::Node;
use engine_statechart::{Vocabulary, simulate, xstate};
use std::io::{BufRead, BufWriter, Write, stdin, stdout};

fn main() -> std::io::Result<()> {
    let mut out = BufWriter::new(stdout().lock());
    if std::env::args().nth(1).as_deref() != Some("--export") {
        return simulate::batch(stdin().lock(), out);
    }
    for line in stdin().lock().lines() {
        let case: serde_json::Value = serde_json::from_str(&line?)?;
        let machine = xstate::export(&Node::from_json(&case["machine"]), &Vocabulary::default());
        let machine = machine.map_err(|problem| std::io::Error::other(problem.to_string()))?;
        serde_json::to_writer(&mut out, &machine)?;
        out.write_all(b"\n")?;
    }
    out.flush()
}
