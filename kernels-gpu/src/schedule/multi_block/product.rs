//! Products of parts of matrices in shared memory, by matrix instructions.

use simt::shared::Shared;
use simt::warp;

use crate::collective::fragment;
use crate::collective::mma::Mma;

/// Rows in shared memory: where the first one begins, and the distance from one to the next.
#[derive(Clone, Copy)]
pub struct Rows<T> {
    /// The first element of the first row.
    pub first: Shared<T>,
    /// From a row to the next. Lanes of a fragment should be in different banks.
    pub length: u32,
}

impl<T: Mma> Rows<T> {
    /// What begins at row `i` and column `j` of this.
    #[inline(always)]
    #[must_use]
    pub fn part(self, i: u32, j: u32) -> Self {
        Self { first: self.first.offset(i * self.length + j), ..self }
    }
}

/// A factor of a product.
pub trait Factor<T>: Copy {
    /// What begins at row `i` and column `j` of it.
    #[must_use]
    fn part(self, i: u32, j: u32) -> Self;
    /// Element (i, j).
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load(self, i: u32, j: u32) -> T;
}

impl<T: Mma> Factor<T> for Rows<T> {
    #[inline(always)]
    fn part(self, i: u32, j: u32) -> Self {
        Self::part(self, i, j)
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load(self, i: u32, j: u32) -> T {
        self.first.load(i * self.length + j)
    }
}

/// The conjugate transpose of what is in shared memory.
#[derive(Clone, Copy)]
pub struct Adjoint<T>(pub Rows<T>);

impl<T: Mma> Factor<T> for Adjoint<T> {
    #[inline(always)]
    fn part(self, i: u32, j: u32) -> Self {
        Self(self.0.part(j, i))
    }
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load(self, i: u32, j: u32) -> T {
        self.0.load(j, i).conj()
    }
}

/// `c += a b`, by a warp: c is 16 I x 8 J, a has `depth` columns, a multiple of 8, and b as many rows.
///
/// See [`Mma::multiply_parts`] for `ROUNDS`. Numbers of one factor only may be subnormal: of a if `is_data`, otherwise of b. Multipliers are the other one.
#[inline(always)]
pub fn add_product<T: Mma, const I: usize, const J: usize, const ROUNDS: bool>(
    c: &mut [[T::Tile; J]; I],
    (a, b): (impl Factor<T>, impl Factor<T>),
    depth: u32,
    is_data: bool,
) {
    if size_of::<T::Real>() == 4 && is_data {
        add_product_of::<T, _, _, I, J, true, ROUNDS>(c, a, b, depth);
    } else {
        add_product_of::<T, _, _, I, J, false, ROUNDS>(c, a, b, depth);
    }
}

#[inline(always)]
fn add_product_of<
    T: Mma,
    A: Factor<T>,
    B: Factor<T>,
    const I: usize,
    const J: usize,
    const IS_DATA: bool,
    const ROUNDS: bool,
>(
    c: &mut [[T::Tile; J]; I],
    a: A,
    b: B,
    depth: u32,
) {
    let (row, k) = (warp::lane() / 4, warp::lane() % 4);
    let (a, b) = (a.part(row, k), b.part(k, row));
    let mut first = 0;
    while first < depth {
        let mut left = [T::ZEROS; I];
        for i in 0..I {
            for e in 0..4 {
                let x = a.load(fragment::ROWS * i as u32 + 8 * (e % 2), first + 4 * (e / 2));
                T::set(&mut left[i], e as usize, x);
            }
        }
        for j in 0..J {
            let mut right = T::NO_ROW;
            for half in 0..2 {
                let parts = b.load(first + 4 * half, 8 * j as u32).to_parts();
                for part in 0..T::PARTS {
                    right.as_mut()[part][half as usize] = parts[part];
                }
            }
            for i in 0..I {
                T::multiply_parts::<IS_DATA, ROUNDS>(&mut c[i][j], &left[i], &right);
            }
        }
        first += 8;
    }
}
