//! A folder of files that many processes read and write at once: a file is there whole or not at all, and those that were
//! used longest ago go once there is too much.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// A file that is read notes so when it has not for so long.
const NOTED: Duration = Duration::from_secs(60 * 60);

/// Age at which a file that an ended process left half written is removed.
const LEFT: Duration = Duration::from_secs(60 * 60);

/// The folder is looked through about as often as this part of what it may hold is written.
const PART: u64 = 64;

#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// Bytes that it may hold.
    limit: u64,
    /// Bytes that this process has written.
    written: AtomicU64,
}

impl Folder {
    /// A folder, made if there is none; `None` if it cannot be made or belongs to somebody else, or if others may write to it:
    /// what it holds is run.
    pub(super) fn open(path: &Path, limit: u64) -> Option<Self> {
        if !path.is_dir() {
            make(path).ok()?;
        }
        let is_own = fs::metadata(path).is_ok_and(|found| found.is_dir() && is_own(&found));
        is_own.then(|| Self { path: path.to_owned(), limit, written: AtomicU64::new(0) })
    }

    /// Contents of the file of this name, if there is one.
    pub(super) fn read(&self, name: &str) -> Option<Vec<u8>> {
        let path = self.path.join(name);
        // To open a pipe waits for somebody who writes.
        if !fs::metadata(&path).ok()?.is_file() {
            return None;
        }
        let mut file = File::open(&path).ok()?;
        let found = file.metadata().ok()?;
        if !is_own(&found) || found.len() > self.limit {
            return None;
        }
        let mut bytes = Vec::with_capacity(found.len() as usize);
        file.read_to_end(&mut bytes).ok()?;
        note(&path, &found);
        Some(bytes)
    }

    /// Makes the file of this name hold this.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let half = self.path.join(format!(".{name}.{}.{count}", std::process::id()));
        let written = write_new(&half, bytes).and_then(|()| fs::rename(&half, self.path.join(name)));
        if written.is_err() {
            let _ = fs::remove_file(&half);
        }
        written?;
        let before = self.written.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        if self.is_time(before, bytes.len() as u64) {
            self.make_room()?;
        }
        Ok(())
    }

    /// True if it is time to look through the folder. Processes that write little each do so as often in all
    /// as one that writes much.
    fn is_time(&self, before: u64, bytes: u64) -> bool {
        let part = (self.limit / PART).max(1);
        let nanos = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |t| t.subsec_nanos());
        let by_chance = u64::from(nanos / 100) % part < bytes;
        by_chance || before / part != (before + bytes) / part
    }

    /// Removes what was used longest ago until the rest is well below what there may be.
    fn make_room(&self) -> io::Result<()> {
        let mut files: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for item in fs::read_dir(&self.path)? {
            let item = item?;
            // A file may be gone by now: others make room too.
            let Ok(found) = item.metadata() else { continue };
            let used = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            if item.file_name().as_encoded_bytes().starts_with(b".") {
                if used.elapsed().is_ok_and(|since| since > LEFT) {
                    let _ = fs::remove_file(item.path());
                }
            } else if found.is_file() {
                files.push((used, found.len(), item.path()));
            }
        }
        let mut held: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        if held <= self.limit {
            return Ok(());
        }
        files.sort();
        for (_, bytes, path) in files {
            if held <= self.limit - self.limit / 8 {
                break;
            }
            held -= bytes;
            let _ = fs::remove_file(path);
        }
        Ok(())
    }
}

fn make(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// True if nobody else may have written it.
fn is_own(found: &Metadata) -> bool {
    #[cfg(unix)]
    let others_write = std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o022 != 0;
    #[cfg(not(unix))]
    let others_write = false;
    gw_runtime::is_trusted(found) && !others_write
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(bytes)
}

/// Notes that a file is used.
fn note(path: &Path, found: &Metadata) {
    let since = found.modified().ok().and_then(|used| used.elapsed().ok());
    if since.is_some_and(|since| since > NOTED) {
        let noted = File::options().write(true).open(path);
        let _ = noted.and_then(|file| file.set_modified(SystemTime::now()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own for a test, gone when the test is.
    struct Place(PathBuf);

    impl Place {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("graphwright-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            Self(path)
        }

        fn names(&self) -> Vec<String> {
            let items = fs::read_dir(&self.0).expect("a folder");
            let mut names: Vec<_> =
                items.map(|item| item.expect("an item").file_name().to_string_lossy().into_owned()).collect();
            names.sort();
            names
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn what_is_written_is_read_and_replaced() {
        let place = Place::new("written");
        let folder = Folder::open(&place.0.join("inside"), 1 << 20).expect("a folder");
        assert_eq!(folder.read("a"), None);
        folder.write("a", b"one").expect("written");
        folder.write("a", b"another").expect("written");
        assert_eq!(folder.read("a").as_deref(), Some(&b"another"[..]));
        assert_eq!(Place(place.0.join("inside")).names(), ["a"]);
    }

    #[test]
    fn what_was_used_longest_ago_goes_first() {
        let place = Place::new("bound");
        let folder = Folder::open(&place.0, 1000).expect("a folder");
        let long_ago = SystemTime::now() - Duration::from_secs(3 * 60 * 60);
        for (at, name) in ["a", "b", "c"].into_iter().enumerate() {
            folder.write(name, &[0; 300]).expect("written");
            let file = File::options().write(true).open(place.0.join(name)).expect("a file");
            file.set_modified(long_ago + Duration::from_secs(at as u64)).expect("a time");
        }
        assert!(folder.read("a").is_some());
        folder.write("d", &[0; 300]).expect("written");
        assert_eq!(place.names(), ["a", "d"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_no_file() {
        let place = Place::new("pipe");
        let folder = Folder::open(&place.0, 1000).expect("a folder");
        let made = std::process::Command::new("mkfifo").arg(place.0.join("a")).status();
        assert!(made.is_ok_and(|status| status.success()));
        assert!(folder.read("a").is_none());
        folder.write("a", b"in its place").expect("written");
        assert_eq!(folder.read("a").as_deref(), Some(&b"in its place"[..]));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_others_may_write_to_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let place = Place::new("open");
        assert!(Folder::open(&place.0, 1000).is_some());
        let mode = |mode| fs::set_permissions(&place.0, fs::Permissions::from_mode(mode)).expect("a mode");
        assert_eq!(fs::metadata(&place.0).expect("a folder").permissions().mode() & 0o777, 0o700);
        mode(0o777);
        assert!(Folder::open(&place.0, 1000).is_none());
        mode(0o755);
        assert!(Folder::open(&place.0, 1000).is_some());
    }
}
