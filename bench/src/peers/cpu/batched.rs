//! MKL's calls of many matrices.

use std::ffi::c_char;

use warplu::{Element, Scalar};

use super::contender::Contestant;
use super::kernels::{Kernels, check};
use super::lapack::{Blas, interchanges, is_odd, transposition};
use super::share::together;
use crate::case::Case;
use crate::contender::Contender;
use crate::failure::Result;
use crate::peers::calls::int;

// As of LAPACK, with the distance from a matrix to the next after each matrix, and their number.
type Getrf<S> = unsafe extern "C" fn(
    *const i32,
    *const i32,
    *mut S,
    *const i32,
    *const i32,
    *mut i32,
    *const i32,
    *const i32,
    *mut i32,
);
type Getrs<S> = unsafe extern "C" fn(
    *const c_char,
    *const i32,
    *const i32,
    *const S,
    *const i32,
    *const i32,
    *const i32,
    *const i32,
    *mut S,
    *const i32,
    *const i32,
    *const i32,
    *mut i32,
    usize,
);
type Getri<S> = unsafe extern "C" fn(
    *const i32,
    *const S,
    *const i32,
    *const i32,
    *const i32,
    *const i32,
    *mut S,
    *const i32,
    *const i32,
    *const i32,
    *mut i32,
);

/// The functions of a type, and the numbers whose addresses they take.
struct Batched<S> {
    getrf: Getrf<S>,
    getrs: Getrs<S>,
    getri: Getri<S>,
    n: i32,
    rhs: i32,
    /// From a matrix to the next, and from its right-hand sides to the next.
    square: i32,
    sides: i32,
    together: usize,
    info: Vec<i32>,
}

/// MKL on a case, many matrices at a time.
pub(crate) fn batched<'a, T: Element>(
    mkl: &'a Blas,
    case: &'a Case,
    inputs: (&[T], &[T]),
) -> Result<impl Contender<T> + use<'a, T>> {
    let threads = mkl.threads(case);
    Contestant::new(case, threads, inputs, move || Batched::<T::Scalar>::new(mkl, case, threads))
}

impl<S: Scalar> Batched<S> {
    fn new(mkl: &Blas, case: &Case, threads: usize) -> Result<Self> {
        let &Case { n, rhs, .. } = case;
        let together = together::<S>(case, threads);
        // SAFETY: the types are those of MKL's header.
        let (getrf, getrs, getri) = unsafe {
            (
                mkl.function(case, "getrf_batch_strided")?,
                mkl.function(case, "getrs_batch_strided")?,
                mkl.function(case, "getri_oop_batch_strided")?,
            )
        };
        let (info, square, sides) = (vec![0; together], int(n * n)?, int(n * rhs)?);
        Ok(Self { getrf, getrs, getri, n: int(n)?, rhs: int(rhs)?, square, sides, together, info })
    }

    /// An error if an argument was wrong.
    fn check(&self, call: &str) -> Result<()> {
        check(call, self.info.iter().copied().min().unwrap_or_default().into())
    }
}

impl<S: Scalar> Kernels<S> for Batched<S> {
    type Pivot = i32;
    const IN_PLACE: bool = false;

    fn together(&self) -> usize {
        self.together
    }

    fn factor(&mut self, a: &mut [S], pivots: &mut [i32]) -> Result<()> {
        let (n, square, count) = (&raw const self.n, &raw const self.square, int(pivots.len() / self.n as usize)?);
        let (a, pivots, info) = (a.as_mut_ptr(), pivots.as_mut_ptr(), self.info.as_mut_ptr());
        // SAFETY: the slices are of as many matrices of order n, no more than there are numbers for what went wrong.
        unsafe { (self.getrf)(n, n, a, n, square, pivots, n, &count, info) };
        self.check("getrf_batch_strided")
    }

    fn solve(&mut self, transposed: bool, lu: &[S], pivots: &[i32], x: &mut [S]) -> Result<()> {
        let (n, rhs, count) = (&raw const self.n, &raw const self.rhs, int(pivots.len() / self.n as usize)?);
        let (square, sides) = (&raw const self.square, &raw const self.sides);
        let (trans, lu, pivots) = (transposition(transposed), lu.as_ptr(), pivots.as_ptr());
        let (x, info) = (x.as_mut_ptr(), self.info.as_mut_ptr());
        // SAFETY: as above, and of the case's right-hand sides.
        unsafe { (self.getrs)(trans, n, rhs, lu, n, square, pivots, n, x, n, sides, &count, info, 1) };
        self.check("getrs_batch_strided")
    }

    fn invert(&mut self, lu: &[S], pivots: &[i32], out: &mut [S]) -> Result<()> {
        let (n, square, count) = (&raw const self.n, &raw const self.square, int(pivots.len() / self.n as usize)?);
        let (lu, pivots, out) = (lu.as_ptr(), pivots.as_ptr(), out.as_mut_ptr());
        let info = self.info.as_mut_ptr();
        // SAFETY: as above.
        unsafe { (self.getri)(n, lu, n, square, pivots, n, out, n, square, &count, info) };
        self.check("getri_oop_batch_strided")
    }

    fn is_odd(pivots: &[i32]) -> bool {
        is_odd(pivots)
    }

    fn interchanges(pivots: &[i32]) -> Vec<u32> {
        interchanges(pivots)
    }
}
