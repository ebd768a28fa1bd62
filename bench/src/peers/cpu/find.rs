//! Where the CPU's libraries are.

use std::env;
use std::ffi::{OsStr, c_void};
use std::fs;
use std::path::{Path, PathBuf};

use libloading::Library;

use crate::failure::{Failure, Result};

/// The variable that names the folders to look in first.
const FOLDERS: &str = "WARPLU_BLAS_LIBRARIES";

/// Opens a library for good: in the folders that the user names a file whose name begins as one of `names`, best the
/// first, else what the loader finds by one of them.
pub(super) fn open(title: &str, names: &[&str]) -> Result<&'static Library> {
    let mut reason = None;
    let installed = names.iter().map(PathBuf::from);
    for path in folders().flat_map(|folder| named(&folder, names)).chain(installed) {
        // SAFETY: the initialisers of numerical libraries are made to run in any process.
        match unsafe { Library::new(&path) } {
            Ok(library) => return Ok(Box::leak(Box::new(library))),
            // Of a file that is there, the loader knows what is wrong.
            Err(error) if path.exists() => reason = reason.or_else(|| Some(error.to_string())),
            Err(_) => {}
        }
    }
    let reason = reason.unwrap_or_else(|| format!("no {}", names.join(", ")));
    Err(Failure::Bench(format!("{title} does not open ({reason}): install it, or name its folder in {FOLDERS}")))
}

/// The files of a folder whose names begin as one of some, in the order of those.
pub(super) fn named(folder: &Path, names: &[&str]) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let rank = |file: &OsStr| names.iter().position(|name| file.as_encoded_bytes().starts_with(name.as_bytes()));
    let mut found: Vec<_> = entries.filter_map(|entry| Some((rank(&entry.file_name())?, entry.path()))).collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}

/// A function of a library.
///
/// # Safety
/// `F` is the type of that function.
pub(super) unsafe fn function<F: Copy>(library: &'static Library, name: &str) -> Result<F> {
    // SAFETY: the caller's promise; the library stays open.
    let found = unsafe { library.get::<F>(name) };
    Ok(*found.map_err(|_| Failure::Bench(format!("the library has no {name}: install a newer one")))?)
}

/// The folder of the file that an address was loaded from.
#[cfg(unix)]
pub(super) fn folder_of(address: *const c_void) -> Option<PathBuf> {
    use std::ffi::CStr;
    use std::os::unix::ffi::OsStrExt;

    // SAFETY: null pointers and a number of zero are what this holds before it is filled.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be asked for.
    if unsafe { libc::dladdr(address, &raw mut info) } == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: a string of the loader's, for as long as the library is open.
    let file = unsafe { CStr::from_ptr(info.dli_fname) };
    Path::new(OsStr::from_bytes(file.to_bytes())).parent().map(Path::to_path_buf)
}

/// Unknown here.
#[cfg(not(unix))]
pub(super) fn folder_of(_: *const c_void) -> Option<PathBuf> {
    None
}

fn folders() -> impl Iterator<Item = PathBuf> {
    let named = env::var_os(FOLDERS).unwrap_or_default();
    env::split_paths(&named).filter(|folder| !folder.as_os_str().is_empty()).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_name_is_the_best() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["libb.so.2", "libb.so-1f", "liba.so", "libc.so", "xliba.so"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let found = named(folder.path(), &["libb.so.", "libb", "liba"]);
        let found: Vec<_> = found.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(found, ["libb.so.2", "libb.so-1f", "liba.so"]);
        assert!(named(&folder.path().join("none"), &["lib"]).is_empty());
    }
}
