//! How calls compute, whatever device they are on.

use crate::algorithm::Algorithm;
use crate::pivoting::Pivoting;
use crate::residual::Residual;
use crate::structure::Structure;
use crate::triangular::Triangular;

/// How calls and plans compute: what [`Device::with`](crate::Device::with) takes, all at once.
///
/// ```
/// use warplu::{Batch, Device, Options, Pivoting, Residual};
/// let options = Options { pivoting: Pivoting::None, residual: Residual::Both, ..Options::default() };
/// let inverse = Device::cpu().with(options).invert(&Batch::row_major(&[2.0, 1.0, 1.0, 1.0], 1, 2, 2)?)?;
/// assert_eq!(inverse.matrices.as_slice(), [1.0, -1.0, -1.0, 2.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// By which kernels.
    pub algorithm: Algorithm,
    /// How LU factorizations choose their pivots: those of [`Device::lu`](crate::Device::lu) in all its forms, and
    /// solutions, inverses and determinants, which then go by way of LU factors. Where the structure has matrices go by
    /// Cholesky factorization, there are no pivots to choose. Algorithms of other crates have options of their own.
    ///
    /// Without interchanges, GPUs have kernels for many small matrices: above order 32 one block of threads works on a
    /// matrix, without matrix instructions.
    pub pivoting: Pivoting,
    /// Which residuals of inverses are small. With [`Residual::Both`], an algorithm that inverts without LU factors is
    /// [`Error::Unsupported`](crate::Error::Unsupported).
    pub residual: Residual,
    /// What the matrices of solutions, inverses and determinants are taken for. [`Device::lu`](crate::Device::lu) is LU
    /// whatever they are, and [`Device::cholesky`](crate::Device::cholesky) is told its triangle by itself. On GPUs below
    /// compute capability 8.0, positive definite matrices above order 32 are
    /// [`Error::Unsupported`](crate::Error::Unsupported).
    pub structure: Structure,
}

/// One of the [`Options`], or all of them. No other type can be one.
pub trait Setting: Set {}

impl<S: Set> Setting for S {}

/// What can be set.
pub trait Set {
    fn set(self, options: &mut Options);
}

impl Set for Options {
    fn set(self, options: &mut Options) {
        *options = self;
    }
}

impl Set for Algorithm {
    fn set(self, options: &mut Options) {
        options.algorithm = self;
    }
}

impl Set for Pivoting {
    fn set(self, options: &mut Options) {
        options.pivoting = self;
    }
}

impl Set for Residual {
    fn set(self, options: &mut Options) {
        options.residual = self;
    }
}

impl Set for Triangular {
    fn set(self, options: &mut Options) {
        options.structure = Structure::Triangular(self);
    }
}

impl Set for Structure {
    fn set(self, options: &mut Options) {
        options.structure = self;
    }
}
