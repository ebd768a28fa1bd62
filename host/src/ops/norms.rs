//! Norms of matrices.

use std::ops::Deref;

use numbers::scalar::{Real, Scalar, ScalarKind};

use crate::batch::Batch;
use crate::call::start_threads;
use crate::element::{Element, RealOf};
use crate::error::{Error, Result};
use crate::floats::worst;
use crate::layout::Layout;
use crate::norm::Norm;
use kernels_cpu::fresh::filled;
use kernels_cpu::parallel;

/// Matrices that a thread takes one after the other.
pub(super) const TOGETHER: usize = 64;

/// The norms of a batch, one a matrix, which it derefs to as a slice: what
/// [`Lu::rcond`](crate::Lu::rcond) and [`Cholesky::rcond`](crate::Cholesky::rcond) need beside the factors.
///
/// ```
/// use warplu::{Batch, Norm};
/// let a = Batch::row_major(&[1.0, -2.0, 3.0, 4.0], 1, 2, 2)?;
/// assert_eq!(*a.norms(Norm::One)?, [6.0]);
/// assert_eq!(*a.norms(Norm::Infinity)?, [7.0]);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Norms<T: Element> {
    norm: Norm,
    values: Vec<RealOf<T>>, // shape (batch)
}

impl<T: Element> Norms<T> {
    /// Norms that were computed before, or elsewhere.
    ///
    /// ```
    /// use warplu::{Norm, Norms};
    /// let norms = Norms::<f64>::new(Norm::One, vec![6.0, 2.5])?;
    /// assert_eq!(norms.len(), 2);
    /// assert!(Norms::<f64>::new(Norm::One, vec![-1.0]).is_err());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] if one is negative, as no norm is.
    pub fn new(norm: Norm, values: Vec<RealOf<T>>) -> Result<Self> {
        match values.iter().position(|x| x.to_f64() < 0.0) {
            None => Ok(Self { norm, values }),
            Some(at) => Err(Error::Shape(format!("norm {at} is {}: no norm is negative", values[at].to_f64()))),
        }
    }

    /// Which norm they are.
    ///
    /// ```
    /// # use warplu::{Batch, Norm};
    /// assert_eq!(Batch::row_major(&[1.0], 1, 1, 1)?.norms(Norm::Infinity)?.norm(), Norm::Infinity);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn norm(&self) -> Norm {
        self.norm
    }

    /// As a vector.
    ///
    /// ```
    /// # use warplu::{Batch, Norm};
    /// assert_eq!(Batch::row_major(&[1.0, -2.0], 2, 1, 1)?.norms(Norm::One)?.into_vec(), [1.0, 2.0]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn into_vec(self) -> Vec<RealOf<T>> {
        self.values
    }
}

impl<T: Element> Deref for Norms<T> {
    type Target = [RealOf<T>];

    fn deref(&self) -> &[RealOf<T>] {
        &self.values
    }
}

impl<T: Element> Batch<'_, T> {
    /// The norm of each matrix (LAPACK `xLANGE`): NaN if an element is, infinite if an element is or the sum overflows.
    /// Sums are taken in f64, and rounded to the real type of the arithmetic.
    ///
    /// Take them before a call that works in the place of the matrices. See [`Norms`] for an example.
    ///
    /// ```
    /// use warplu::{Batch, Norm};
    /// let a = Batch::row_major(&[1.0, -2.0, 3.0, 4.0], 1, 2, 2)?;
    /// assert_eq!(a.norms(Norm::One)?[0], 6.0); // the second column
    /// assert_eq!(a.norms(Norm::Infinity)?[0], 7.0); // the second row
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::HostMemory`] or [`Error::Threads`] if the system gives none.
    #[doc(alias = "lange")]
    pub fn norms(&self, norm: Norm) -> Result<Norms<T>> {
        start_threads()?;
        let mut values = filled(RealOf::<T>::from_f64(0.0), self.batch)?;
        parallel::blocks(&mut values, TOGETHER, &|first, values| {
            let mut sums = Vec::new();
            for (b, value) in (first..).zip(values) {
                let first = self.layout.at(b, 0, 0);
                // SAFETY: the norm is of the elements of matrix b.
                let element = |place: usize| unsafe { self.start().wrapping_add(first + place).read() };
                *value = Real::from_f64(norm_of(element, self.layout, (self.rows, self.cols), norm, &mut sums));
            }
        });
        Ok(Norms { norm, values })
    }
}

/// The norm of the matrix whose elements `element` gives by their place; in `sums` it may work.
pub(super) fn norm_of<T: Element>(
    element: impl Fn(usize) -> T,
    layout: Layout,
    (rows, cols): (usize, usize),
    norm: Norm,
    sums: &mut Vec<f64>,
) -> f64 {
    let (by_row, by_column) = ((rows, layout.row_stride), (cols, layout.col_stride));
    let ((count, stride), (terms, step)) = match norm {
        Norm::One => (by_column, by_row),
        Norm::Infinity => (by_row, by_column),
    };
    let term = |at: usize, k: usize| magnitude(element(at * stride + k * step).widen());
    if step <= stride {
        return (0..count).map(|at| (0..terms).map(|k| term(at, k)).sum()).fold(0.0, worst);
    }
    // All sums side by side, so that elements are read in the order in which they lie.
    sums.clear();
    sums.resize(count, 0.0);
    for k in 0..terms {
        sums.iter_mut().enumerate().for_each(|(at, sum)| *sum += term(at, k));
    }
    sums.iter().copied().fold(0.0, worst)
}

/// |x|, of complex numbers, too, without overflow on the way.
pub(super) fn magnitude<S: Scalar>(x: S) -> f64 {
    let z = x.to_c64();
    match S::KIND {
        ScalarKind::F32 | ScalarKind::F64 => z.re.abs(),
        // Squares of f32 are far from the ends of f64.
        ScalarKind::C32 => (z.re * z.re + z.im * z.im).sqrt(),
        ScalarKind::C64 => z.norm(),
    }
}
