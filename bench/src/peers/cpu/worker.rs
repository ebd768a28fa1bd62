//! An operation on a part of a batch, by one thread.

use numbers::det_product::LogProduct;
use warplu::{Real, Scalar};

use super::kernels::Kernels;
use super::transpose::transpose;
use crate::case::{Case, Op, Order};
use crate::failure::Result;

/// A part of a batch. What an operation has none of is empty.
#[derive(Debug)]
pub(super) struct Part<'a, S: Scalar, P> {
    pub(super) count: usize,
    /// Matrices, or factors where the operation starts from those.
    pub(super) a: &'a [S],
    pub(super) b: &'a [S],
    pub(super) pivots: &'a mut [P],
    pub(super) out: &'a mut [S],
    pub(super) sign: &'a mut [S],
    pub(super) log_abs: &'a mut [S::Real],
}

impl<S: Scalar, P> Part<'_, S, P> {
    /// The first matrices, and the others.
    pub(super) fn split(self, first: usize) -> (Self, Self) {
        let Self { count, a, b, pivots, out, sign, log_abs } = self;
        let at = |len: usize| len / count * first;
        let ((a, a2), (b, b2)) = (a.split_at(at(a.len())), b.split_at(at(b.len())));
        let (pivots, pivots2) = pivots.split_at_mut(at(pivots.len()));
        let (out, out2) = out.split_at_mut(at(out.len()));
        let (sign, sign2) = sign.split_at_mut(at(sign.len()));
        let (log_abs, log_abs2) = log_abs.split_at_mut(at(log_abs.len()));
        let rest =
            Self { count: count - first, a: a2, b: b2, pivots: pivots2, out: out2, sign: sign2, log_abs: log_abs2 };
        (Self { count: first, a, b, pivots, out, sign, log_abs }, rest)
    }
}

/// What a thread works with.
#[derive(Debug)]
pub(super) struct Worker<S, K: Kernels<S>>
where
    S: Copy,
{
    kernels: K,
    /// For matrices that are not the result.
    scratch: Vec<S>,
    /// For right-hand sides that lie row by row.
    sides: Vec<S>,
    /// For interchanges that are not asked for.
    pivots: Vec<K::Pivot>,
}

impl<S: Scalar, K: Kernels<S>> Worker<S, K> {
    pub(super) fn new(kernels: K, case: &Case) -> Self {
        let &Case { n, rhs, .. } = case;
        let together = kernels.together();
        // Written once, so that all pages are there.
        let scratch = vec![S::ONE; together * n * n];
        let pivots = vec![K::Pivot::default(); together * K::noted(n)];
        Self { kernels, scratch, sides: vec![S::ONE; together * n * rhs], pivots }
    }

    /// Does the operation on a part. Rows are taken as columns, and the matrices so as their transposes, except by LU.
    pub(super) fn run(&mut self, case: &Case, part: Part<'_, S, K::Pivot>) -> Result<()> {
        let &Case { op, n, rhs, layout, .. } = case;
        let (square, noted) = (n * n, K::noted(n));
        let by_rows = layout == Order::C;
        let together = self.kernels.together();
        let Self { kernels, scratch, sides, pivots } = self;
        for at in (0..part.count).step_by(together) {
            let count = together.min(part.count - at);
            let scratch = &mut scratch[..count * square];
            let own = &mut pivots[..count * noted];
            let a = &part.a[at * square..][..count * square];
            match op {
                Op::Lu => {
                    let (out, pivots) =
                        (&mut part.out[at * square..][..count * square], &mut part.pivots[at * noted..]);
                    let pivots = &mut pivots[..count * noted];
                    if by_rows {
                        transpose(a, scratch, n, n);
                        kernels.factor(scratch, pivots)?;
                        transpose(scratch, out, n, n);
                    } else {
                        kernels.factor_into(a, out, pivots)?;
                    }
                }
                Op::Inv | Op::LuInv => {
                    let out = &mut part.out[at * square..][..count * square];
                    let (factored, pivots) = if op == Op::Inv {
                        let place = if K::IN_PLACE { &mut *out } else { &mut *scratch };
                        kernels.factor_into(a, place, own)?;
                        (&*scratch, &*own)
                    } else {
                        if K::IN_PLACE {
                            out.copy_from_slice(a);
                        }
                        (a, &part.pivots[at * noted..][..count * noted])
                    };
                    kernels.invert(factored, pivots, out)?;
                }
                Op::Solve | Op::SolveRefined | Op::LuSolve => {
                    let (out, b) = (&mut part.out[at * n * rhs..][..count * n * rhs], &part.b[at * n * rhs..]);
                    let b = &b[..count * n * rhs];
                    let (factored, pivots) = if op != Op::LuSolve {
                        kernels.factor_into(a, scratch, own)?;
                        (&*scratch, &*own)
                    } else {
                        (a, &part.pivots[at * noted..][..count * noted])
                    };
                    if by_rows && rhs > 1 {
                        let sides = &mut sides[..count * n * rhs];
                        transpose(b, sides, n, rhs);
                        kernels.solve(by_rows, factored, pivots, sides)?;
                        transpose(sides, out, rhs, n);
                    } else {
                        out.copy_from_slice(b);
                        kernels.solve(by_rows, factored, pivots, out)?;
                    }
                }
                Op::Det => {
                    kernels.factor_into(a, scratch, own)?;
                    for (i, (lu, pivots)) in scratch.chunks_exact(square).zip(own.chunks_exact(noted)).enumerate() {
                        let product = lu.iter().step_by(n + 1).fold(LogProduct::ONE, |all, u| all.times(u.to_c64()));
                        let product = if K::is_odd(pivots) { product.negate() } else { product };
                        part.sign[at + i] = S::from_c64(product.phase());
                        part.log_abs[at + i] = S::Real::from_f64(product.log_abs());
                    }
                }
                Op::Chol | Op::CholInv | Op::CholSolve | Op::Copy => {}
            }
        }
        Ok(())
    }
}
