//! What can go wrong.

use std::{fmt, io};

use crate::status::Status;

/// An error of warplu. Each message names the fault and what to do; `{:?}` is the message too, so that it can be read
/// where `main` returns it.
///
/// A singular or non-finite matrix is no error: its [`Status`] says so and the others are unaffected.
///
/// ```
/// use warplu::{Batch, Device, Error};
/// let error = Device::cpu().invert(&Batch::row_major(&[1.0, 2.0], 1, 1, 2)?).unwrap_err();
/// assert!(matches!(error, Error::Shape(_)));
/// assert_eq!(error.to_string(), "the matrices are 1 x 2: they must be square");
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Slices, strides or batches that do not fit together.
    #[error("{0}")]
    Shape(String),
    /// A device name that is none.
    #[error(
        "unknown device {0:?}: use auto, cpu, sim, cuda, cuda:K (K is the GPU's number, from 0), cuda:0,1 (several), \
         cuda:all or sim:N (N emulators)"
    )]
    UnknownDevice(String),
    /// An algorithm's text that is none.
    #[error("{0}")]
    UnknownAlgorithm(String),
    /// A GPU was asked for in a build without GPUs.
    #[error("this build has no GPU support: build warplu with the feature `cuda`, or use the device `cpu`")]
    NoCuda,
    /// The emulator was asked for in a build without it.
    #[error("this build has no emulator: build warplu with the feature `emulator`, or use the device `cpu`")]
    NoEmulator,
    /// Something was asked of a device that it cannot do.
    #[error("{0}")]
    Unsupported(String),
    /// A matrix does not fit into the memory that the call may use.
    #[error(
        "one matrix needs {needed} bytes of device memory and {available} are available: raise the memory limit or use \
         the device `cpu`"
    )]
    Memory {
        /// Bytes that the smallest possible chunk takes.
        needed: usize,
        /// Bytes that may be used.
        available: usize,
    },
    /// The system has too little memory.
    #[error("out of memory: {bytes} bytes are not to be had; work on fewer matrices at once, or free some memory")]
    HostMemory {
        /// Bytes that were asked for.
        bytes: usize,
    },
    /// The system gives no threads.
    #[error("no threads are to be had ({0}): raise the limit on processes (ulimit -u), or end some")]
    Threads(String),
    /// Matrices that are singular or not finite, where the caller takes none
    /// ([`Statuses::check`](crate::Statuses::check)).
    #[error("{bad} of {batch} matrices cannot be used; the first is matrix {first}, which is {status}")]
    BadMatrices {
        /// How many there are.
        bad: usize,
        /// Of how many.
        batch: usize,
        /// The index of the first.
        first: usize,
        /// Its status.
        status: Status,
    },
    /// The order is beyond what the kernels' launch can hold.
    #[error(
        "matrices of order {n} do not fit the GPU kernels ({bytes} bytes of shared memory, {limit} there): use the \
         device `cpu`"
    )]
    TooLarge {
        /// Order of the matrices.
        n: usize,
        /// Shared memory that a block would take.
        bytes: u64,
        /// Shared memory that a block may have.
        limit: u32,
    },
    /// The order is beyond what an algorithm's launch can hold.
    #[error(
        "matrices of order {n} are too large for {kernel} ({bytes} bytes of shared memory a block, {limit} there): use \
         a smaller panel, or the algorithm `auto`"
    )]
    AlgorithmTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// Order of the matrices.
        n: usize,
        /// Shared memory that a block would take.
        bytes: u32,
        /// Shared memory that a block may have.
        limit: u32,
    },
    /// A source could not be read, or a sink not written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The emulator found a fault in a kernel: please report it.
    #[error("the emulator found a fault in a kernel (a defect of warplu, please report it): {0}")]
    Emulator(#[from] simt::cpu::Fault),
    /// The emulator found a fault in a kernel of the caller's ([`Kernel`](crate::resident::Kernel)).
    #[error("the emulator found a fault in your kernel, correct it there: {0}")]
    Kernel(simt::cpu::Fault),
    /// A GPU or its driver failed.
    #[error(transparent)]
    Cuda(#[from] crate::cuda::CudaError),
    /// One of several devices that worked together failed; the others have stopped.
    #[error("{device}: {source}")]
    OneOfSeveral {
        /// Its name, such as `cuda:1`.
        device: String,
        /// What happened to it.
        source: Box<Self>,
    },
}

impl Error {
    /// Whether a device has too little memory left.
    pub(crate) fn is_out_of_memory(&self) -> bool {
        match self {
            Self::Memory { .. } => true,
            Self::Cuda(error) => error.is_out_of_memory(),
            Self::OneOfSeveral { source, .. } => source.is_out_of_memory(),
            _ => false,
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The result of a fallible call.
///
/// ```
/// use warplu::{Batch, Device};
/// fn determinant(a: &[f64], n: usize) -> warplu::Result<f64> {
///     Ok(Device::cpu().det(&Batch::row_major(a, 1, n, n)?)?.values[0])
/// }
/// assert_eq!(determinant(&[2.0, 1.0, 1.0, 1.0], 2)?, 1.0);
/// # Ok::<(), warplu::Error>(())
/// ```
pub type Result<T> = std::result::Result<T, Error>;

impl From<kernels_cpu::NoMemory> for Error {
    fn from(error: kernels_cpu::NoMemory) -> Self {
        Self::HostMemory { bytes: error.bytes }
    }
}
