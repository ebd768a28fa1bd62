//! Other libraries, opened where they are installed.

mod calls;
pub(super) mod cpu;
pub(super) mod cublas;
pub(super) mod cusolver;
mod library;

use warplu::Device;

use self::cpu::Blas;
use self::cublas::Cublas;
use self::cusolver::Cusolver;
use crate::failure::{Failure, Result};
use crate::machine::is_cpu;
use crate::text::tell;

/// What `--peers` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Peer {
    /// Those that are found
    Auto,
    /// None
    None,
    /// On a GPU: LU, solve and inversion of column-major batches
    Cublas,
    /// On a GPU: LU, solve and inversion of one column-major matrix, Cholesky factorization of a batch
    Cusolver,
    /// On the CPU: all but 16-bit types
    Faer,
    /// On the CPU: all but 16-bit types
    Nalgebra,
    /// On the CPU: all but 16-bit types
    Openblas,
    /// On the CPU: all but 16-bit types
    Mkl,
}

/// The libraries to measure beside warplu.
#[derive(Debug, Default)]
pub(crate) struct Peers {
    pub(super) cublas: Option<Cublas>,
    pub(super) cusolver: Option<Cusolver>,
    pub(super) faer: Option<()>,
    pub(super) nalgebra: Option<()>,
    pub(super) openblas: Option<Blas>,
    pub(super) mkl: Option<Blas>,
}

impl Peer {
    fn is_for_gpus(self) -> bool {
        matches!(self, Self::Cublas | Self::Cusolver)
    }

    fn is_for_the_cpu(self) -> bool {
        matches!(self, Self::Faer | Self::Nalgebra | Self::Openblas | Self::Mkl)
    }
}

impl Peers {
    /// Opens the libraries that `--peers` names, which must be there, or those that are.
    pub(crate) fn open(device: &Device, names: &[Peer]) -> Result<Self> {
        let (gpu, cpu) = (device.info().gpu_name().is_some(), is_cpu(device));
        let named = |is: fn(Peer) -> bool| names.iter().find(|&&name| is(name));
        if let Some(peer) = named(Peer::is_for_gpus).filter(|_| !gpu) {
            let remedy = "add --device cuda, or --peers none";
            return Err(Failure::Usage(format!("{peer:?} runs on GPUs, not on {device}: {remedy}")));
        }
        if let Some(peer) = named(Peer::is_for_the_cpu).filter(|_| !cpu) {
            let remedy = "add --device cpu, or --peers none";
            return Err(Failure::Usage(format!("{peer:?} runs on the CPU, not on {device}: {remedy}")));
        }
        let mut peers = Self::default();
        if gpu {
            peers.cublas = wanted(names, Peer::Cublas, || Cublas::open(device))?;
            peers.cusolver = wanted(names, Peer::Cusolver, || Cusolver::open(device))?;
        }
        if cpu {
            peers.faer = wanted(names, Peer::Faer, || Ok(()))?;
            peers.nalgebra = wanted(names, Peer::Nalgebra, || Ok(()))?;
            peers.openblas = wanted(names, Peer::Openblas, cpu::open_openblas)?;
            peers.mkl = wanted(names, Peer::Mkl, cpu::open_mkl)?;
        }
        Ok(peers)
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
    // Most computers have no BLAS, and few that have a GPU have no cuBLAS.
    if let Err(failure) = &opened
        && !matches!(peer, Peer::Openblas | Peer::Mkl)
    {
        tell(format_args!("without {peer:?}: {failure}"));
    }
    Ok(opened.ok())
}
