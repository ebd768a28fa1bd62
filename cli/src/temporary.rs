//! Temporary files beside outputs, which do not outlive the run.

use std::fs::{self, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{NamedTempFile, TempPath};

/// How their names begin.
const PREFIX: &str = ".warplu-";

/// Files to be removed when the user interrupts the run.
static ALL: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A new file in the directory of `path`, which it may replace.
pub(crate) fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        // As for any new file, the user's mask decides.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(Permissions::from_mode(0o666));
    }
    // The lock is held so that an interrupt either comes first or knows of the file.
    let mut all = hold();
    let file = builder.tempfile_in(directory(path))?;
    all.push(file.path().to_owned());
    drop(all);
    if let Ok(old) = fs::metadata(path) {
        file.as_file().set_permissions(plain(old.permissions()))?;
    }
    Ok(file)
}

/// A second name for what is at `path`, made by `make`.
pub(crate) fn name_beside(path: &Path, make: impl FnMut(&Path) -> io::Result<()>) -> io::Result<TempPath> {
    tempfile::Builder::new().prefix(PREFIX).make_in(directory(path), make).map(NamedTempFile::into_temp_path)
}

/// Keeps interrupts waiting until the guard is dropped.
pub(crate) fn hold() -> MutexGuard<'static, Vec<PathBuf>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has temporary files removed when the user interrupts the run.
pub(crate) fn remove_when_interrupted() {
    // Where another handler is in place, as under nohup, it stays.
    let _ = ctrlc::try_set_handler(|| {
        // Held to the end, so that no more of them are made.
        let all = hold();
        for path in all.iter() {
            let _ = fs::remove_file(path);
        }
        exit(130);
    });
}

/// Ends the program at once: what runs at an ordinary exit would pull a GPU's driver from under the threads at work.
fn exit(code: i32) -> ! {
    #[cfg(unix)]
    // SAFETY: ends the process, whatever its other threads do.
    unsafe {
        libc::_exit(code)
    }
    #[cfg(not(unix))]
    std::process::exit(code)
}

/// The directory of a file; the path is absolute.
pub(crate) fn directory(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

/// Those of a replaced file stay, but a new owner's file takes nobody's identity.
fn plain(permissions: Permissions) -> Permissions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        Permissions::from_mode(permissions.mode() & 0o777)
    }
    #[cfg(not(unix))]
    permissions
}
