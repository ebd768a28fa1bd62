//! faer, which is part of this program. Without its feature for threads it works on each matrix in one.

use super::contender::Contestant;
use super::field::Field;
use super::kernels::{Kernels, interchanges};
use super::share::threads;
use crate::case::Case;
use crate::contender::Contender;
use crate::failure::Result;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::lu::partial_pivoting::{factor, inverse, solve};
use faer::perm::PermRef;
use faer::traits::ComplexField;
use faer::{MatMut, MatRef, Par, Spec};

/// Its functions, with the memory that the largest of them needs.
struct Faer {
    n: usize,
    memory: MemBuffer,
}

/// faer on a case.
pub(crate) fn faer<'a, T: Field>(case: &'a Case, inputs: (&[T], &[T])) -> Result<impl Contender<T> + use<'a, T>> {
    let threads = threads(case).min(case.batch);
    Contestant::new(case, threads, inputs, || Ok(Faer::new::<T::Scalar>(case)))
}

impl Faer {
    fn new<S: ComplexField>(case: &Case) -> Self {
        let &Case { n, rhs, .. } = case;
        let most = StackReq::any_of(&[
            factor::lu_in_place_scratch::<u32, S>(n, n, Par::Seq, Spec::default()),
            solve::solve_in_place_scratch::<u32, S>(n, rhs, Par::Seq),
            solve::solve_transpose_in_place_scratch::<u32, S>(n, rhs, Par::Seq),
            inverse::inverse_scratch::<u32, S>(n, Par::Seq),
        ]);
        Self { n, memory: MemBuffer::new(most) }
    }
}

/// Notes a permutation, its inverse, and whether its number of interchanges is odd.
impl<S: ComplexField + Copy> Kernels<S> for Faer {
    type Pivot = u32;
    const IN_PLACE: bool = false;

    fn noted(n: usize) -> usize {
        2 * n + 1
    }

    fn factor(&mut self, a: &mut [S], pivots: &mut [u32]) -> Result<()> {
        let n = self.n;
        let (permutation, rest) = pivots.split_at_mut(n);
        let (inverse, odd) = rest.split_at_mut(n);
        let (a, stack) = (MatMut::from_column_major_slice_mut(a, n, n), MemStack::new(&mut self.memory));
        let (info, _) = factor::lu_in_place(a, permutation, inverse, Par::Seq, stack, Spec::default());
        odd[0] = u32::from(info.transposition_count % 2 == 1);
        Ok(())
    }

    fn solve(&mut self, transposed: bool, lu: &[S], pivots: &[u32], x: &mut [S]) -> Result<()> {
        let n = self.n;
        let (lu, rhs) = (MatRef::from_column_major_slice(lu, n, n), x.len() / n);
        let (x, stack) = (MatMut::from_column_major_slice_mut(x, n, rhs), MemStack::new(&mut self.memory));
        let solve = if transposed { solve::solve_transpose_in_place } else { solve::solve_in_place };
        solve(lu, lu, permutation(pivots, n), x, Par::Seq, stack);
        Ok(())
    }

    fn invert(&mut self, lu: &[S], pivots: &[u32], out: &mut [S]) -> Result<()> {
        let n = self.n;
        let (lu, stack) = (MatRef::from_column_major_slice(lu, n, n), MemStack::new(&mut self.memory));
        let out = MatMut::from_column_major_slice_mut(out, n, n);
        inverse::inverse(out, lu, lu, permutation(pivots, n), Par::Seq, stack);
        Ok(())
    }

    fn is_odd(pivots: &[u32]) -> bool {
        pivots.last() == Some(&1)
    }

    fn interchanges(pivots: &[u32]) -> Vec<u32> {
        interchanges(&pivots[..pivots.len() / 2])
    }
}

/// What [`Kernels::factor`] noted.
fn permutation(pivots: &[u32], n: usize) -> PermRef<'_, u32> {
    // SAFETY: faer has written them as a permutation and its inverse.
    unsafe { PermRef::new_unchecked(&pivots[..n], &pivots[n..][..n], n) }
}
