//! Any bytes as a definition, in YAML and in JSON: problems with places, or a machine that starts.
#![no_main]

use engine_definitions::source;
use engine_statechart::{Env, Event, Machine, Vocabulary, start, step, value, xstate};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for file in ["any.yaml", "any.json"] {
        let node = match source::read(file, bytes) {
            Ok(node) => node,
            Err(problems) => {
                assert!(problems.iter().all(|p| p.span.line > 0 && p.span.column > 0), "no place: {problems:?}");
                continue;
            }
        };
        let Ok((machine, _)) = Machine::compile(&node, &Vocabulary::default()) else { continue };
        let _ = xstate::export(&node, &Vocabulary::default());
        let started = start(&machine, &Env::plain(0)).snapshot;
        let _ = value(&machine, &started);
        let _ = step(&machine, started, &Event::new("go"), &Env::plain(1));
    }
    // The product's reader of one file, keys of its own included.
    let _ = engine_definitions::plain_machine("any.yaml", bytes);
});
