//! What ends a run early, and with which exit code.

use std::io;
use std::path::PathBuf;

/// Why a run ended early, or what could not be measured.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Arguments that do not fit together.
    #[error("{0}")]
    Usage(String),
    /// The file of results cannot be written.
    #[error("{}: cannot be written ({source})", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// Measurements that cannot be made, or are of wrong results.
    #[error("{0}")]
    Bench(String),
    /// What the library says.
    #[error(transparent)]
    Library(#[from] warplu::Error),
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// 2 for what the user can mend in the command, 1 for what went wrong while running.
    pub(crate) fn exit_code(&self) -> u8 {
        use warplu::Error::{AlgorithmTooLarge, Shape, UnknownAlgorithm, UnknownDevice, Unsupported};
        match self {
            Self::Usage(_)
            | Self::Library(
                AlgorithmTooLarge { .. } | Shape(_) | UnknownAlgorithm(_) | UnknownDevice(_) | Unsupported(_),
            ) => 2,
            Self::Write { .. } | Self::Bench(_) | Self::Library(_) => 1,
        }
    }
}
