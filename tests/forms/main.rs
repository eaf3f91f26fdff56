//! Forms and answers, one form a line on standard input, to what the engine makes of them, one line each:
//! `random.mjs` compares that with the browser's code.

use journey_tests::forms::{Written, run};
use std::io::{BufRead, Write};

fn main() -> anyhow::Result<()> {
    let lines = std::io::stdin().lock().lines().collect::<Result<Vec<_>, _>>()?;
    let written = lines.iter().map(|line| serde_json::from_str(line)).collect::<Result<Vec<Written>, _>>()?;
    let done = run(&written).map_err(anyhow::Error::msg)?;
    let mut out = std::io::stdout().lock();
    for one in done {
        writeln!(out, "{}", serde_json::to_string(&one)?)?;
    }
    Ok(())
}
