//! What the three operations do with a matrix in a thread's registers.

use crate::collective::pivot::Ties;
use numbers::scalar::Scalar;

/// The rows of a matrix of order `N`, whose `K` elements are given column by column.
#[inline(always)]
#[must_use]
pub fn rows<T: Scalar, const N: usize, const K: usize>(elements: &[T; K]) -> [[T; N]; N] {
    let mut x = [[T::ZERO; N]; N];
    for e in 0..K {
        x[e % N][e / N] = elements[e];
    }
    x
}

/// The elements of a matrix, column by column.
#[inline(always)]
#[must_use]
pub fn elements<T: Scalar, const N: usize, const K: usize>(x: &[[T; N]; N]) -> [T; K] {
    let mut elements = [T::ZERO; K];
    for e in 0..K {
        elements[e] = x[e % N][e / N];
    }
    elements
}

/// The row from k on that has the largest magnitude in column k.
#[inline(always)]
#[must_use]
pub fn find_pivot<T: Scalar, const N: usize>(x: &[[T; N]; N], k: usize, ties: Ties) -> u32 {
    let (mut pivot, mut largest) = (k as u32, x[k][k].abs1());
    for i in k + 1..N {
        let magnitude = x[i][k].abs1();
        let is_larger = match ties {
            Ties::First => magnitude > largest,
            Ties::Last => magnitude >= largest,
        };
        (pivot, largest) = if is_larger { (i as u32, magnitude) } else { (pivot, largest) };
    }
    pivot
}

/// Interchanges elements k and p of a column, or of a row; p is not below k.
#[inline(always)]
pub fn interchange<T: Scalar, const N: usize>(x: &mut [T; N], k: usize, p: u32) {
    let upper = x[k];
    for i in k + 1..N {
        let is_pivot = p == i as u32;
        x[k] = if is_pivot { x[i] } else { x[k] };
        x[i] = if is_pivot { upper } else { x[i] };
    }
}

/// Interchanges rows k and p; p is not below k.
#[inline(always)]
pub fn interchange_rows<T: Scalar, const N: usize>(x: &mut [[T; N]; N], k: usize, p: u32) {
    for c in 0..N {
        let mut column = [T::ZERO; N];
        for i in 0..N {
            column[i] = x[i][c];
        }
        interchange(&mut column, k, p);
        for i in 0..N {
            x[i][c] = column[i];
        }
    }
}

/// Whether all elements are finite: 0 times a number is 0 only then.
#[inline(always)]
#[must_use]
pub fn is_finite<T: Scalar, const N: usize, const M: usize>(x: &[[T; N]; M]) -> bool {
    let mut zero = T::ZERO;
    for row in x {
        for c in 0..N {
            zero = zero.sub_mul(row[c], T::ZERO);
        }
    }
    zero == T::ZERO
}
