//! Which kernels factor, by the algorithm.

use kernels_gpu::entry::{Entry, Family};
use kernels_gpu::operation::GetrfNopivArgs;
use numbers::factors::Factors;
use numbers::matrix::Matrices;
use numbers::scalar::{Scalar, ScalarKind};

use super::{Launcher, Problem, prepare};
use crate::algorithm::Algorithm;
use crate::backend::Backend;
use crate::choice;
use crate::error::{Error, Result};
use crate::pivoting::Pivoting;

/// How a plan factors.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LuKernels {
    /// By one that interchanges rows.
    Interchanging(&'static Entry),
    /// By one that does not interchange rows, with the threshold below which it boosts pivots.
    WithoutInterchanges(&'static Entry, f64),
}

impl LuKernels {
    /// What `algorithm` factors by with such pivots, loaded.
    pub(crate) fn prepare(
        backend: &Backend,
        (algorithm, pivoting): (Algorithm, Pivoting),
        kind: ScalarKind,
        size: Problem,
    ) -> Result<Self> {
        leaves_factors(algorithm)?;
        is_for(algorithm, pivoting)?;
        if pivoting.interchanges() {
            return Ok(Self::Interchanging(prepare(backend, algorithm, Family::Getrf, kind, size)?));
        }
        let entry = prepare(backend, algorithm, Family::GetrfNopiv, kind, size)?;
        Ok(Self::WithoutInterchanges(entry, pivoting.threshold()))
    }

    /// The name of the kernel.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Interchanging(entry) | Self::WithoutInterchanges(entry, _) => entry.name,
        }
    }
}

/// That an algorithm leaves LU factors, or works with them.
pub(crate) fn leaves_factors(algorithm: Algorithm) -> Result<()> {
    let name = match algorithm {
        Algorithm::Auto | Algorithm::Latency => return Ok(()),
        Algorithm::Other(other) => return other.extension().leaves_factors(),
        Algorithm::Kernel(name) => name,
    };
    let does = match choice::family(name) {
        Some(Family::Getrf | Family::GetrfNopiv | Family::Getri | Family::Getrs) => return Ok(()),
        Some(Family::Inverse) => "inverts",
        Some(Family::Gesv) => "solves",
        _ => {
            return Err(Error::Unsupported(format!(
                "no kernel {name} factors, inverts or solves: `warplu info` lists those that do"
            )));
        }
    };
    Err(Error::Unsupported(format!("the algorithm {algorithm} only {does}, it leaves no LU factors: use auto")))
}

/// That a kernel that factors chooses such pivots.
fn is_for(algorithm: Algorithm, pivoting: Pivoting) -> Result<()> {
    let Algorithm::Kernel(name) = algorithm else { return Ok(()) };
    let (does, remedy) = match choice::family(name) {
        Some(Family::Getrf) if !pivoting.interchanges() => ("interchanges rows", "`partial`"),
        Some(Family::GetrfNopiv) if pivoting.interchanges() => ("does not interchange rows", "`none` or `boosted`"),
        _ => return Ok(()),
    };
    Err(Error::Unsupported(format!("the kernel {name} {does}: use it with the pivoting {remedy}, not `{pivoting}`")))
}

impl Launcher<'_> {
    /// PA = LU; `a` may be `factors.lu`.
    ///
    /// # Safety
    /// As for [`Self::lu`].
    pub(crate) unsafe fn factor<T: Scalar>(
        &self,
        how: LuKernels,
        a: Matrices<T>,
        factors: Factors<T>,
        size: Problem,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            match how {
                LuKernels::Interchanging(entry) => self.lu(entry, a, factors, size),
                LuKernels::WithoutInterchanges(entry, threshold) => {
                    let (Factors { lu, pivots, status }, n) = (factors, size.n);
                    let args = |first, end| GetrfNopivArgs { a, lu, pivots, status, first, end, threshold, n };
                    self.launch(entry, size, args)
                }
            }
        }
    }
}
