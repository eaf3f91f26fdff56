//! The machine's clock as the product's processes see it: a small library in C, loaded before the system's, adds what a
//! file says. The steady clock, by which timers of the system run, stays as it is; so does the partners' and ours.

use anyhow::{Context as _, Result, ensure};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Clock {
    library: PathBuf,
    file: PathBuf,
}

impl Clock {
    /// Built in `folder`; `None` where there is no C compiler.
    pub fn build(folder: &Path) -> Result<Option<Clock>> {
        let (library, file) = (folder.join("clock.so"), folder.join("clock"));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("chaos/clock.c");
        let mut compile = Command::new("cc");
        compile.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(source);
        let built = match compile.status() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            built => built.context("cc")?,
        };
        ensure!(built.success(), "clock.c does not compile");
        let clock = Clock { library, file };
        clock.set(0)?;
        Ok(Some(clock))
    }

    /// What a process needs to see it.
    pub fn settings(&self) -> [(&'static str, OsString); 2] {
        [("LD_PRELOAD", self.library.clone().into()), ("CHAOS_CLOCK", self.file.clone().into())]
    }

    /// Sets the clock so many seconds beside the true time from now on, also for processes that run.
    pub fn set(&self, beside_s: i64) -> Result<()> {
        use std::os::unix::fs::FileExt as _;
        let file = std::fs::File::options().write(true).create(true).truncate(false).open(&self.file)?;
        file.write_all_at(&beside_s.to_ne_bytes(), 0).context("the clock's file")
    }
}
