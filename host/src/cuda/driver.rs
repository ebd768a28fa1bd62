//! Opens NVIDIA's driver library, when a GPU is first asked for.

use std::error::Error;
use std::sync::OnceLock;

use libloading::Library;

use super::call::call;
use super::error::CudaError;
use super::symbols::SYMBOLS;

/// The names the library goes by: the unversioned one is what some containers have.
#[cfg(not(windows))]
const LIBRARIES: &[&str] = &["libcuda.so.1", "libcuda.so"];
#[cfg(windows)]
const LIBRARIES: &[&str] = &["nvcuda.dll"];

/// The open library, never closed: the symbols jump into it. Or why it did not open.
static DRIVER: OnceLock<Result<Library, String>> = OnceLock::new();

/// Opens the driver library and points the symbols at it, once per process.
fn open() -> Result<Library, String> {
    let mut first = None;
    for name in LIBRARIES {
        // SAFETY: the driver's initialisers are made to run in any process.
        match unsafe { Library::new(*name) } {
            Ok(library) => {
                fill(&library);
                return Ok(library);
            }
            Err(error) => first = first.or(Some(error)),
        }
    }
    // The loader's own words are one level down, and on Linux name the library.
    let words = first.as_ref().and_then(Error::source);
    let words = words.map_or_else(|| "does not open".into(), ToString::to_string);
    match words.starts_with(LIBRARIES[0]) {
        true => Err(words),
        false => Err(format!("{}: {words}", LIBRARIES[0])),
    }
}

/// Points every symbol at its function in `library`. A function that an old driver lacks stays at the stub.
fn fill(library: &Library) {
    for symbol in SYMBOLS {
        // SAFETY: read as an address only.
        let found = unsafe { library.get::<unsafe extern "C" fn()>(symbol.name) };
        if let Ok(function) = found {
            // SAFETY: found under the symbol's own name, and the library is never closed.
            unsafe { symbol.fill(*function as *mut _) };
        }
    }
}

/// Opens and initialises the driver. Cheap after the first time.
pub(super) fn load() -> Result<(), CudaError> {
    if let Err(reason) = DRIVER.get_or_init(open) {
        return Err(CudaError::NoDriver { reason: reason.clone() });
    }
    // SAFETY: may be called at any time, any number of times.
    match unsafe { call!(cuInit(0)) } {
        Err(CudaError::Driver { code: 100, .. }) => Err(CudaError::NoDevice),
        other => other,
    }
}

/// The newest CUDA version that the driver supports, such as 13.0.
pub(super) fn version() -> Result<String, CudaError> {
    let mut version = 0;
    // SAFETY: writes one integer.
    unsafe { call!(cuDriverGetVersion(&mut version)) }?;
    Ok(format!("{}.{}", version / 1000, version % 1000 / 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_library_is_reported_with_its_name() {
        // With a driver there is nothing to report.
        if let Err(CudaError::NoDriver { reason }) = load() {
            assert!(reason.contains(LIBRARIES[0]), "{reason}");
        }
    }

    #[test]
    fn symbols_answer_through_cust_without_a_driver() {
        if DRIVER.get_or_init(open).is_err() {
            let error = cust::init(cust::CudaFlags::empty()).unwrap_err();
            assert_eq!(error, cust::error::CudaError::NoDevice);
        }
    }
}
