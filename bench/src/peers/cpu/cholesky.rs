//! Cholesky factors by libraries on the CPU, of lower triangles; a batch is divided over threads here.

use std::ffi::c_char;

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt::{factor, inverse, solve};
use faer::traits::ComplexField;
use faer::{MatMut, MatRef, Par, Spec};
use rayon::prelude::*;
use warplu::resident::Stream;
use warplu::{Element, Scalar};

use super::field::Field;
use super::kernels::check;
use super::lapack::{Blas, Int, int};
use super::share::threads;
use crate::case::{Case, Op};
use crate::contender::Contender;
use crate::failure::{Failure, Result};
use crate::judge::{Ends, ends};
use crate::peers::cusolver::potrf::complete;

/// A library's calls on a column-major matrix, with the memory that they need in one thread.
trait Kernels<S>: Send {
    /// A matrix to its factor.
    fn factor(&mut self, a: &mut [S]) -> Result<()>;

    /// Right-hand sides to solutions.
    fn solve(&mut self, l: &[S], x: &mut [S]) -> Result<()>;

    /// A factor to the lower triangle of the inverse, elsewhere.
    fn invert(&mut self, l: &[S], out: &mut [S]) -> Result<()>;
}

/// A library, its threads, and a batch in host memory, in the type of the arithmetic, which is the same.
struct Contestant<'a, S, K> {
    case: &'a Case,
    kernels: Vec<K>,
    /// Matrices, or factors where the operation starts from those.
    a: Vec<S>,
    b: Vec<S>,
    out: Vec<S>,
}

/// faer on a case. Without its feature for threads it works on each matrix in one.
pub(crate) fn faer_cholesky<'a, T: Field>(
    case: &'a Case,
    inputs: (&[T], &[T]),
) -> Result<impl Contender<T> + use<'a, T>> {
    let threads = threads(case).min(case.batch);
    let kernels = (0..threads).map(|_| Faer::new::<T::Scalar>(case)).collect();
    Contestant::new(case, kernels, inputs)
}

/// A library of LAPACK's functions on a case, matrix by matrix.
pub(crate) fn one_by_one_cholesky<'a, T: Element, I: Int + 'a>(
    blas: &'a Blas,
    case: &'a Case,
    inputs: (&[T], &[T]),
) -> Result<impl Contender<T> + use<'a, T, I>> {
    let lapack = |_| Lapack::<T::Scalar, I>::new(blas, case);
    Contestant::new(case, (0..blas.threads(case)).map(lapack).collect::<Result<Vec<_>>>()?, inputs)
}

impl<'a, S: Scalar, K: Kernels<S>> Contestant<'a, S, K> {
    fn new<T: Element<Scalar = S>>(case: &'a Case, kernels: Vec<K>, (a, b): (&[T], &[T])) -> Result<Self> {
        let wide = |narrow: &[T]| narrow.iter().map(|x| x.widen()).collect::<Vec<_>>();
        let (a, b) = (wide(a), wide(b));
        // Written once, so that all pages are there.
        let out = vec![S::ONE; if case.op == Op::CholSolve { b.len() } else { a.len() }];
        let mut contestant = Self { case, kernels, a, b, out };
        if case.op.is_from_factors() {
            let kernels = &mut contestant.kernels[0];
            contestant.a.chunks_exact_mut(case.n * case.n).try_for_each(|a| kernels.factor(a))?;
        }
        Ok(contestant)
    }
}

impl<S: Scalar, T: Element<Scalar = S>, K: Kernels<S>> Contender<T> for Contestant<'_, S, K> {
    fn restore(&mut self) -> Result<()> {
        Ok(())
    }

    fn run(&mut self) -> Result<()> {
        let Self { case, kernels, a, b, out } = self;
        let &Case { op, n, batch, rhs, .. } = *case;
        let (square, tall) = (n * n, n * rhs);
        let each = if op == Op::CholSolve { tall } else { square };
        let share = batch.div_ceil(kernels.len());
        let one = |kernels: &mut K, at: usize, out: &mut [S]| {
            let a = &a[at * square..][..square];
            match op {
                Op::CholSolve => {
                    out.copy_from_slice(&b[at * tall..][..tall]);
                    kernels.solve(a, out)
                }
                Op::CholInv => kernels.invert(a, out),
                _ => {
                    out.copy_from_slice(a);
                    kernels.factor(out)
                }
            }
        };
        let some = |(part, (kernels, out)): (usize, (&mut K, &mut [S]))| {
            let parts = out.chunks_exact_mut(each).enumerate();
            parts.into_iter().try_for_each(|(at, out)| one(kernels, part * share + at, out))
        };
        if let [kernels] = &mut kernels[..] {
            return some((0, (kernels, out)));
        }
        let parts = kernels.par_iter_mut().with_max_len(1).zip(out.par_chunks_mut(share * each));
        parts.enumerate().try_for_each(some)
    }

    fn ends(&self) -> Result<Ends<T>> {
        let &Case { op, n, batch, .. } = self.case;
        let out = ends(&self.out, batch);
        let narrow = |wide: Vec<S>| wide.into_iter().map(T::narrow).collect::<Vec<T>>();
        Ok(match op {
            Op::Chol => Ends::Cholesky(out),
            Op::CholSolve => Ends::Solution(narrow(out)),
            _ => {
                let mut x = narrow(out);
                x.chunks_exact_mut(n * n).for_each(|x| complete(x, n));
                Ends::Inverse(x)
            }
        })
    }

    fn stream(&self) -> Option<&Stream> {
        None
    }
}

/// faer's functions, with the memory that the largest of them needs.
struct Faer {
    n: usize,
    memory: MemBuffer,
}

impl Faer {
    fn new<S: ComplexField>(case: &Case) -> Self {
        let &Case { n, rhs, .. } = case;
        let most = StackReq::any_of(&[
            factor::cholesky_in_place_scratch::<S>(n, Par::Seq, Spec::default()),
            solve::solve_in_place_scratch::<S>(n, rhs, Par::Seq),
            inverse::inverse_scratch::<S>(n, Par::Seq),
        ]);
        Self { n, memory: MemBuffer::new(most) }
    }
}

impl<S: ComplexField + Copy> Kernels<S> for Faer {
    fn factor(&mut self, a: &mut [S]) -> Result<()> {
        let (a, stack) = (MatMut::from_column_major_slice_mut(a, self.n, self.n), MemStack::new(&mut self.memory));
        match factor::cholesky_in_place(a, factor::LltRegularization::default(), Par::Seq, stack, Spec::default()) {
            Ok(_) => Ok(()),
            Err(error) => Err(Failure::Bench(format!("faer's Cholesky factorization failed: {error:?}"))),
        }
    }

    fn solve(&mut self, l: &[S], x: &mut [S]) -> Result<()> {
        let (n, stack) = (self.n, MemStack::new(&mut self.memory));
        let (l, rhs) = (MatRef::from_column_major_slice(l, n, n), x.len() / n);
        solve::solve_in_place(l, MatMut::from_column_major_slice_mut(x, n, rhs), Par::Seq, stack);
        Ok(())
    }

    fn invert(&mut self, l: &[S], out: &mut [S]) -> Result<()> {
        let (n, stack) = (self.n, MemStack::new(&mut self.memory));
        let l = MatRef::from_column_major_slice(l, n, n);
        inverse::inverse(MatMut::from_column_major_slice_mut(out, n, n), l, Par::Seq, stack);
        Ok(())
    }
}

// Fortran's functions, as those of LU.
/// `potrf` and `potri`.
type Factor<S, I> = unsafe extern "C" fn(*const c_char, *const I, *mut S, *const I, *mut I, usize);
type Potrs<S, I> =
    unsafe extern "C" fn(*const c_char, *const I, *const I, *const S, *const I, *mut S, *const I, *mut I, usize);

/// The functions of a type.
struct Lapack<S, I> {
    potrf: Factor<S, I>,
    potrs: Potrs<S, I>,
    potri: Factor<S, I>,
    n: I,
    rhs: I,
}

impl<S: Scalar, I: Int> Lapack<S, I> {
    fn new(blas: &Blas, case: &Case) -> Result<Self> {
        // SAFETY: the types are those of LAPACK's functions.
        let (potrf, potrs, potri) =
            unsafe { (blas.function(case, "potrf")?, blas.function(case, "potrs")?, blas.function(case, "potri")?) };
        Ok(Self { potrf, potrs, potri, n: int(case.n)?, rhs: int(case.rhs)? })
    }
}

impl<S: Scalar, I: Int> Kernels<S> for Lapack<S, I> {
    fn factor(&mut self, a: &mut [S]) -> Result<()> {
        let (n, mut info) = (&raw const self.n, I::default());
        // SAFETY: the slices are of a matrix of order n.
        unsafe { (self.potrf)(c"L".as_ptr(), n, a.as_mut_ptr(), n, &mut info, 1) };
        check("potrf", info.into())
    }

    fn solve(&mut self, l: &[S], x: &mut [S]) -> Result<()> {
        let (n, rhs, mut info) = (&raw const self.n, &raw const self.rhs, I::default());
        // SAFETY: as above, and of the case's right-hand sides.
        unsafe { (self.potrs)(c"L".as_ptr(), n, rhs, l.as_ptr(), n, x.as_mut_ptr(), n, &mut info, 1) };
        check("potrs", info.into())
    }

    fn invert(&mut self, l: &[S], out: &mut [S]) -> Result<()> {
        out.copy_from_slice(l);
        let (n, mut info) = (&raw const self.n, I::default());
        // SAFETY: as above.
        unsafe { (self.potri)(c"L".as_ptr(), n, out.as_mut_ptr(), n, &mut info, 1) };
        check("potri", info.into())
    }
}
