//! nalgebra. Its factors are objects of its own.

use nalgebra::allocator::Allocator;
use nalgebra::linalg::{LU, try_invert_to};
use nalgebra::{ComplexField, Const, DefaultAllocator, Dim, DimMin, Dyn, MatrixViewMut, OMatrix};
use numbers::det_product::LogProduct;
use rayon::prelude::*;
use warplu::resident::Stream;
use warplu::{Element, Real, Scalar};

use super::field::Field;
use super::kernels::interchanges;
use super::share::threads;
use crate::case::{Case, Op, Order};
use crate::contender::Contender;
use crate::failure::{Failure, Result};
use crate::judge::{Ends, ends};

/// How it comes from matrices to inverses and determinants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Lu,
    /// By cofactors, without pivoting: what `try_inverse` and `determinant` are up to some order.
    Cofactors,
}

/// A batch in host memory, in the type of the arithmetic. `F` is nalgebra's type of factors.
struct Contestant<'a, T: Element, D, F> {
    case: &'a Case,
    way: Way,
    threads: usize,
    /// The order.
    n: D,
    a: Vec<T::Scalar>,
    b: Vec<T::Scalar>,
    factors: Vec<F>,
    out: Vec<T::Scalar>,
    determinants: Vec<(T::Scalar, <T::Scalar as Scalar>::Real)>,
}

/// Its ways to do a case, and what they are called.
pub(crate) fn nalgebra<'a, T: Field>(
    case: &'a Case,
    inputs: (&[T], &[T]),
) -> impl Iterator<Item = (&'static str, Box<dyn Contender<T> + 'a>)> {
    let ways: &[_] = match case.op {
        Op::Inv if (2..=4).contains(&case.n) => &[Way::Lu, Way::Cofactors],
        Op::Det if (2..=3).contains(&case.n) => &[Way::Lu, Way::Cofactors],
        _ => &[Way::Lu],
    };
    ways.iter().map(move |&way| {
        let name = if way == Way::Lu { "LU" } else { "cofactors, no pivoting" };
        (name, contender(case, way, inputs))
    })
}

/// With the order in nalgebra's types where it is small: then nothing is allocated, and loops are unrolled.
fn contender<'a, T: Field>(case: &'a Case, way: Way, inputs: (&[T], &[T])) -> Box<dyn Contender<T> + 'a> {
    match case.n {
        2 => Box::new(contestant(case, way, Const::<2>, inputs)),
        3 => Box::new(contestant(case, way, Const::<3>, inputs)),
        4 => Box::new(contestant(case, way, Const::<4>, inputs)),
        8 => Box::new(contestant(case, way, Const::<8>, inputs)),
        16 => Box::new(contestant(case, way, Const::<16>, inputs)),
        n => Box::new(contestant(case, way, Dyn(n), inputs)),
    }
}

fn contestant<'a, T: Field, D: DimMin<D, Output = D>>(
    case: &'a Case,
    way: Way,
    n: D,
    (a, b): (&[T], &[T]),
) -> Contestant<'a, T, D, LU<T::Scalar, D, D>>
where
    DefaultAllocator: Allocator<D, D> + Allocator<D>,
{
    let &Case { op, batch, rhs, .. } = case;
    let wide = |narrow: &[T]| narrow.iter().map(|x| x.widen()).collect::<Vec<_>>();
    let a = wide(a);
    let order = case.n;
    let factors = match op {
        Op::Lu | Op::LuInv | Op::LuSolve => {
            a.chunks_exact(order * order).map(|a| LU::new(matrix(case, n, a))).collect()
        }
        _ => Vec::new(),
    };
    let (out, determinants) = match op {
        Op::Inv | Op::LuInv => (order * order, 0),
        Op::Solve | Op::SolveRefined | Op::LuSolve => (order * rhs, 0),
        Op::Det => (0, 1),
        Op::Lu | Op::Chol | Op::CholInv | Op::CholSolve | Op::Copy => (0, 0),
    };
    let one = <T::Scalar as Scalar>::ONE;
    let threads = threads(case).min(batch);
    // Written once, so that all pages are there.
    let (out, determinants) = (vec![one; batch * out], vec![(one, one.abs1()); batch * determinants]);
    Contestant { case, way, threads, n, a, b: wide(b), factors, out, determinants }
}

/// A matrix as nalgebra has it. Rows are taken as columns where the transpose does as well.
fn matrix<S: ComplexField + Scalar, D: Dim>(case: &Case, n: D, a: &[S]) -> OMatrix<S, D, D>
where
    DefaultAllocator: Allocator<D, D>,
{
    if case.layout == Order::C && matches!(case.op, Op::Lu | Op::Solve | Op::SolveRefined | Op::LuSolve) {
        OMatrix::from_row_slice_generic(n, n, a)
    } else {
        OMatrix::from_column_slice_generic(n, n, a)
    }
}

/// A matrix that is to be overwritten.
fn square<S: ComplexField, D: Dim>(a: &mut [S], n: D) -> MatrixViewMut<'_, S, D, D> {
    MatrixViewMut::from_slice_generic(a, n, n)
}

/// Right-hand sides to solutions.
fn solve<S: ComplexField + Scalar, D: DimMin<D, Output = D>>(case: &Case, n: D, lu: &LU<S, D, D>, b: &[S], x: &mut [S])
where
    DefaultAllocator: Allocator<D, D> + Allocator<D>,
{
    x.copy_from_slice(b);
    if case.rhs == 1 {
        lu.solve_mut(&mut MatrixViewMut::from_slice_generic(x, n, Const::<1>));
    } else if case.layout == Order::C {
        let (cols, next) = (Dyn(case.rhs), Const::<1>);
        lu.solve_mut(&mut MatrixViewMut::from_slice_with_strides_generic(x, n, cols, cols, next));
    } else {
        lu.solve_mut(&mut MatrixViewMut::from_slice_generic(x, n, Dyn(case.rhs)));
    }
}

/// The sign or phase of a determinant, and the logarithm of its absolute value.
fn determinant<S: ComplexField + Scalar, D: DimMin<D, Output = D>>(
    way: Way,
    a: OMatrix<S, D, D>,
) -> (S, <S as Scalar>::Real)
where
    DefaultAllocator: Allocator<D, D> + Allocator<D>,
{
    let lu = match way {
        Way::Cofactors => return polar(a.determinant()),
        Way::Lu => LU::new(a),
    };
    if D::try_to_usize().is_some() {
        return polar(lu.determinant());
    }
    // `LU::determinant` overflows at larger orders.
    let diagonal = lu.lu_internal().as_slice().iter().step_by(lu.lu_internal().nrows() + 1);
    let product = diagonal.fold(LogProduct::ONE, |all, u| all.times(u.to_c64()));
    let product = if lu.p().len() % 2 == 1 { product.negate() } else { product };
    (S::from_c64(product.phase()), <S as Scalar>::Real::from_f64(product.log_abs()))
}

fn polar<S: Scalar>(det: S) -> (S, S::Real) {
    let det = det.to_c64();
    let abs = det.norm();
    (S::from_c64(det / abs), S::Real::from_f64(abs.ln()))
}

/// Has each of the results, which are `len` numbers, made from its index, by some threads.
fn each<R: Send>(threads: usize, results: &mut [R], len: usize, make: impl Fn(usize, &mut [R]) + Send + Sync) {
    if threads == 1 {
        return results.chunks_exact_mut(len).enumerate().for_each(|(i, result)| make(i, result));
    }
    let share = (results.len() / len).div_ceil(threads);
    results.par_chunks_exact_mut(len).enumerate().with_min_len(share).for_each(|(i, result)| make(i, result));
}

impl<T: Field, D: DimMin<D, Output = D>> Contender<T> for Contestant<'_, T, D, LU<T::Scalar, D, D>>
where
    DefaultAllocator: Allocator<D, D> + Allocator<D>,
    LU<T::Scalar, D, D>: Send + Sync,
{
    fn restore(&mut self) -> Result<()> {
        Ok(())
    }

    fn run(&mut self) -> Result<()> {
        let &mut Self { case, way, threads, n, ref a, ref b, ref mut factors, ref mut out, .. } = self;
        let (numbers, sides) = (case.n * case.n, case.n * case.rhs);
        let matrix = |i| matrix(case, n, &a[i * numbers..][..numbers]);
        let b = |i| &b[i * sides..][..sides];
        match case.op {
            Op::Lu => each(threads, factors, 1, |i, lu| lu[0] = LU::new(matrix(i))),
            Op::Inv if way == Way::Lu => each(threads, out, numbers, |i, x| {
                try_invert_to(matrix(i), &mut square(x, n));
            }),
            Op::Inv => each(threads, out, numbers, |i, x| {
                x.copy_from_slice(&a[i * numbers..][..numbers]);
                square(x, n).try_inverse_mut();
            }),
            Op::LuInv => each(threads, out, numbers, |i, x| {
                factors[i].try_inverse_to(&mut square(x, n));
            }),
            Op::Solve | Op::SolveRefined => {
                each(threads, out, sides, |i, x| solve(case, n, &LU::new(matrix(i)), b(i), x))
            }
            Op::LuSolve => each(threads, out, sides, |i, x| solve(case, n, &factors[i], b(i), x)),
            Op::Det => each(threads, &mut self.determinants, 1, |i, det| det[0] = determinant(way, matrix(i))),
            Op::Chol | Op::CholInv | Op::CholSolve | Op::Copy => {}
        }
        Ok(())
    }

    fn ends(&self) -> Result<Ends<T>> {
        let &Self { case, n, ref a, ref factors, ref out, .. } = self;
        let narrow = |wide: Vec<T::Scalar>| wide.into_iter().map(T::narrow).collect();
        let first_and_last = |factors: &[LU<_, D, D>]| {
            let picked = [factors.first(), factors.last()].into_iter().flatten().take(case.batch);
            let (mut all, mut pivots) = (Vec::new(), Vec::new());
            for lu in picked {
                let factors = lu.lu_internal();
                // LU of matrices by rows is not that of their transposes.
                let by_rows = case.op == Op::Lu && case.layout == Order::C;
                all.extend_from_slice(if by_rows { factors.transpose() } else { factors.clone() }.as_slice());
                let mut permutation: Vec<u32> = (0..case.n as u32).collect();
                lu.p().permute_rows(&mut MatrixViewMut::from_slice_generic(&mut permutation, n, Const::<1>));
                pivots.extend(interchanges(&permutation));
            }
            (all, pivots)
        };
        Ok(match case.op {
            Op::Lu => {
                let (factors, pivots) = first_and_last(factors);
                Ends::Factors(factors, pivots)
            }
            Op::Inv | Op::LuInv => Ends::Inverse(narrow(ends(out, case.batch))),
            Op::Solve | Op::SolveRefined | Op::LuSolve => Ends::Solution(narrow(ends(out, case.batch))),
            Op::Det => {
                let matrices = ends(a, case.batch);
                let factors: Vec<_> =
                    matrices.chunks_exact(case.n * case.n).map(|a| LU::new(matrix(case, n, a))).collect();
                let (factors, pivots) = first_and_last(&factors);
                let (sign, log_abs) = ends(&self.determinants, case.batch).into_iter().unzip();
                Ends::Products(sign, log_abs, factors, pivots)
            }
            Op::Chol | Op::CholInv | Op::CholSolve | Op::Copy => {
                return Err(Failure::Bench("nothing was done".to_owned()));
            }
        })
    }

    fn pivots(&self) -> bool {
        self.way == Way::Lu
    }

    fn stream(&self) -> Option<&Stream> {
        None
    }
}
