//! Other libraries, opened where they are installed.

pub(super) mod cublas;
pub(super) mod cusolver;
mod library;

use std::ffi::c_int;

use warplu::Device;

use self::cublas::Cublas;
use self::cusolver::Cusolver;
use crate::common::tell;
use crate::failure::{Failure, Result};

/// What `--peers` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Peer {
    /// Those that are found
    Auto,
    /// None
    None,
    /// LU, solve and inversion of column-major batches
    Cublas,
    /// LU and solve of one column-major matrix
    Cusolver,
}

/// The libraries to measure beside warplu.
#[derive(Debug, Default)]
pub(crate) struct Peers {
    pub(super) cublas: Option<Cublas>,
    pub(super) cusolver: Option<Cusolver>,
}

impl Peers {
    /// Opens the libraries that `--peers` names, which must be there, or those that are.
    pub(crate) fn open(device: &Device, names: &[Peer]) -> Result<Self> {
        if device.gpu_name().is_none() {
            let named = names.iter().any(|name| matches!(name, Peer::Cublas | Peer::Cusolver));
            let message = format!("other libraries run on GPUs, not on {device}: add --device cuda, or --peers none");
            return if named { Err(Failure::Usage(message)) } else { Ok(Self::default()) };
        }
        let cublas = wanted(names, Peer::Cublas, || Cublas::open(device))?;
        let cusolver = wanted(names, Peer::Cusolver, || Cusolver::open(device))?;
        Ok(Self { cublas, cusolver })
    }
}

/// Opens a library that is named, or that is wanted if it is there.
fn wanted<L>(names: &[Peer], peer: Peer, open: impl FnOnce() -> Result<L>) -> Result<Option<L>> {
    if names.contains(&peer) {
        return open().map(Some);
    }
    if !names.contains(&Peer::Auto) {
        return Ok(None);
    }
    let opened = open();
    if let Err(failure) = &opened {
        tell(format_args!("warplu: bench: without {peer:?}: {failure}"));
    }
    Ok(opened.ok())
}

/// An error unless a call's status is that of success.
fn check(call: &str, status: c_int) -> Result<()> {
    match status {
        0 => Ok(()),
        _ => {
            let list = if call.starts_with("cublas") { "cublasStatus_t" } else { "cusolverStatus_t" };
            Err(Failure::Bench(format!("{call} failed with status {status} (see {list} in NVIDIA's documentation)")))
        }
    }
}

/// A size as these libraries take it.
fn int(size: usize) -> Result<c_int> {
    c_int::try_from(size).map_err(|_| Failure::Bench(format!("{size} is more than the library takes")))
}

/// The letter of a type in LAPACK's names.
fn letter(dtype: crate::dtype::Dtype) -> Option<char> {
    use crate::dtype::Dtype;
    match dtype {
        Dtype::F16 => None,
        Dtype::F32 => Some('S'),
        Dtype::F64 => Some('D'),
        Dtype::C32 => Some('C'),
        Dtype::C64 => Some('Z'),
    }
}

/// One-based pivots as zero-based; 0, which is none, becomes one that leads nowhere.
fn zero_based(pivots: Vec<i32>) -> Vec<u32> {
    pivots.into_iter().map(|pivot| pivot.wrapping_sub(1).cast_unsigned()).collect()
}
