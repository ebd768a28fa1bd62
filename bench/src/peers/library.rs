//! Where NVIDIA's libraries are.

use std::env;
use std::path::{Path, PathBuf};

use libloading::Library;

use crate::failure::{Failure, Result};

/// The variable that names the folder to look in first.
const FOLDER: &str = "WARPLU_CUDA_LIBRARIES";
/// What cuBLAS and cuSOLVER are linked with, each after those that it needs itself.
const COMPANIONS: [&str; 4] = ["nvJitLink", "cublasLt", "cublas", "cusparse"];

/// Opens `lib<stem>.so.<major>`, of the first major version that is found: in the folder that the user names, where the
/// loader looks, and where CUDA toolkits are. It stays open: what it has the process do at its end is part of it.
pub(super) fn open(stem: &str, majors: &[u32]) -> Result<&'static Library> {
    let mut reason = None;
    for folder in folders() {
        for major in majors {
            let path = folder.join(format!("lib{stem}.so.{major}"));
            match load(&path).or_else(|error| if load_companions(&folder) { load(&path) } else { Err(error) }) {
                Ok(library) => return Ok(Box::leak(Box::new(library))),
                // Of a file that is there, the loader knows what is wrong.
                Err(error) if path.exists() => reason = reason.or_else(|| Some(loaders_words(&error))),
                Err(_) => {}
            }
        }
    }
    let versions: Vec<_> = majors.iter().map(|major| format!("lib{stem}.so.{major}")).collect();
    let reason = reason.unwrap_or_else(|| format!("no {}", versions.join(", ")));
    Err(Failure::Bench(format!(
        "{stem} does not open ({reason}): install the CUDA toolkit, or name the folder of its libraries in {FOLDER}"
    )))
}

fn load(path: &Path) -> std::result::Result<Library, libloading::Error> {
    // SAFETY: NVIDIA's initialisers are made to run in any process.
    unsafe { Library::new(path) }
}

/// Opens, for good, what the libraries of a folder need of each other: not every loader looks there for it.
fn load_companions(folder: &Path) -> bool {
    let versions = (11..=13).flat_map(|major| COMPANIONS.map(|stem| folder.join(format!("lib{stem}.so.{major}"))));
    let found: Vec<_> = versions.filter(|path| path.exists()).filter_map(|path| load(&path).ok()).collect();
    let any = !found.is_empty();
    std::mem::forget(found);
    any
}

/// A function of a library.
///
/// # Safety
/// `F` is the type of that function.
pub(super) unsafe fn function<F: Copy>(library: &'static Library, name: &str) -> Result<F> {
    // SAFETY: the caller's promise; the library stays open.
    let found = unsafe { library.get::<F>(name) };
    let missing = |_| Failure::Bench(format!("the library has no {name}: use one of CUDA 11 or later"));
    Ok(*found.map_err(missing)?)
}

fn folders() -> impl Iterator<Item = PathBuf> {
    let named = env::var_os(FOLDER).map(PathBuf::from);
    let toolkits =
        ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os).map(|root| Path::new(&root).join("lib64"));
    // A name without a folder is looked up by the loader.
    named.into_iter().chain([PathBuf::new()]).chain(toolkits).chain([PathBuf::from("/usr/local/cuda/lib64")])
}

fn loaders_words(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}
