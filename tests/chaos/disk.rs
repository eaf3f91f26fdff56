//! A disk that can lose its power: a file system over FUSE, in memory, that forgets what was not synced.
//!
//! What `fsync` of a file makes durable is its content and its name; `fsync` of the folder makes all names durable. One
//! flat folder is all that a database needs.

use anyhow::{Context as _, Result};
use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    LockOwner, MountOption, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty,
    ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub struct Disk {
    pub folder: PathBuf,
    content: Content,
    _mounted: BackgroundSession,
}

impl Disk {
    /// Mounted below `folder`.
    pub fn mount(folder: &Path) -> Result<Disk> {
        let folder = folder.join("disk");
        std::fs::create_dir(&folder)?;
        let content = Content::default();
        let mut config = Config::default();
        config.mount_options = vec![MountOption::FSName("journey-chaos".into())];
        let mounted = fuser::spawn_mount(content.clone(), &folder, &config).context("a file system over FUSE")?;
        Ok(Disk { folder, content, _mounted: mounted })
    }

    /// Can this machine have one?
    pub fn possible() -> bool {
        std::fs::File::options().read(true).write(true).open("/dev/fuse").is_ok()
    }

    /// Loses what is not on the disk, when nobody has a file open any more. Returns how many bytes of writes were
    /// forgotten.
    pub fn lose_power(&self) -> usize {
        self.content.lock().lose()
    }
}

#[derive(Clone, Default)]
struct Content(Arc<Mutex<Files>>);

#[derive(Default)]
struct Files {
    names: BTreeMap<OsString, u64>,
    durable_names: BTreeMap<OsString, u64>,
    files: BTreeMap<u64, File>,
    last: u64,
}

#[derive(Default)]
struct File {
    bytes: Vec<u8>,
    mode: u16,
    durable_size: usize,
    /// What stood where something was written since the last sync, in order.
    before: Vec<(usize, Vec<u8>)>,
}

impl File {
    /// Bytes from `at` on are about to change.
    fn note(&mut self, at: usize, until: usize) {
        let until = until.min(self.bytes.len());
        if at < until {
            self.before.push((at, self.bytes[at..until].to_vec()));
        }
    }

    fn write(&mut self, at: usize, data: &[u8]) {
        let until = at + data.len();
        self.note(at, until);
        if self.bytes.len() < until {
            self.bytes.resize(until, 0);
        }
        self.bytes[at..until].copy_from_slice(data);
    }

    fn resize(&mut self, size: usize) {
        self.note(size, usize::MAX);
        self.bytes.resize(size, 0);
    }

    fn sync(&mut self) {
        self.durable_size = self.bytes.len();
        self.before.clear();
    }

    fn lose(&mut self) -> usize {
        let mut lost = self.bytes.len().saturating_sub(self.durable_size);
        for (at, bytes) in std::mem::take(&mut self.before).into_iter().rev() {
            lost += bytes.len();
            if self.bytes.len() < at + bytes.len() {
                self.bytes.resize(at + bytes.len(), 0);
            }
            self.bytes[at..at + bytes.len()].copy_from_slice(&bytes);
        }
        self.bytes.resize(self.durable_size, 0);
        lost
    }
}

impl Files {
    fn lose(&mut self) -> usize {
        self.names = self.durable_names.clone();
        self.files.values_mut().map(File::lose).sum()
    }

    fn make(&mut self, name: &OsStr, mode: u32) -> u64 {
        self.last += 1;
        let number = INodeNo::ROOT.0 + self.last;
        self.names.insert(name.to_owned(), number);
        self.files.insert(number, File { mode: (mode & 0o777) as u16, ..File::default() });
        number
    }

    fn attributes(&self, number: INodeNo) -> Option<FileAttr> {
        let root = File { mode: 0o700, ..File::default() };
        let is_root = number == INodeNo::ROOT;
        let file = if is_root { &root } else { self.files.get(&number.0)? };
        Some(FileAttr {
            ino: number,
            size: file.bytes.len() as u64,
            blocks: file.bytes.len().div_ceil(512) as u64,
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind: if is_root { FileType::Directory } else { FileType::RegularFile },
            perm: file.mode,
            nlink: 1,
            uid: 0,
            gid: 0,
            rdev: 0,
            blksize: 4_096,
            flags: 0,
        })
    }
}

impl Content {
    fn lock(&self) -> MutexGuard<'_, Files> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }
}

/// Nothing is remembered by the kernel: after a loss it would remember what is gone.
const FRESH: Duration = Duration::ZERO;
const OPEN: FileHandle = FileHandle(0);

impl Filesystem for Content {
    fn lookup(&self, _: &Request, _: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let files = self.lock();
        let found = files.names.get(name).and_then(|number| files.attributes(INodeNo(*number)));
        match found {
            Some(attributes) => reply.entry(&FRESH, &attributes, Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &Request, number: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.lock().attributes(number) {
            Some(attributes) => reply.attr(&FRESH, &attributes),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn setattr(
        &self,
        _: &Request,
        number: INodeNo,
        mode: Option<u32>,
        _: Option<u32>,
        _: Option<u32>,
        size: Option<u64>,
        _: Option<TimeOrNow>,
        _: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<fuser::BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let mut files = self.lock();
        if let Some(file) = files.files.get_mut(&number.0) {
            if let Some(mode) = mode {
                file.mode = (mode & 0o777) as u16;
            }
            if let Some(size) = size {
                file.resize(size as usize);
            }
        }
        match files.attributes(number) {
            Some(attributes) => reply.attr(&FRESH, &attributes),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn create(&self, _: &Request, _: INodeNo, name: &OsStr, mode: u32, _: u32, _: i32, reply: ReplyCreate) {
        let mut files = self.lock();
        let number = INodeNo(files.make(name, mode));
        match files.attributes(number) {
            Some(attributes) => reply.created(&FRESH, &attributes, Generation(0), OPEN, FopenFlags::empty()),
            None => reply.error(Errno::EIO),
        }
    }

    fn unlink(&self, _: &Request, _: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        match self.lock().names.remove(name) {
            Some(_) => reply.ok(),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn rename(
        &self,
        _: &Request,
        _: INodeNo,
        name: &OsStr,
        _: INodeNo,
        new: &OsStr,
        _: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let mut files = self.lock();
        match files.names.remove(name) {
            Some(number) => {
                files.names.insert(new.to_owned(), number);
                reply.ok();
            }
            None => reply.error(Errno::ENOENT),
        }
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(OPEN, FopenFlags::empty());
    }

    fn read(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        at: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        match self.lock().files.get(&number.0) {
            Some(file) => {
                let from = (at as usize).min(file.bytes.len());
                let until = (from + size as usize).min(file.bytes.len());
                reply.data(&file.bytes[from..until]);
            }
            None => reply.error(Errno::ENOENT),
        }
    }

    fn write(
        &self,
        _: &Request,
        number: INodeNo,
        _: FileHandle,
        at: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        match self.lock().files.get_mut(&number.0) {
            Some(file) => {
                file.write(at as usize, data);
                reply.written(data.len() as u32);
            }
            None => reply.error(Errno::ENOENT),
        }
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, number: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        let mut files = self.lock();
        if let Some(file) = files.files.get_mut(&number.0) {
            file.sync();
        }
        let own: Vec<OsString> =
            files.names.iter().filter(|(_, at)| **at == number.0).map(|(name, _)| name.clone()).collect();
        for name in own {
            files.durable_names.insert(name, number.0);
        }
        reply.ok();
    }

    fn fsyncdir(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        let mut files = self.lock();
        files.durable_names = files.names.clone();
        reply.ok();
    }

    fn readdir(&self, _: &Request, _: INodeNo, _: FileHandle, at: u64, mut reply: ReplyDirectory) {
        let files = self.lock();
        for (i, (name, number)) in files.names.iter().enumerate().skip(at as usize) {
            if reply.add(INodeNo(*number), i as u64 + 1, FileType::RegularFile, name) {
                break;
            }
        }
        reply.ok();
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        let free = 1 << 20;
        reply.statfs(free, free, free, free, free, 4_096, 255, 4_096);
    }
}

#[cfg(test)]
mod tests {
    use super::File;

    #[test]
    fn what_was_synced_is_what_remains() {
        let mut file = File::default();
        file.write(0, b"kept and kept");
        file.sync();
        file.write(5, b"AND");
        file.resize(6);
        file.write(6, b"longer than before");
        assert!(file.lose() > 0);
        assert_eq!(file.bytes, b"kept and kept");
        assert_eq!(file.lose(), 0);
    }
}
