//! Products of matrices, C -= A B (BLAS `xGEMM`).
//!
//! Blocks of A that stay in the caches are packed as [`tile`]s of C need them; B is read where it lies. Every element
//! of C loses its products one after the other, in the order of k, each by a fused multiply-add where the CPU has them:
//! so neither blocks nor vectors nor threads matter for its bits. Where products are kept apart, those of [`DEEP`]
//! columns of A are added up first, in the same way.

mod pack;
mod tile;

use std::mem::MaybeUninit;

use super::view::{MatMut, MatRef};

use super::columns::Columns;
use super::lanes::{MAX_LANES, Number, Routine, Vector};
use super::params::Params;
use crate::element::CpuScalar;
use pack::pack;
use tile::TALL;

/// Multiplications from which on a product is divided among threads.
const PART: usize = 1 << 20;
/// Rows and columns that parts have, but for the last one: multiples of those of tiles.
const ALIGNED: usize = 48;

/// Tiles of a block of A.
const TILES: usize = 8;
/// Columns of a block of A: of real numbers; half as many of complex ones.
const DEEP: usize = 128;

/// `c -= a * b`.
pub(super) fn subtract_product<T: CpuScalar>(c: MatMut<'_, T>, a: MatRef<'_, T>, b: MatRef<'_, T>, params: Params) {
    let (rows, columns) = c.shape();
    let depth = a.ncols();
    assert!(a.nrows() == rows && b.shape() == (depth, columns), "the shapes of a product fit");
    let size = rows.saturating_mul(columns).saturating_mul(depth);
    if !params.parallel || size <= PART || rows.max(columns) < 2 * ALIGNED {
        return subtract(params, c, a, b);
    }
    if rows > columns {
        let half = (rows / 2).next_multiple_of(ALIGNED);
        let ((a1, a2), (c1, c2)) = (a.split_at_row(half), c.split_at_row_mut(half));
        params.join(|| subtract_product(c1, a1, b, params), || subtract_product(c2, a2, b, params));
    } else {
        let half = (columns / 2).next_multiple_of(ALIGNED);
        let ((b1, b2), (c1, c2)) = (b.split_at_col(half), c.split_at_col_mut(half));
        params.join(|| subtract_product(c1, a, b1, params), || subtract_product(c2, a, b2, params));
    }
}

/// `c -= a * b`, by one thread. No part of a caller: the room would be on its stack for longer.
#[inline(never)]
fn subtract<T: CpuScalar>(params: Params, c: MatMut<'_, T>, a: MatRef<'_, T>, b: MatRef<'_, T>) {
    let (rows, columns, depth) = (c.nrows(), c.ncols(), a.ncols());
    let (c, a, b) = (Columns::of_mut(c), Columns::of(a), Columns::of(b));
    // On the stack: no call may fail for want of it, and what runs here goes no deeper.
    let mut room = MaybeUninit::<Room>::uninit();
    // SAFETY: the matrices are borrowed; the room is written before it is read.
    unsafe {
        let Params { isa, apart, .. } = params;
        isa.run(Subtract { c, a, b, rows, columns, depth, apart, room: room.as_mut_ptr() });
    }
}

/// Bytes of a packed block of the largest numbers and vectors: shape (tiles, columns, parts, vectors of a tile, lanes).
const BYTES: usize = TILES * DEEP * TALL * size_of::<[f32; MAX_LANES]>();

/// A packed block.
#[repr(C, align(64))]
struct Room([u8; BYTES]);

struct Subtract<T> {
    c: Columns<T>,
    a: Columns<T>,
    b: Columns<T>,
    rows: usize,
    columns: usize,
    depth: usize,
    /// As [`Params`] has it.
    apart: bool,
    room: *mut Room,
}

impl<T: CpuScalar> Routine for Subtract<T> {
    type Scalar = T;
    type Output = ();

    #[inline(always)]
    unsafe fn run<N: Number<Scalar = T>>(self) {
        // SAFETY: the caller's promise. Sums take three quarters of the registers.
        unsafe {
            if N::Vector::REGISTERS >= 32 {
                self.by_blocks::<N, 8>();
            } else {
                self.by_blocks::<N, 4>();
            }
        }
    }
}

impl<T: CpuScalar> Subtract<T> {
    /// With tiles of `C` columns.
    ///
    /// # Safety
    /// The CPU has the instructions, the elements may be read and those of C written, and the room is nobody else's.
    #[inline(always)]
    unsafe fn by_blocks<N: Number<Scalar = T>, const C: usize>(&self) {
        let Self { c, a, b, rows, columns, depth, apart, room } = *self;
        let (deep, tall) = (DEEP / N::PARTS, TALL * N::Vector::LANES / N::PARTS);
        // SAFETY: the caller's promise; blocks are no larger than the room.
        unsafe {
            let packed = (&raw mut (*room).0).cast::<N::Real>();
            for k in (0..depth).step_by(deep) {
                let depth = deep.min(depth - k);
                for top in (0..rows).step_by(TILES * tall) {
                    let rows = (TILES * tall).min(rows - top);
                    pack::<N>(a.from(top, k), rows, depth, packed);
                    tile::all::<N, C>(c.from(top, 0), (rows, columns), packed, b.from(k, 0), (depth, apart));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::mat::Mat;
    use numbers::scalar::Scalar;

    use super::super::lanes::Isa;
    use super::super::testing::{Random, bits, for_all_types, is_complex};
    use super::*;

    for_all_types!(sums_are_in_order, threads_do_not_matter);

    /// Element by element, in the order of k.
    fn plain<T: CpuScalar>(c: &Mat<T>, a: &Mat<T>, b: &Mat<T>, apart: bool) -> Mat<T> {
        let deep = DEEP / if is_complex::<T>() { 2 } else { 1 };
        let columns: Vec<usize> = (0..a.ncols()).collect();
        Mat::from_fn(c.nrows(), c.ncols(), |i, j| {
            let subtract = |sum: T, columns: &[usize]| {
                columns.iter().fold(sum, |sum, &k| {
                    let (a, b) = (a[(i, k)], b[(k, j)]);
                    let part = |re, im| T::from_c64(numbers::scalar::c64::new(re, im));
                    let (wide_a, wide_b) = (a.to_c64(), b.to_c64());
                    // The real part of b first, then the imaginary one.
                    let sum = rotated_sub_mul(sum, a, wide_b.re);
                    rotated_sub_mul(sum, part(-wide_a.im, wide_a.re), wide_b.im)
                })
            };
            if apart {
                columns.chunks(deep).fold(c[(i, j)], |sum, some| sum + subtract(T::ZERO, some))
            } else {
                subtract(c[(i, j)], &columns)
            }
        })
    }

    /// `sum - a * b` for a real b, part by part.
    fn rotated_sub_mul<T: CpuScalar>(sum: T, a: T, b: f64) -> T {
        use numbers::scalar::{Real, c64};
        let real = |x: f64| <T as Scalar>::Real::from_f64(x);
        let one = |sum: f64, a: f64| real(sum).sub_mul(real(a), real(b)).to_f64();
        let (wide, a) = (sum.to_c64(), a.to_c64());
        T::from_c64(c64::new(one(wide.re, a.re), one(wide.im, a.im)))
    }

    fn sums_are_in_order<T: CpuScalar>() {
        let mut random = Random(1);
        let sizes =
            [(1, 1, 1), (3, 5, 0), (7, 9, 130), (48, 8, 64), (49, 17, 65), (97, 33, 20), (200, 13, 129), (20, 210, 9)];
        for (rows, columns, depth) in sizes {
            let [a, b, c] = [(rows, depth), (depth, columns), (rows, columns)].map(|(m, n)| random.matrix::<T>(m, n));
            for apart in [false, true] {
                let expected = bits(plain(&c, &a, &b, apart).as_ref());
                for isa in Isa::available().into_iter().filter(|isa| isa.has_groups()) {
                    let mut c = c.clone();
                    subtract(Params { isa, apart, ..Params::default() }, c.as_mut(), a.as_ref(), b.as_ref());
                    assert!(bits(c.as_ref()) == expected, "{rows} x {columns} x {depth}, {isa:?}, apart: {apart}");
                }
            }
        }
    }

    fn threads_do_not_matter<T: CpuScalar>() {
        let mut random = Random(2);
        let [a, b, c] = [(150, 100), (100, 333), (150, 333)].map(|(m, n)| random.matrix::<T>(m, n));
        for apart in [false, true] {
            let [one, many] = [false, true].map(|parallel| {
                let mut c = c.clone();
                let params = Params { parallel, apart, ..Params::default() };
                subtract_product(c.as_mut(), a.as_ref(), b.as_ref(), params);
                bits(c.as_ref())
            });
            assert!(one == many);
        }
    }
}
