//! Opens NVIDIA's driver library, when a GPU is first asked for. Without the feature `cuda` nothing does.

use std::sync::OnceLock;

#[cfg(feature = "cuda")]
use libloading::Library;

use super::error::CudaError;
use super::table::Table;

/// The names the library goes by: the unversioned one is what some containers have.
#[cfg(all(feature = "cuda", not(windows)))]
const LIBRARIES: &[&str] = &["libcuda.so.1", "libcuda.so"];
#[cfg(all(feature = "cuda", windows))]
const LIBRARIES: &[&str] = &["nvcuda.dll"];

/// The driver, or why it did not open.
static DRIVER: OnceLock<Result<Driver, String>> = OnceLock::new();

/// The open library, which is never closed, and its functions.
struct Driver {
    table: Table,
    #[cfg(feature = "cuda")]
    #[cfg_attr(not(feature = "cust"), expect(dead_code, reason = "keeps the functions loaded"))]
    library: Library,
}

/// Why there is no driver.
#[cfg(not(feature = "cuda"))]
fn open() -> Result<Driver, String> {
    Err("this build has no GPU support".to_owned())
}

/// Opens the driver library and reads its functions, once per process.
#[cfg(feature = "cuda")]
fn open() -> Result<Driver, String> {
    let mut first = None;
    for name in LIBRARIES {
        // SAFETY: the driver's initialisers are made to run in any process.
        match unsafe { Library::new(*name) } {
            Ok(library) => {
                // SAFETY: opened under the driver's name, and kept beside the table.
                let table = unsafe { Table::read(&library) };
                return Ok(Driver { table, library });
            }
            Err(error) => first = first.or(Some(error)),
        }
    }
    // The loader's own words are one level down, and on Linux name the library.
    let words = first.as_ref().and_then(std::error::Error::source);
    let words = words.map_or_else(|| "does not open".into(), ToString::to_string);
    match words.starts_with(LIBRARIES[0]) {
        true => Err(words),
        false => Err(format!("{}: {words}", LIBRARIES[0])),
    }
}

/// The driver, which the first call opens.
fn driver() -> Result<&'static Driver, CudaError> {
    DRIVER.get_or_init(open).as_ref().map_err(|reason| CudaError::NoDriver { reason: reason.clone() })
}

/// The driver's functions.
pub(super) fn table() -> Result<&'static Table, CudaError> {
    Ok(&driver()?.table)
}

/// The driver's library.
#[cfg(feature = "cust")]
pub(super) fn library() -> Result<&'static Library, CudaError> {
    Ok(&driver()?.library)
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use super::*;

    #[test]
    fn missing_library_is_reported_with_its_name() {
        // With a driver there is nothing to report.
        if let Err(CudaError::NoDriver { reason }) = table() {
            assert!(reason.contains(LIBRARIES[0]), "{reason}");
        }
    }
}
