//! MKL's LU of many small matrices side by side, each in a lane of the vectors, which does not pivot.

use std::ffi::c_int;

use warplu::{Element, Scalar};

use super::contender::Contestant;
use super::find;
use super::kernels::{Kernels, check};
use super::lapack::Blas;
use super::share::together;
use crate::case::{Case, Op};
use crate::contender::Contender;
use crate::failure::{Failure, Result};
use crate::peers::calls::{int, letter};

/// The largest order that it is measured at: it is made for small ones.
const LARGEST: usize = 64;
/// MKL's number for matrices that lie column by column.
const COLUMNS: c_int = 102;

type GetFormat = unsafe extern "C" fn() -> c_int;
type GetSize = unsafe extern "C" fn(c_int, c_int, c_int, c_int) -> c_int;
type Pack<S> = unsafe extern "C" fn(c_int, c_int, c_int, *const *const S, c_int, *mut S, c_int, c_int, c_int);
type Unpack<S> = unsafe extern "C" fn(c_int, c_int, c_int, *const *mut S, c_int, *const S, c_int, c_int, c_int);
type Getrfnp<S> = unsafe extern "C" fn(c_int, c_int, c_int, *mut S, c_int, *mut c_int, c_int, c_int);

/// The functions of a type, and the memory that they need.
struct Compact<S> {
    pack: Pack<S>,
    unpack: Unpack<S>,
    getrfnp: Getrfnp<S>,
    format: c_int,
    n: c_int,
    together: usize,
    packed: Vec<S>,
    from: Vec<*const S>,
    to: Vec<*mut S>,
}

// SAFETY: the addresses are written anew for each call.
unsafe impl<S: Send> Send for Compact<S> {}

/// MKL's LU without pivoting, of small matrices.
pub(crate) fn compact<'a, T: Element>(
    mkl: &'a Blas,
    case: &'a Case,
    inputs: (&[T], &[T]),
) -> Option<Result<impl Contender<T> + use<'a, T>>> {
    (case.op == Op::Lu && case.n <= LARGEST).then(|| {
        let threads = mkl.threads(case);
        Contestant::new(case, threads, inputs, move || Compact::<T::Scalar>::new(mkl, case, threads))
    })
}

impl<S: Scalar> Compact<S> {
    fn new(mkl: &Blas, case: &Case, threads: usize) -> Result<Self> {
        let letter = letter(case.dtype).unwrap_or('?').to_ascii_lowercase();
        let name = |end: &str| format!("mkl_{letter}{end}_compact");
        // SAFETY: the types are those of MKL's header.
        let (get_format, get_size, pack, unpack, getrfnp) = unsafe {
            (
                find::function::<GetFormat>(mkl.library, "mkl_get_format_compact")?,
                find::function::<GetSize>(mkl.library, &name("get_size"))?,
                find::function(mkl.library, &name("gepack"))?,
                find::function(mkl.library, &name("geunpack"))?,
                find::function(mkl.library, &name("getrfnp"))?,
            )
        };
        let (n, together) = (int(case.n)?, together::<S>(case, threads));
        let count = int(together)?;
        // SAFETY: these have numbers only.
        let (format, bytes) = unsafe {
            let format = get_format();
            (format, get_size(n, n, format, count))
        };
        let len = usize::try_from(bytes).map_err(|_| Failure::Bench("MKL packs no batch of this size".to_owned()))?;
        let packed = vec![S::ONE; len.div_ceil(size_of::<S>())];
        let (from, to) = (Vec::with_capacity(together), Vec::with_capacity(together));
        Ok(Self { pack, unpack, getrfnp, format, n, together, packed, from, to })
    }

    /// Factors matrices of `from` into those of `to`, which may be the same.
    fn factor_from(&mut self, from: *const S, to: *mut S, count: usize) -> Result<()> {
        let Self { format, n, .. } = *self;
        let (square, many) = ((n * n) as usize, int(count)?);
        self.from.clear();
        self.from.extend((0..count).map(|at| from.wrapping_add(at * square)));
        self.to.clear();
        self.to.extend((0..count).map(|at| to.wrapping_add(at * square)));
        let (packed, mut info) = (self.packed.as_mut_ptr(), 0);
        let (from, to) = (self.from.as_ptr(), self.to.as_ptr());
        // SAFETY: the callers' matrices are as many, of order n, and the packed ones have the room that MKL asked for.
        unsafe {
            (self.pack)(COLUMNS, n, n, from, n, packed, n, format, many);
            (self.getrfnp)(COLUMNS, n, n, packed, n, &mut info, format, many);
            (self.unpack)(COLUMNS, n, n, to, n, packed, n, format, many);
        }
        check("getrfnp_compact", info.into())
    }
}

impl<S: Scalar> Kernels<S> for Compact<S> {
    type Pivot = ();
    const IN_PLACE: bool = true;
    const PIVOTS: bool = false;

    fn together(&self) -> usize {
        self.together
    }

    fn factor(&mut self, a: &mut [S], pivots: &mut [()]) -> Result<()> {
        let a = a.as_mut_ptr();
        self.factor_from(a, a, pivots.len() / self.n as usize)
    }

    fn factor_into(&mut self, a: &[S], out: &mut [S], pivots: &mut [()]) -> Result<()> {
        self.factor_from(a.as_ptr(), out.as_mut_ptr(), pivots.len() / self.n as usize)
    }

    fn solve(&mut self, _: bool, _: &[S], _: &[()], _: &mut [S]) -> Result<()> {
        Err(lu_only())
    }

    fn invert(&mut self, _: &[S], _: &[()], _: &mut [S]) -> Result<()> {
        Err(lu_only())
    }

    fn is_odd(_: &[()]) -> bool {
        false
    }

    fn interchanges(pivots: &[()]) -> Vec<u32> {
        (0..pivots.len() as u32).collect()
    }
}

fn lu_only() -> Failure {
    Failure::Bench("only LU is measured of MKL's compact kernels".to_owned())
}
