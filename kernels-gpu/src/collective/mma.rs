//! Matrix products by the tensor cores, a warp at a time: D = C + A B, where A is 16 x 8, B 8 x 8, and C 16 x 8.
//!
//! Which elements a lane holds: [`fragment`](crate::collective::fragment). f64 has an instruction of its own. f32 is
//! split into two TF32 numbers, and three of their four products are added up (3xTF32, as in CUTLASS). A complex
//! product is four real ones of the parts, which are kept in separate registers.

use simt::math::Fused;
use simt::warp;

use crate::memory::vector::Vectorized;
use numbers::scalar::{Real, Scalar, c32, c64};

/// Real numbers with matrix products; operands are held as those of [`warp::multiply_f64`].
pub trait RealMma: Real + Vectorized {
    /// What products are added to that are to be added to `c`: `c` itself, or if the sum `ROUNDS` and tensor cores do not,
    /// zeros, which [`end`](Self::end) adds to `c`.
    #[must_use]
    fn begin<const ROUNDS: bool>(c: [Self; 4]) -> [Self; 4];
    /// `sum + a * b`. Only one factor may hold subnormal numbers: a if `IS_DATA`, otherwise b.
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn add_product<const IS_DATA: bool>(sum: [Self; 4], a: &[Self; 4], b: &[Self; 2]) -> [Self; 4];
    /// `c` plus the products, from their sum.
    #[must_use]
    fn end<const ROUNDS: bool>(c: [Self; 4], sum: [Self; 4]) -> [Self; 4];
    /// `c` plus all `a * b`, where both factors may hold subnormal numbers.
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn add_products_of_any<const N: usize>(c: [Self; 4], factors: [([Self; 4], [Self; 2]); N]) -> [Self; 4];
}

impl RealMma for f64 {
    #[inline(always)]
    fn begin<const ROUNDS: bool>(c: [Self; 4]) -> [Self; 4] {
        c
    }

    #[inline(always)]
    fn end<const ROUNDS: bool>(_: [Self; 4], sum: [Self; 4]) -> [Self; 4] {
        sum
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn add_product<const IS_DATA: bool>(sum: [Self; 4], a: &[Self; 4], b: &[Self; 2]) -> [Self; 4] {
        warp::multiply_f64(sum, *a, *b)
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn add_products_of_any<const N: usize>(mut c: [Self; 4], factors: [([Self; 4], [Self; 2]); N]) -> [Self; 4] {
        for i in 0..N {
            c = warp::multiply_f64(c, factors[i].0, factors[i].1);
        }
        c
    }
}

/// `x` rounded to TF32: 10 bits of the fraction.
#[inline(always)]
fn upper(x: f32) -> f32 {
    f32::from_bits(x.to_bits().wrapping_add(0x1000) & 0xffff_e000)
}

/// The rest of `x`, exactly.
#[inline(always)]
fn lower(x: f32) -> f32 {
    x - upper(x)
}

#[inline(always)]
fn each(a: &[f32; 4], f: impl Fn(f32) -> f32) -> [f32; 4] {
    [f(a[0]), f(a[1]), f(a[2]), f(a[3])]
}

/// 2^12, which makes a lower part about as large as its number.
const LARGE: f32 = 4096.0;

/// 3xTF32: the product of both lower parts, left out, is at most 2^-22 of the whole: what f32 rounds off in 8 products.
///
/// TF32 keeps fewer bits of a subnormal number. So the lower part of the factor that may be subnormal is scaled up, and
/// the other factor down. Where both may be, lower parts are scaled up, and their products added up apart.
///
/// Tensor cores cut off what does not fit into a sum, instead of rounding it: a sum that many products are added to would
/// lose up to a unit in its last place each time, always towards zero. So if a sum is to round, products are added up
/// from zero, and then to `c` by an addition.
impl RealMma for f32 {
    #[inline(always)]
    fn begin<const ROUNDS: bool>(c: [Self; 4]) -> [Self; 4] {
        if ROUNDS { [0.0; 4] } else { c }
    }

    #[inline(always)]
    fn end<const ROUNDS: bool>(c: [Self; 4], sum: [Self; 4]) -> [Self; 4] {
        if ROUNDS { [c[0] + sum[0], c[1] + sum[1], c[2] + sum[2], c[3] + sum[3]] } else { sum }
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn add_product<const IS_DATA: bool>(sum: [Self; 4], a: &[Self; 4], b: &[Self; 2]) -> [Self; 4] {
        let (a_lower, b_lower) = if IS_DATA { (LARGE, 1.0) } else { (1.0, LARGE) };
        let (b_upper, rest) = ([upper(b[0]), upper(b[1])], [lower(b[0]), lower(b[1])]);
        let sum =
            warp::multiply_tf32(sum, each(a, |x| lower(x) * a_lower), &[b_upper[0] / a_lower, b_upper[1] / a_lower]);
        let sum = warp::multiply_tf32(sum, each(a, |x| upper(x) / b_lower), &[rest[0] * b_lower, rest[1] * b_lower]);
        warp::multiply_tf32(sum, each(a, upper), &b_upper)
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn add_products_of_any<const N: usize>(c: [Self; 4], factors: [([Self; 4], [Self; 2]); N]) -> [Self; 4] {
        let (mut small, mut sum) = ([0.0; 4], [0.0; 4]);
        for i in 0..N {
            let (a, b) = factors[i];
            let b_upper = b.map(upper);
            small = warp::multiply_tf32(small, a.map(|x| lower(x) * LARGE), &b_upper);
            small = warp::multiply_tf32(small, a.map(upper), &b.map(|x| lower(x) * LARGE));
            sum = warp::multiply_tf32(sum, a.map(upper), &b_upper);
        }
        [0, 1, 2, 3].map(|e| c[e] + Fused::mul_add(small[e], 1.0 / LARGE, sum[e]))
    }
}

/// A scalar with matrix products. Complex operands are kept as real parts and imaginary parts.
pub trait Mma: Vectorized<Real: RealMma> {
    /// Its parts: 1 if real, 2 if complex.
    const PARTS: usize;
    /// A lane's elements of A, C or D, part by part: shape (PARTS, 4).
    type Tile: Copy + AsRef<[[Self::Real; 4]]> + AsMut<[[Self::Real; 4]]>;
    /// A lane's elements of B, part by part: shape (PARTS, 2).
    type Row: Copy + AsRef<[[Self::Real; 2]]> + AsMut<[[Self::Real; 2]]>;
    /// A tile of zeros.
    const ZEROS: Self::Tile;
    /// Zeros for B.
    const NO_ROW: Self::Row;
    /// The upper bits of [`abs1`](numbers::scalar::Scalar::abs1); of real numbers the sign bit may be set.
    #[must_use]
    fn magnitude_bits(self) -> u32;
    /// Its parts; the second is 0 if it is real.
    #[must_use]
    fn to_parts(self) -> [Self::Real; 2];
    /// The number with these parts.
    #[must_use]
    fn of_parts(parts: [Self::Real; 2]) -> Self;
    /// Number `e` of a tile.
    #[must_use]
    fn get(tile: &Self::Tile, e: usize) -> Self;
    /// Replaces number `e` of a tile.
    fn set(tile: &mut Self::Tile, e: usize, x: Self);
    /// `c += a * b`; see [`RealMma::add_product`] for `IS_DATA`. Without `ROUNDS` it takes fewer registers, and errors of
    /// long sums grow with their length, within the bounds of norms.
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn multiply_parts<const IS_DATA: bool, const ROUNDS: bool>(c: &mut Self::Tile, a: &Self::Tile, b: &Self::Row);
    /// `c += a * b`, where both factors may hold subnormal numbers.
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn multiply_parts_of_any(c: &mut Self::Tile, a: &Self::Tile, b: &Self::Row);

    /// `c + a * b` of numbers as they are in memory, parts together.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn multiply<const IS_DATA: bool, const ROUNDS: bool>(c: [Self; 4], a: [Self; 4], b: [Self; 2]) -> [Self; 4] {
        let mut tile = by_parts(c);
        Self::multiply_parts::<IS_DATA, ROUNDS>(&mut tile, &by_parts(a), &row_by_parts(b));
        [0, 1, 2, 3].map(|e| Self::get(&tile, e))
    }

    /// The same where both factors may hold subnormal numbers.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn multiply_any(c: [Self; 4], a: [Self; 4], b: [Self; 2]) -> [Self; 4] {
        let mut tile = by_parts(c);
        Self::multiply_parts_of_any(&mut tile, &by_parts(a), &row_by_parts(b));
        [0, 1, 2, 3].map(|e| Self::get(&tile, e))
    }
}

/// A lane's elements of A, C or D.
#[inline(always)]
fn by_parts<T: Mma>(x: [T; 4]) -> T::Tile {
    let mut tile = T::ZEROS;
    for e in 0..4 {
        T::set(&mut tile, e, x[e]);
    }
    tile
}

/// A lane's elements of B.
#[inline(always)]
fn row_by_parts<T: Mma>(x: [T; 2]) -> T::Row {
    let mut row = T::NO_ROW;
    for half in 0..2 {
        let parts = x[half].to_parts();
        for part in 0..T::PARTS {
            row.as_mut()[part][half] = parts[part];
        }
    }
    row
}

macro_rules! product {
    ($real:ident, $complex:ident) => {
        impl Mma for $real {
            const PARTS: usize = 1;
            type Tile = [[$real; 4]; 1];
            type Row = [[$real; 2]; 1];
            const ZEROS: Self::Tile = [[0.0; 4]];
            const NO_ROW: Self::Row = [[0.0; 2]];
            #[inline(always)]
            fn magnitude_bits(self) -> u32 {
                self.to_words().0
            }
            #[inline(always)]
            fn to_parts(self) -> [$real; 2] {
                [self, 0.0]
            }
            #[inline(always)]
            fn of_parts(parts: [$real; 2]) -> Self {
                parts[0]
            }
            #[inline(always)]
            fn get(tile: &Self::Tile, e: usize) -> Self {
                tile[0][e]
            }
            #[inline(always)]
            fn set(tile: &mut Self::Tile, e: usize, x: Self) {
                tile[0][e] = x;
            }
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            fn multiply_parts<const IS_DATA: bool, const ROUNDS: bool>(
                c: &mut Self::Tile,
                a: &Self::Tile,
                b: &Self::Row,
            ) {
                let sum = $real::add_product::<IS_DATA>($real::begin::<ROUNDS>(c[0]), &a[0], &b[0]);
                c[0] = $real::end::<ROUNDS>(c[0], sum);
            }
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            fn multiply_parts_of_any(c: &mut Self::Tile, a: &Self::Tile, b: &Self::Row) {
                c[0] = $real::add_products_of_any(c[0], [(a[0], b[0])]);
            }
        }

        impl Mma for $complex {
            const PARTS: usize = 2;
            type Tile = [[$real; 4]; 2];
            type Row = [[$real; 2]; 2];
            const ZEROS: Self::Tile = [[0.0; 4]; 2];
            const NO_ROW: Self::Row = [[0.0; 2]; 2];
            #[inline(always)]
            fn magnitude_bits(self) -> u32 {
                self.abs1().to_words().0
            }
            #[inline(always)]
            fn to_parts(self) -> [$real; 2] {
                [self.re, self.im]
            }
            #[inline(always)]
            fn of_parts(parts: [$real; 2]) -> Self {
                Self::new(parts[0], parts[1])
            }
            #[inline(always)]
            fn get(tile: &Self::Tile, e: usize) -> Self {
                Self::new(tile[0][e], tile[1][e])
            }
            #[inline(always)]
            fn set(tile: &mut Self::Tile, e: usize, x: Self) {
                tile[0][e] = x.re;
                tile[1][e] = x.im;
            }
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            fn multiply_parts<const IS_DATA: bool, const ROUNDS: bool>(
                c: &mut Self::Tile,
                a: &Self::Tile,
                b: &Self::Row,
            ) {
                let before = *c;
                c[0] = $real::add_product::<IS_DATA>($real::begin::<ROUNDS>(c[0]), &a[0], &b[0]);
                c[1] = $real::add_product::<IS_DATA>($real::begin::<ROUNDS>(c[1]), &a[0], &b[1]);
                c[0] = $real::add_product::<IS_DATA>(c[0], &a[1], &[-b[1][0], -b[1][1]]);
                c[1] = $real::add_product::<IS_DATA>(c[1], &a[1], &b[0]);
                c[0] = $real::end::<ROUNDS>(before[0], c[0]);
                c[1] = $real::end::<ROUNDS>(before[1], c[1]);
            }
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            fn multiply_parts_of_any(c: &mut Self::Tile, a: &Self::Tile, b: &Self::Row) {
                c[0] = $real::add_products_of_any(c[0], [(a[0], b[0]), (a[1], [-b[1][0], -b[1][1]])]);
                c[1] = $real::add_products_of_any(c[1], [(a[0], b[1]), (a[1], b[0])]);
            }
        }
    };
}
product!(f32, c32);
product!(f64, c64);
