//! LAPACK's calls, of one matrix each.

use std::ffi::{c_char, c_int};
use std::fmt::Debug;
use std::ptr;
use std::sync::Mutex;

use libloading::Library;
use warplu::{Element, Scalar};

use super::contender::Contestant;
use super::find;
use super::kernels::{Kernels, check};
use super::share::threads;
use crate::case::Case;
use crate::contender::Contender;
use crate::failure::{Failure, Result};
use crate::peers::calls::letter;

// Fortran's functions: all arguments are addresses. Compilers differ in whether the length of a string follows; one
// that is not wanted does no harm.
type Getrf<S, I> = unsafe extern "C" fn(*const I, *const I, *mut S, *const I, *mut I, *mut I);
type Getrs<S, I> = unsafe extern "C" fn(
    *const c_char,
    *const I,
    *const I,
    *const S,
    *const I,
    *const I,
    *mut S,
    *const I,
    *mut I,
    usize,
);
type Getri<S, I> = unsafe extern "C" fn(*const I, *mut S, *const I, *const I, *mut S, *const I, *mut I);
pub(super) type SetThreads = unsafe extern "C" fn(c_int);

/// An open library.
#[derive(Debug)]
pub(crate) struct Blas {
    pub(super) library: &'static Library,
    /// What the names of its functions begin with, and end with beside Fortran's underscore.
    pub(super) prefix: &'static str,
    pub(super) suffix: &'static str,
    /// Whether its integers have 64 bits.
    pub(crate) is_wide: bool,
    pub(super) set_threads: SetThreads,
}

/// A library's integer.
pub(crate) trait Int: Copy + Debug + Default + Into<i64> + Send + Sync + TryFrom<i64> + TryFrom<usize> {}

impl Int for i32 {}
impl Int for i64 {}

impl Blas {
    /// A function of the case's type.
    ///
    /// # Safety
    /// `F` is its type.
    pub(super) unsafe fn function<F: Copy>(&self, case: &Case, name: &str) -> Result<F> {
        let letter = letter(case.dtype).unwrap_or('?').to_ascii_lowercase();
        // SAFETY: the caller's promise.
        unsafe { find::function(self.library, &format!("{}{letter}{name}_{}", self.prefix, self.suffix)) }
    }

    /// How many threads are to call the library for a case: as many as there are, or one, whose calls then have that
    /// many.
    pub(super) fn threads(&self, case: &Case) -> usize {
        let all = threads(case);
        let (callers, of_call) = if case.batch >= all { (all, 1) } else { (1, all) };
        let turn = Mutex::new(());
        let set = || {
            let _turn = turn.lock();
            // SAFETY: a number, of threads that the library makes.
            unsafe { (self.set_threads)(of_call as c_int) };
        };
        set();
        // Some builds take the number for the calling thread alone.
        rayon::broadcast(|_| set());
        callers
    }
}

/// The functions of a type, with the memory that they need.
struct Lapack<S, I> {
    getrf: Getrf<S, I>,
    getrs: Getrs<S, I>,
    getri: Getri<S, I>,
    n: I,
    rhs: I,
    work: Vec<S>,
}

/// A library on a case, matrix by matrix.
pub(crate) fn one_by_one<'a, T: Element, I: Int + 'a>(
    blas: &'a Blas,
    case: &'a Case,
    inputs: (&[T], &[T]),
) -> Result<impl Contender<T> + use<'a, T, I>> {
    Contestant::new(case, blas.threads(case), inputs, || Lapack::<T::Scalar, I>::new(blas, case))
}

impl<S: Scalar, I: Int> Lapack<S, I> {
    fn new(blas: &Blas, case: &Case) -> Result<Self> {
        // SAFETY: the types are those of LAPACK's functions.
        let (getrf, getrs, getri) =
            unsafe { (blas.function(case, "getrf")?, blas.function(case, "getrs")?, blas.function(case, "getri")?) };
        let mut lapack = Self { getrf, getrs, getri, n: int(case.n)?, rhs: int(case.rhs)?, work: vec![S::ONE] };
        lapack.work = vec![S::ONE; lapack.wanted()?];
        Ok(lapack)
    }

    /// How much memory `getri` wants for its work.
    fn wanted(&mut self) -> Result<usize> {
        let (query, mut info) = (int(-1_i64)?, I::default());
        let (n, work) = (&raw const self.n, self.work.as_mut_ptr());
        // SAFETY: a query reads the sizes only, and writes one number.
        unsafe { (self.getri)(n, ptr::null_mut(), n, ptr::null(), work, &query, &mut info) };
        check("getri", info.into())?;
        Ok(self.work[0].to_c64().re.max(1.0) as usize)
    }
}

impl<S: Scalar, I: Int> Kernels<S> for Lapack<S, I> {
    type Pivot = I;
    const IN_PLACE: bool = true;

    fn factor(&mut self, a: &mut [S], pivots: &mut [I]) -> Result<()> {
        let (n, mut info) = (&raw const self.n, I::default());
        // SAFETY: the slices are of a matrix of order n.
        unsafe { (self.getrf)(n, n, a.as_mut_ptr(), n, pivots.as_mut_ptr(), &mut info) };
        check("getrf", info.into())
    }

    fn solve(&mut self, transposed: bool, lu: &[S], pivots: &[I], x: &mut [S]) -> Result<()> {
        let (n, rhs, mut info) = (&raw const self.n, &raw const self.rhs, I::default());
        let (trans, lu, pivots, x) = (transposition(transposed), lu.as_ptr(), pivots.as_ptr(), x.as_mut_ptr());
        // SAFETY: as above, and of the case's right-hand sides.
        unsafe { (self.getrs)(trans, n, rhs, lu, n, pivots, x, n, &mut info, 1) };
        check("getrs", info.into())
    }

    fn invert(&mut self, _: &[S], pivots: &[I], out: &mut [S]) -> Result<()> {
        let (n, len, mut info) = (&raw const self.n, int(self.work.len())?, I::default());
        let (out, pivots, work) = (out.as_mut_ptr(), pivots.as_ptr(), self.work.as_mut_ptr());
        // SAFETY: as above, with as much memory as it is told.
        unsafe { (self.getri)(n, out, n, pivots, work, &len, &mut info) };
        check("getri", info.into())
    }

    fn is_odd(pivots: &[I]) -> bool {
        is_odd(pivots)
    }

    fn interchanges(pivots: &[I]) -> Vec<u32> {
        interchanges(pivots)
    }
}

/// LAPACK's letter.
pub(super) fn transposition(transposed: bool) -> *const c_char {
    if transposed { c"T".as_ptr() } else { c"N".as_ptr() }
}

/// Whether a number of rows was exchanged that is odd.
pub(super) fn is_odd<I: Int>(pivots: &[I]) -> bool {
    pivots.iter().zip(1_i64..).fold(false, |odd, (&pivot, k)| odd ^ (pivot.into() != k))
}

/// One-based pivots as zero-based; 0, which is none, becomes one that leads nowhere.
pub(super) fn interchanges<I: Int>(pivots: &[I]) -> Vec<u32> {
    pivots.iter().map(|&pivot| u32::try_from(pivot.into() - 1).unwrap_or(u32::MAX)).collect()
}

/// A number as the library takes it.
pub(super) fn int<I: TryFrom<N>, N: Copy + Debug>(number: N) -> Result<I> {
    I::try_from(number).map_err(|_| Failure::Bench(format!("{number:?} is more than the library takes")))
}
