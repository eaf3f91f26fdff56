//! `simulate --batch < cases.jsonl > lines.jsonl`: the plain dialect without the product's binary.

use engine_statechart::simulate;
use std::io::{BufWriter, stdin, stdout};

fn main() -> std::io::Result<()> {
    simulate::batch(stdin().lock(), BufWriter::new(stdout().lock()))
}
