//! OpenBLAS.

use std::ffi::{CStr, c_char};

use super::find;
use super::lapack::Blas;
use crate::failure::{Failure, Result};

/// Beginnings of its files' names: a system's, then those of Python packages, with 32- and 64-bit integers.
const NAMES: [&str; 3] = ["libopenblas.so.0", "libopenblas.so", "libscipy_openblas"];
/// What its functions' names begin and end with.
const SPELLINGS: [(&str, &str); 4] = [("", ""), ("scipy_", ""), ("", "64_"), ("scipy_", "64_")];

type GetConfig = unsafe extern "C" fn() -> *const c_char;

/// Opens OpenBLAS where it is installed.
pub(in crate::peers) fn open() -> Result<Blas> {
    let library = find::open("OpenBLAS", &NAMES)?;
    for (prefix, suffix) in SPELLINGS {
        let name = |function: &str| format!("{prefix}openblas_{function}{suffix}");
        // SAFETY: the types are those of OpenBLAS's header.
        let functions = unsafe {
            let get_config = find::function::<GetConfig>(library, &name("get_config"));
            get_config.and_then(|config| Ok((config, find::function(library, &name("set_num_threads"))?)))
        };
        if let Ok((get_config, set_threads)) = functions {
            // SAFETY: a string that is there for as long as the library.
            let config = unsafe { CStr::from_ptr(get_config()) }.to_string_lossy();
            let is_wide = config.contains("USE64BITINT");
            return Ok(Blas { library, prefix, suffix, is_wide, set_threads });
        }
    }
    Err(Failure::Bench("this OpenBLAS has no openblas_set_num_threads: install one of version 0.3".to_owned()))
}
