//! Where the name of an output leads.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Most links that are followed.
const MOST_LINKS: usize = 40;

/// What is at an output's name, links followed.
#[derive(Debug)]
pub(crate) enum Place {
    /// A file that may be replaced, or none; the path is absolute.
    File(PathBuf),
    /// A pipe or a device, which cannot be replaced.
    Special,
}

impl Place {
    pub(crate) fn of(name: &Path) -> io::Result<Self> {
        match fs::metadata(name) {
            Ok(found) if found.is_dir() => Err(ErrorKind::IsADirectory.into()),
            Ok(found) if found.permissions().readonly() => Err(ErrorKind::PermissionDenied.into()),
            Ok(found) if !found.is_file() => Ok(Self::Special),
            Ok(_) => fs::canonicalize(name).map(Self::File),
            Err(e) if e.kind() == ErrorKind::NotFound => new(name).map(Self::File),
            // Among them a loop of links.
            Err(e) => Err(e),
        }
    }
}

/// The path of a file that is to be made. Links that lead nowhere yet are followed, as a shell would.
fn new(name: &Path) -> io::Result<PathBuf> {
    let mut path = name.to_owned();
    let mut links = 0;
    while let Ok(target) = fs::read_link(&path) {
        path = path.parent().unwrap_or(Path::new("")).join(target);
        links += 1;
        if links > MOST_LINKS {
            return Err(io::Error::other("too many links"));
        }
    }
    let is_directory = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    let Some(file) = path.file_name().filter(|_| !is_directory) else { return Err(ErrorKind::IsADirectory.into()) };
    let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(fs::canonicalize(directory)?.join(file))
}
