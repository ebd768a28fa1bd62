//! Output files: written beside their place, and moved there when all is well.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

use crate::failure::{Failure, Result};

/// Bytes that are gathered before they are written.
const BUFFER: usize = 1 << 20;

/// Temporary files to be removed when the user interrupts the run.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// An output file that does not exist yet, though it is sure that it can be made.
#[derive(Debug)]
pub(crate) struct Output {
    /// As the user named it.
    name: PathBuf,
    /// Where links lead.
    path: PathBuf,
    target: Target,
}

#[derive(Debug)]
enum Target {
    Temporary(NamedTempFile),
    /// A pipe or a device, which cannot be replaced.
    Special(File),
}

impl Output {
    /// Opens a new file beside `name`; what is at `name` stays untouched until [`Self::commit`].
    pub(crate) fn create(name: &Path) -> Result<Self> {
        let fail = |e| Failure::write(name, e);
        let path = fs::canonicalize(name).unwrap_or_else(|_| name.to_owned());
        let target = match fs::metadata(&path) {
            Ok(found) if found.is_dir() => return Err(fail(io::ErrorKind::IsADirectory.into())),
            Ok(found) if found.permissions().readonly() => return Err(fail(io::ErrorKind::PermissionDenied.into())),
            Ok(found) if !found.is_file() => Target::Special(OpenOptions::new().write(true).open(&path).map_err(fail)?),
            _ if path.file_name().is_none() => return Err(fail(io::ErrorKind::IsADirectory.into())),
            _ => Target::Temporary(temporary(&path).map_err(fail)?),
        };
        Ok(Self { name: name.to_owned(), path, target })
    }

    /// Fails if two of the files are one.
    pub(crate) fn expect_distinct(outputs: &[&Self]) -> Result<()> {
        let place =
            |o: &Self| (o.path.parent().and_then(|p| resolve(p).ok()), o.path.file_name().map(ToOwned::to_owned));
        for (i, one) in outputs.iter().enumerate() {
            if matches!(one.target, Target::Temporary(_)) && outputs[..i].iter().any(|other| place(other) == place(one))
            {
                let name = one.name.display();
                return Err(Failure::Usage(format!("{name} is named for two outputs: give each a file of its own")));
            }
        }
        Ok(())
    }

    /// Fills the file.
    pub(crate) fn write(&mut self, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        let file = match &mut self.target {
            Target::Temporary(file) => file.as_file_mut(),
            Target::Special(file) => file,
        };
        let mut buffered = BufWriter::with_capacity(BUFFER, file);
        fill(&mut buffered).and_then(|()| buffered.flush()).map_err(|e| Failure::write(&self.name, e))
    }

    /// Moves the file to its place.
    pub(crate) fn commit(self) -> Result<()> {
        let Target::Temporary(file) = self.target else { return Ok(()) };
        file.persist(&self.path).map(drop).map_err(|e| Failure::write(&self.name, e.error))
    }
}

fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    let directory = path.parent().unwrap_or(Path::new(""));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".warplu-");
    #[cfg(unix)]
    {
        // As for any new file, the user's mask decides; a replaced file keeps its permissions.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    // The lock is held so that an interrupt either comes first or knows of the file.
    let mut list = list();
    let file = builder.tempfile_in(resolve(directory)?)?;
    list.push(file.path().to_owned());
    drop(list);
    if let Ok(old) = fs::metadata(path) {
        file.as_file().set_permissions(old.permissions())?;
    }
    Ok(file)
}

fn resolve(directory: &Path) -> io::Result<PathBuf> {
    if directory.as_os_str().is_empty() { fs::canonicalize(".") } else { fs::canonicalize(directory) }
}

fn list() -> MutexGuard<'static, Vec<PathBuf>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has temporary files removed when the user interrupts the run.
pub(crate) fn remove_when_interrupted() {
    // Where another handler is in place, as under nohup, it stays.
    let _ = ctrlc::try_set_handler(|| {
        for path in list().iter() {
            let _ = fs::remove_file(path);
        }
        std::process::exit(130);
    });
}
