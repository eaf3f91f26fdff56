//! Where definitions come from: a folder, which may be watched, or the binary itself. All go through `publish`.

use anyhow::{Context as _, Result};
use engine_definitions::{Catalog, FOLDERS, Files, Problem, Severity};
use engine_runtime::{Actor, PublishError, Published, Runtime, Stories};
use notify::{RecursiveMode, Watcher};
use rust_embed::RustEmbed;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../workflows"]
#[prefix = "workflows/"]
#[allow_missing = true]
struct Workflows;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../forms"]
#[prefix = "forms/"]
#[allow_missing = true]
struct Forms;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../languages"]
#[prefix = "languages/"]
#[allow_missing = true]
struct Languages;

/// An editor writes a file in several steps; this long after the last one the files are read.
pub const DEBOUNCE: Duration = Duration::from_millis(150);

/// The files that this binary was built with.
pub fn embedded() -> Files {
    let mut files = Files::new();
    for (path, file) in Workflows::iter()
        .map(|path| (path.clone(), Workflows::get(&path)))
        .chain(Forms::iter().map(|path| (path.clone(), Forms::get(&path))))
        .chain(Languages::iter().map(|path| (path.clone(), Languages::get(&path))))
    {
        if let Some(file) = file.filter(|_| Files::is_definition(&path)) {
            files.insert(path.to_string(), file.data.into_owned());
        }
    }
    files
}

/// That a folder's files were checked by this very program and nothing was found: kept in the folder, under
/// `.data/checked`, so that the next start reads them and does not check them again. Lost, it costs seconds.
pub struct Verdict {
    file: PathBuf,
    text: String,
}

impl Verdict {
    /// Marks files that were found good before.
    pub fn of(folder: &Path, files: &mut Files) -> Verdict {
        let verdict = Verdict {
            file: folder.join(".data/checked"),
            text: format!("{} {}", files.digest(), program().unwrap_or_default()),
        };
        if program().is_ok() && std::fs::read_to_string(&verdict.file).is_ok_and(|kept| kept == verdict.text) {
            files.mark_found_good();
        }
        verdict
    }

    /// What would be kept of a folder, where it holds definitions.
    pub fn read(folder: &Path) -> Option<Verdict> {
        let mut files = folder.join("workflows").is_dir().then(|| Files::read_dir(folder))?.ok()?;
        Some(Verdict::of(folder, &mut files))
    }

    /// Where nothing can be written, the next start checks again.
    pub fn keep(self) {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        if let Err(error) = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&self.file, &self.text)) {
            tracing::debug!(%error, "what was checked is not remembered");
        }
    }
}

/// What tells this program from another build of it.
fn program() -> std::io::Result<String> {
    let about = std::env::current_exe()?.metadata()?;
    let built = about.modified()?.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Ok(format!("{} {}", about.len(), built.as_nanos()))
}

/// The catalog of a folder, for commands that try something of it; `None`: its errors are printed.
pub fn read_to_try(folder: &Path) -> Result<Option<Arc<Catalog>>> {
    let files = Files::read_dir(folder);
    let mut files = files.with_context(|| format!("definitions in `{}` cannot be read", folder.display()))?;
    Verdict::of(folder, &mut files);
    let loaded = engine_definitions::load_to_try(&files);
    if loaded.catalog.is_none() {
        print_problems(&loaded.problems);
    }
    Ok(loaded.catalog)
}

/// Errors and warnings for a person: one line each, errors last.
pub fn print_problems(problems: &[Problem]) {
    let errors = |problem: &&Problem| problem.severity == Severity::Error;
    for problem in problems.iter().filter(|problem| !errors(problem)).chain(problems.iter().filter(errors)) {
        let grade = if problem.severity == Severity::Error { "error" } else { "warning" };
        eprintln!("{grade}: {problem}");
    }
}

/// One line on what a publication changed, how many stories were played before it, and how long it took since `begun`.
pub fn describe_publication(published: &Published, begun: Instant) -> String {
    let changed = match published.changed.as_slice() {
        [] => "no workflow changed".to_owned(),
        changed => format!("new versions of {}", changed.join(", ")),
    };
    let (number, stories) = (published.number, published.stories);
    format!("publication {number}: {changed}; {stories} stories, {:.1} s", begun.elapsed().as_secs_f64())
}

/// Calls whenever a definition of a folder is saved, until what it gives back is dropped.
pub fn watch_folder(folder: &Path, heard: impl Fn() + Send + 'static) -> notify::Result<notify::RecommendedWatcher> {
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let changed =
            event.is_ok_and(|event| !event.kind.is_access() && event.paths.iter().any(|path| is_authored(path)));
        if changed {
            heard();
        }
    })?;
    for part in FOLDERS.map(|part| folder.join(part)).iter().filter(|part| part.is_dir()) {
        watcher.watch(part, RecursiveMode::Recursive)?;
    }
    Ok(watcher)
}

/// Publishes a folder whenever something in it is saved, until stopped. What does not check stays unpublished.
pub fn watch(runtime: Runtime, folder: PathBuf, stop: CancellationToken) -> notify::Result<()> {
    let (heard, mut saves) = tokio::sync::mpsc::unbounded_channel();
    let watcher = watch_folder(&folder, move || {
        let _ = heard.send(());
    })?;
    tokio::spawn(async move {
        // Dropping the watcher would end it.
        let _watcher = watcher;
        loop {
            tokio::select! {
                saved = saves.recv() => if saved.is_none() { return },
                () = stop.cancelled() => return,
            }
            while tokio::time::timeout(DEBOUNCE, saves.recv()).await.is_ok_and(|saved| saved.is_some()) {}
            publish_again(&runtime, &folder).await;
        }
    });
    Ok(())
}

async fn publish_again(runtime: &Runtime, folder: &Path) {
    let begun = Instant::now();
    let files = match Files::read_dir(folder) {
        Ok(files) => files,
        Err(error) => return tracing::warn!(%error, "definitions cannot be read"),
    };
    match runtime.publishing.publish(&files, &Actor::operator("development"), Stories::Tell).await {
        Ok(published) => {
            print_problems(&published.warnings);
            tracing::info!("{}", describe_publication(&published, begun));
        }
        Err(PublishError::Problems(problems)) => {
            print_problems(&problems);
            metrics::counter!("definitions_refused_total").increment(1);
            tracing::warn!("the saved definitions have errors; the last good ones stay");
        }
        Err(PublishError::Runtime(error)) => tracing::error!(%error, "publishing failed"),
    }
}

fn is_authored(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| matches!(ending, "yaml" | "yml" | "json" | "csv" | "md"))
}
