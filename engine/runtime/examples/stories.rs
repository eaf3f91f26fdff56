fn main() {
    let files = engine_definitions::Files::read_dir(std::env::args().nth(1).unwrap_or_else(|| ".".into())).unwrap();
    let loaded = engine_definitions::load(&files);
    for p in &loaded.problems { println!("{p}"); }
    let Some(catalog) = loaded.catalog else { std::process::exit(2) };
    let (mut n, mut bad) = (0, 0);
    for workflow in catalog.workflows() {
        for story in workflow.stories() {
            n += 1;
            let failures = engine_runtime::story::run(&catalog, story);
            if !failures.is_empty() { bad += 1; }
            for f in failures { println!("{}: {}: {}", f.place, f.story, f.message.chars().take(700).collect::<String>()); }
        }
    }
    println!("{n} stories, {bad} failing");
}
