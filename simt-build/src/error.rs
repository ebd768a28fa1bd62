//! What can go wrong, and what to do about it.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::{fmt, io};

/// An error of a build. `{:?}` is the message too, so that it can be read where a build script's `main` returns it.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The architecture is none.
    #[error("unknown architecture {0:?}: use sm_ and a compute capability, such as sm_80 for 8.0")]
    Arch(String),

    /// A program cannot be started.
    #[error("cannot run `{command}`: {source}{}", remedy(command, source))]
    Spawn {
        /// The command.
        command: String,
        /// Why.
        source: io::Error,
    },

    /// A program has failed.
    #[error("{output}`{command}` failed: {status}")]
    Command {
        /// The command.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// What it printed: the compiler's errors.
        output: String,
    },

    /// A file cannot be read or written.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },

    /// A file lacks something.
    #[error("{path}: {fault}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What.
        fault: String,
    },

    /// The compiler, or a part of it, is not installed.
    #[error(
        "the kernels need {channel} with {missing}; run\n    \
         rustup toolchain install {channel} --profile minimal --component rust-src"
    )]
    Toolchain {
        /// The toolchain.
        channel: String,
        /// The part.
        missing: &'static str,
    },

    /// The compiler wrote what this crate does not know.
    #[error("unexpected PTX, adapt simt-build/src/ptx.rs: {0}")]
    Syntax(String),

    /// The PTX has no entry point.
    #[error("{path} has no kernel: write it in `simt::kernels! {{ ... }}`", path = .0.display())]
    NoEntry(PathBuf),

    /// Kernels that must not be shipped.
    #[error(
        "kernels that must not be shipped (a panic path comes from an index, a division by a variable, `unwrap` and \
         their like; an array stays in registers if only loops with constant bounds index it, and otherwise \
         `Kernels::allow_local_memory` allows it):{}",
        .0.iter().map(|fault| format!("\n    {fault}")).collect::<String>()
    )]
    Faults(Vec<String>),

    /// There is no `OUT_DIR`.
    #[error("OUT_DIR is not set, so this is no build script: write Ptx::text() to a file of your own")]
    NoOutDir,
}

impl Error {
    /// For `map_err`: an I/O error of a path.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { path: path.to_path_buf(), source }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What to do where a program is not there.
fn remedy(command: &str, source: &io::Error) -> &'static str {
    if source.kind() == io::ErrorKind::NotFound && command.starts_with("rustup") {
        "; it brings the compiler of the kernels: install it from https://rustup.rs"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_say_what_to_do() {
        let not_found = || io::Error::from(io::ErrorKind::NotFound);
        let error = Error::Spawn { command: "rustup run nightly rustc".to_owned(), source: not_found() };
        assert!(format!("{error:?}").contains("https://rustup.rs"));
        let error = Error::Toolchain { channel: "nightly-2030-01-02".to_owned(), missing: "rust-src" };
        assert!(error.to_string().contains("rustup toolchain install nightly-2030-01-02 --profile minimal"));
        let error = Error::Faults(vec!["scale (sm_80): a panic path".to_owned(), "sum (sm_80): another".to_owned()]);
        assert!(error.to_string().contains("\n    scale (sm_80): a panic path\n    sum"));
    }
}
