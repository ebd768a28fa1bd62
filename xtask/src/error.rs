//! What can go wrong, and what to do about it.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A figure that is none.
    #[error("there is no figure {0:?}: use {1}")]
    Figure(String, String),
    #[error("cannot run `{command}`: {source}")]
    Spawn { command: String, source: io::Error },

    #[error("{output}`{command}` failed: {status}")]
    Command { command: String, status: std::process::ExitStatus, output: String },

    #[error("{path}: {source}", path = path.display())]
    Io { path: PathBuf, source: io::Error },

    #[error(transparent)]
    Kernels(#[from] simt_build::Error),

    #[error("ptxas not found: pass --ptxas PATH, or set CUDA_HOME, CUDA_PATH or PATH")]
    NoPtxas,

    #[error("{path} compiles for no architecture from sm_{sm} on: use another ptxas", path = path.display())]
    PtxasArch { path: PathBuf, sm: u32 },

    #[error("the PTX of {folder} for sm_{sm} and its table of entry points differ:{differences}")]
    Entries { folder: &'static str, sm: u32, differences: List },

    #[error("kernels that must not be shipped, correct their sources:{0}")]
    Faults(List),

    #[error("the PTX is out of date, run `cargo xtask kernels`:{0}")]
    Stale(List),

    #[error("{path}: {fault}", path = path.display())]
    Measurements { path: PathBuf, fault: String },

    #[error("there is no kernel {name} for {dtype}: measure again with the kernels that there are")]
    Kernel { name: String, dtype: String },

    #[error("no measurement is one of a single kernel: measure with `warplu-bench --kernel all`")]
    NoKernels,

    #[error("nothing to compare: no operation is measured of warplu (algorithm auto) and of another library")]
    NoPeers,

    #[error("nothing to compare: no operation is measured of warplu and of faer, nalgebra, OpenBLAS or MKL, on a CPU")]
    NoCpuPeers,

    #[error("{case} is measured twice, differently: give files whose tables are to be one{rows}")]
    Clash { case: String, rows: List },

    #[error("nothing to plot: no row has what the y axis shows")]
    NoPoints,

    #[error("deny.toml: {0}")]
    Policy(String),

    #[error("dependencies that deny.toml does not allow:{0}")]
    Dependencies(List),

    #[error("no `cargo deny` to ask for advisories with: `cargo install --locked cargo-deny`")]
    NoCargoDeny,

    #[error("a program that uses warplu with the feature `cuda`{0}")]
    Dependent(List),

    #[error("cannot fetch CUDA's headers, set CUDA_TOOLKIT_PATH to a toolkit of CUDA 13 instead: {source}")]
    Headers { source: Box<Error> },

    #[error("no libclang to read CUDA's headers with: install it (Debian: libclang-dev), or set LIBCLANG_PATH")]
    NoLibclang,

    #[error("{said}what the tutorial shows is not in this:{missing}")]
    Tutorial { missing: List, said: String },

    #[error("the tutorial has {0}")]
    Syntax(String),

    #[error("xtask/limits.toml:{0}")]
    Limits(List),

    #[error("numbers without a limit, which the same command with `--lower` gives them; in xtask/limits.toml:{0}")]
    NoLimit(List),

    #[error(
        "above the limits of xtask/limits.toml, make it smaller, or raise the limit in a commit whose body says why:{0}"
    )]
    Above(List),

    #[error("step `{step}` failed: {source}")]
    Step { step: &'static str, source: Box<Error> },
}

impl Error {
    /// For `map_err`: an I/O error of a path.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { path: path.to_path_buf(), source }
    }
}

/// Lines of a message.
#[derive(Debug, Default)]
pub(crate) struct List(pub(crate) Vec<String>);

impl List {
    /// `Ok` when there is nothing to say.
    pub(crate) fn none_or(self, error: impl FnOnce(Self) -> Error) -> Result<(), Error> {
        if self.0.is_empty() { Ok(()) } else { Err(error(self)) }
    }
}

impl Display for List {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|line| write!(f, "\n    {line}"))
    }
}
