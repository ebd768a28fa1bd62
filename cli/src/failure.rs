//! What ends a run early, and with which exit code.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Why a run ended early. Each message names the file, the fault and the remedy.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Arguments that do not fit together.
    #[error("{0}")]
    Usage(String),
    /// An input file that does not hold what it should.
    #[error("{}: {fault}", path.display())]
    Input { path: PathBuf, fault: String },
    /// An input file that cannot be read.
    #[error("{}: cannot be read ({source}): {}", path.display(), reading(source))]
    Read { path: PathBuf, source: io::Error },
    /// An output file that cannot be written.
    #[error("{}: cannot be written ({source}): {}", path.display(), writing(source))]
    Write { path: PathBuf, source: io::Error },
    /// The file system of an output has too little room, found before anything is written.
    #[error("{}: needs {needed} bytes, but only {free} are free: free some space, or write elsewhere", path.display())]
    Space { path: PathBuf, needed: u64, free: u64 },
    /// The same, where a temporary file stands for a pipe or a device.
    #[error("{}: needs {needed} bytes, but only {free} are free in {}: {SPOOLING}", path.display(), spools())]
    SpoolSpace { path: PathBuf, needed: u64, free: u64 },
    /// That temporary file cannot be made or written.
    #[error("{}: its temporary file in {} failed ({source}): {SPOOLING}", path.display(), spools())]
    Spool { path: PathBuf, source: io::Error },
    /// An output that is larger than files of this process may be.
    #[error(
        "{}: needs {needed} bytes, but files may have {limit} at most: raise that limit (ulimit -f)",
        path.display()
    )]
    SizeLimit { path: PathBuf, needed: u64, limit: u64 },
    /// An output of several ranks that are not on one machine.
    #[error(
        "{}: this machine does not have the file that the first rank has made for it: write to a file system that all \
         machines share",
        path.display()
    )]
    NotShared { path: PathBuf },
    /// An output of several machines where they would destroy each other's part.
    #[error(
        "{}: several machines cannot write parts of a file on NFS: write to a parallel file system, or start all ranks \
         on one machine",
        path.display()
    )]
    Nfs { path: PathBuf },
    /// The host has too little memory.
    #[error("{}: out of memory ({bytes} bytes more are needed): split the batch into several files", path.display())]
    Memory { path: PathBuf, bytes: usize },
    /// Kernels that are not accurate.
    #[error("{failed} of {all} checks on {device} failed (see the table): please report it")]
    Verify { failed: usize, all: usize, device: String },
    /// What has gone wrong on one of the ranks, as all have heard.
    #[error("{text}")]
    Told { text: String, code: u8 },
    /// What the library says.
    #[error(transparent)]
    Library(warplu::Error),
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    pub(crate) fn input(path: &Path, fault: impl Into<String>) -> Self {
        Self::Input { path: path.to_owned(), fault: fault.into() }
    }

    pub(crate) fn read(path: &Path, source: io::Error) -> Self {
        Self::Read { path: path.to_owned(), source }
    }

    pub(crate) fn write(path: &Path, source: io::Error) -> Self {
        Self::Write { path: path.to_owned(), source }
    }

    /// The temporary file for the pipe or device at `path`.
    pub(crate) fn spool(path: &Path, source: io::Error) -> Self {
        Self::Spool { path: path.to_owned(), source }
    }

    pub(crate) fn memory(path: &Path, bytes: usize) -> Self {
        Self::Memory { path: path.to_owned(), bytes }
    }

    /// 2 for what the user can mend in the command or its input, 1 for what went wrong while running.
    pub(crate) fn exit_code(&self) -> u8 {
        use warplu::Error::{AlgorithmTooLarge, Shape, UnknownAlgorithm, UnknownDevice, Unsupported};
        match self {
            Self::Usage(_)
            | Self::Input { .. }
            | Self::NotShared { .. }
            | Self::Nfs { .. }
            | Self::Library(
                AlgorithmTooLarge { .. } | Shape(_) | UnknownAlgorithm(_) | UnknownDevice(_) | Unsupported(_),
            ) => 2,
            Self::Told { code, .. } => *code,
            Self::Read { source, .. } if is_absent(source.kind()) => 2,
            _ => 1,
        }
    }
}

/// What a source or a sink says, on its way through the library.
impl From<Failure> for io::Error {
    fn from(failure: Failure) -> Self {
        Self::other(failure)
    }
}

impl From<warplu::Error> for Failure {
    fn from(error: warplu::Error) -> Self {
        match error {
            warplu::Error::Io(e) => e.downcast().unwrap_or_else(|e| Self::Library(warplu::Error::Io(e))),
            _ => Self::Library(error),
        }
    }
}

fn is_absent(kind: ErrorKind) -> bool {
    use ErrorKind::{IsADirectory, NotADirectory, NotFound, PermissionDenied};
    matches!(kind, NotFound | PermissionDenied | IsADirectory | NotADirectory)
}

fn reading(source: &io::Error) -> &'static str {
    match source.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => "check the path",
        ErrorKind::PermissionDenied => "check its permissions",
        ErrorKind::IsADirectory => "give a .npy file, not a directory",
        _ => "check the disk, or copy the file elsewhere",
    }
}

fn writing(source: &io::Error) -> &'static str {
    match source.kind() {
        ErrorKind::NotFound => "create its directory first",
        ErrorKind::NotADirectory => "check the path",
        ErrorKind::BrokenPipe => "let its reader stay to the end",
        ErrorKind::IsADirectory => "give a file, not a directory",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => "check the permissions, or write elsewhere",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free some space, or write elsewhere",
        _ => "check the disk, or write elsewhere",
    }
}

/// What helps where temporary files are made.
const SPOOLING: &str = "free some space there, or name another directory in TMPDIR";

fn spools() -> String {
    std::env::temp_dir().display().to_string()
}
