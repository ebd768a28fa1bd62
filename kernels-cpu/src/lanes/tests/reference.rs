//! The algorithms as plain as can be: one matrix, one element after the other. Matrices are column-major.

use numbers::det_product::LogProduct;
use numbers::pivot::pivot_key;
use numbers::scalar::Scalar;
use numbers::status::{NON_FINITE, side_not_finite};

use numbers::op::Op;

pub(super) struct Factors<S> {
    pub(super) lu: Vec<S>,
    pub(super) pivots: Vec<u32>,
    pub(super) status: i32,
}

pub(super) fn factor<S: Scalar>(a: &[S], n: usize) -> Factors<S> {
    let (mut a, mut pivots) = (a.to_vec(), vec![0; n]);
    for k in 0..n {
        let mut row = k;
        for i in k + 1..n {
            if pivot_key(a[k * n + i], true) > pivot_key(a[k * n + row], true) {
                row = i;
            }
        }
        pivots[k] = row as u32;
        for j in 0..n {
            a.swap(j * n + k, j * n + row);
        }
        if a[k * n + k] != S::ZERO {
            for i in k + 1..n {
                a[k * n + i] = a[k * n + i].divide(a[k * n + k].divisor());
            }
        }
        for j in k + 1..n {
            for i in k + 1..n {
                a[j * n + i] = a[j * n + i].sub_mul(a[k * n + i], a[j * n + k]);
            }
        }
    }
    let status = if !a.iter().all(|x| x.is_finite()) {
        NON_FINITE
    } else {
        (0..n).find(|&k| a[k * n + k] == S::ZERO).map_or(0, |k| k as i32 + 1)
    };
    Factors { lu: a, pivots, status }
}

/// All NaN, and the status of that, unless the result is finite and the factors are good.
pub(super) fn judged<S: Scalar>(x: Vec<S>, factors: i32) -> (Vec<S>, i32) {
    let status = match factors {
        0 if !x.iter().all(|x| x.is_finite()) => NON_FINITE,
        status => status,
    };
    if status == 0 { (x, 0) } else { (vec![S::NAN; x.len()], status) }
}

/// As [`judged`], column by column.
pub(super) fn judged_sides<S: Scalar>(mut x: Vec<S>, factors: i32, n: usize) -> (Vec<S>, i32) {
    let mut status = factors;
    for (k, x) in x.chunks_exact_mut(n).enumerate() {
        if factors != 0 || !x.iter().all(|x| x.is_finite()) {
            x.fill(S::NAN);
            status = if status == 0 { side_not_finite(k as u32) } else { status };
        }
    }
    (x, status)
}

pub(super) fn solve<S: Scalar>(a: &[S], b: &[S], n: usize) -> (Vec<S>, i32) {
    solve_factored(&factor(a, n), Op::None, b, n)
}

/// op(A) X = B.
pub(super) fn solve_factored<S: Scalar>(factors: &Factors<S>, op: Op, b: &[S], n: usize) -> (Vec<S>, i32) {
    let Factors { lu, pivots, status } = factors;
    let mut x = b.to_vec();
    for b in x.chunks_exact_mut(n) {
        if op != Op::None {
            let conj = |b: &mut [S]| b.iter_mut().for_each(|x| *x = if op == Op::Adjoint { x.conj() } else { *x });
            conj(b);
            for k in 0..n {
                b[k] = b[k].divide(lu[k * n + k].divisor());
                for i in k + 1..n {
                    b[i] = b[i].sub_mul(lu[i * n + k], b[k]);
                }
            }
            for k in (0..n).rev() {
                for i in 0..k {
                    b[i] = b[i].sub_mul(lu[i * n + k], b[k]);
                }
            }
            for k in (0..n).rev() {
                b.swap(k, pivots[k] as usize);
            }
            conj(b);
            continue;
        }
        for k in 0..n {
            b.swap(k, pivots[k] as usize);
        }
        for k in 0..n {
            for i in k + 1..n {
                b[i] = b[i].sub_mul(lu[k * n + i], b[k]);
            }
        }
        for k in (0..n).rev() {
            b[k] = b[k].divide(lu[k * n + k].divisor());
            for i in 0..k {
                b[i] = b[i].sub_mul(lu[k * n + i], b[k]);
            }
        }
    }
    judged_sides(x, *status, n)
}

pub(super) fn inverse<S: Scalar>(a: &[S], n: usize) -> (Vec<S>, i32) {
    inverse_factored(&factor(a, n), n)
}

pub(super) fn inverse_factored<S: Scalar>(factors: &Factors<S>, n: usize) -> (Vec<S>, i32) {
    let Factors { lu, pivots, status } = factors;
    let mut x = vec![S::ZERO; n * n];
    // X U = I.
    for j in 0..n {
        for i in 0..=j {
            let mut sum = if i == j { S::ONE } else { S::ZERO };
            for k in i..j {
                sum = sum.sub_mul(x[k * n + i], lu[j * n + k]);
            }
            x[j * n + i] = sum.divide(lu[j * n + j].divisor());
        }
    }
    // X L = that.
    for j in (0..n).rev() {
        for k in (j + 1..n).rev() {
            for i in 0..n {
                x[j * n + i] = x[j * n + i].sub_mul(x[k * n + i], lu[j * n + k]);
            }
        }
    }
    for k in (0..n).rev() {
        for i in 0..n {
            x.swap(k * n + i, pivots[k] as usize * n + i);
        }
    }
    judged(x, *status)
}

pub(super) fn det<S: Scalar>(a: &[S], n: usize) -> (LogProduct, i32) {
    let Factors { lu, pivots, status } = factor(a, n);
    if status == NON_FINITE {
        return (LogProduct::NAN, status);
    }
    let mut product = LogProduct::ONE;
    for k in 0..n {
        product = product.times(lu[k * n + k].to_c64());
        if pivots[k] as usize != k {
            product = product.negate();
        }
    }
    (product, status)
}
