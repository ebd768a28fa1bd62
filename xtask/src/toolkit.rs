//! The headers of CUDA's toolkit, for programs that are built with them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::error::Error;
use crate::{process, python};

/// Names the toolkit to the build scripts of NVIDIA's crates.
pub(crate) const VARIABLE: &str = "CUDA_TOOLKIT_PATH";

/// They look here, too.
const HOME: &str = "CUDA_HOME";

/// The packages of PyPI that have cuda.h, curand.h, and what these include. Of CUDA 13.0, which is the oldest that the
/// crates take: what they make of its headers suits every driver that they work with.
const WHEELS: [(&str, &str); 3] =
    [("nvidia-cuda-runtime", "13.0.96"), ("nvidia-cuda-crt", "13.0.88"), ("nvidia-curand", "10.4.0.35")];

/// The toolkit to build with, for [`VARIABLE`], unless whoever runs this has set one. It has nothing but headers, which
/// are fetched once.
pub(crate) fn headers() -> Result<Option<PathBuf>, Error> {
    if [VARIABLE, HOME].iter().any(|name| env::var_os(name).is_some()) {
        return Ok(None);
    }
    // Others after these are fetched anew.
    let folder = process::target().join("outside/cuda-headers").join(WHEELS.map(|(_, version)| version).join("-"));
    if !folder.exists() {
        fetch(&folder).map_err(|source| Error::Headers { source: Box::new(source) })?;
    }
    Ok(Some(folder))
}

/// Has pip unpack the packages, and makes `folder` of their headers. It is there in the end, or not at all.
fn fetch(folder: &Path) -> Result<(), Error> {
    say!("fetching CUDA's headers, for which cuRAND's library comes along: 60 MB");
    let parent = folder.parent().unwrap_or(folder);
    fs::create_dir_all(parent).map_err(Error::io(parent))?;
    let temporary = tempfile::tempdir_in(parent).map_err(Error::io(parent))?;
    // Where Python is the system's, it may have no pip but that of environments.
    let environment = temporary.path().join("environment");
    process::output(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    let packages = temporary.path().join("packages");
    let mut install = python::pip(&environment.join("bin/python"));
    install.args(["--no-deps", "--only-binary", ":all:", "--target"]).arg(&packages);
    process::output(install.args(WHEELS.map(|(name, version)| format!("{name}=={version}"))))?;

    let toolkit = packages.join("nvidia/cu13");
    let libraries = toolkit.join("lib");
    fs::remove_dir_all(&libraries).map_err(Error::io(&libraries))?;
    fs::rename(&toolkit, folder).map_err(Error::io(folder))
}

/// Says what to do where a build that reads headers had nothing to read them with: libclang, or its own headers.
pub(crate) fn explain(error: Error) -> Error {
    let is_missing = |output: &str| {
        ["Unable to find libclang", "'stddef.h' file not found"].iter().any(|said| output.contains(said))
    };
    match error {
        Error::Command { output, .. } if is_missing(&output) => Error::NoLibclang,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::process::ExitStatus;

    use super::*;

    #[test]
    fn a_build_without_libclang_says_what_to_install() {
        let fails = |output: &str| {
            let (command, status) = ("cargo build".to_owned(), ExitStatus::default());
            explain(Error::Command { command, status, output: output.to_owned() })
        };
        let panic =
            "thread 'main' panicked at lib.rs:616:27:\nUnable to find libclang: \"couldn't find any valid ...\"";
        assert!(matches!(fails(panic), Error::NoLibclang));
        let header = "/usr/include/stdlib.h:32:10: fatal error: 'stddef.h' file not found";
        assert!(matches!(fails(header), Error::NoLibclang));
        assert!(matches!(fails("error[E0425]: cannot find value `x`"), Error::Command { .. }));
    }

    #[test]
    fn cudas_own_headers_are_of_one_version() {
        let releases = WHEELS.iter().filter(|(name, _)| name.contains("-cuda-"));
        assert!(releases.clone().count() > 1 && releases.clone().all(|(_, version)| version.starts_with("13.0.")));
    }
}
