//! Intel's MKL, as its one library that opens the others.

use std::env;
use std::ffi::{c_int, c_void};
use std::path::Path;

use super::find;
use super::lapack::{Blas, SetThreads};
use crate::failure::{Failure, Result};

const NAMES: [&str; 3] = ["libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"];
/// Where a user says which of its kinds of threads to take; MKL reads it if it is not told.
const LAYER: &str = "MKL_THREADING_LAYER";
/// 32-bit integers.
const LP64: c_int = 0;
/// Its kinds of threads: a number, the file of MKL's, and what that needs. None is told how many by more than these.
const THREADED: [(c_int, &str, &str); 2] =
    [(0, "libmkl_intel_thread.so", "libiomp5.so"), (3, "libmkl_gnu_thread.so", "libgomp.so.1")];
const SEQUENTIAL: (c_int, &str) = (1, "libmkl_sequential.so");

type SetLayer = unsafe extern "C" fn(c_int) -> c_int;

/// Opens MKL where it is installed.
pub(in crate::peers) fn open() -> Result<Blas> {
    let library = find::open("MKL", &NAMES)?;
    // SAFETY: the types are those of MKL's header.
    let (set_interface, set_layer, set_threads) = unsafe {
        (
            find::function::<SetLayer>(library, "MKL_Set_Interface_Layer")?,
            find::function::<SetLayer>(library, "MKL_Set_Threading_Layer")?,
            find::function::<SetThreads>(library, "MKL_Set_Num_Threads")?,
        )
    };
    let folder = find::folder_of(set_threads as *const c_void).unwrap_or_default();
    // MKL ends the program if it does not find them.
    for file in ["libmkl_core.so", "libmkl_intel_lp64.so"] {
        if !has(&folder, file) {
            let folder = folder.display();
            return Err(Failure::Bench(format!("MKL does not open (no {file} in {folder}): install all of it")));
        }
    }
    // SAFETY: numbers of MKL's header, before any other call.
    unsafe { set_interface(LP64) };
    if env::var_os(LAYER).is_none() {
        let layer = layer(&folder)?;
        // SAFETY: as above.
        unsafe { set_layer(layer) };
    }
    Ok(Blas { library, prefix: "", suffix: "", is_wide: false, set_threads })
}

/// The first kind of threads that is complete.
fn layer(folder: &Path) -> Result<c_int> {
    let complete =
        |(_, file, needed): &&(c_int, &str, &str)| has(folder, file) && find::open(needed, &[needed]).is_ok();
    if let Some((layer, ..)) = THREADED.iter().find(complete) {
        return Ok(*layer);
    }
    let (layer, file) = SEQUENTIAL;
    let missing =
        || Failure::Bench(format!("MKL does not open (no {file} in {}): install all of it", folder.display()));
    has(folder, file).then_some(layer).ok_or_else(missing)
}

fn has(folder: &Path, file: &str) -> bool {
    !find::named(folder, &[file]).is_empty()
}
