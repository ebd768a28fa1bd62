//! Matrix products by the tensor cores, a warp at a time: D = C + A B, where A is 16 x 8, B 8 x 8, and C 16 x 8.
//!
//! Which elements a lane holds: [`fragment`](crate::collective::fragment). f64 has an instruction of its own. f32 is
//! split into two TF32 numbers, and three of their four products are added up (3xTF32, as in CUTLASS). A complex
//! product is four real ones of the parts, which are kept in separate registers.

use simt::warp;

use crate::numbers::scalar::{Real, Scalar, c32, c64};
use crate::numbers::vector::Vectorized;

/// Real numbers with matrix products; operands are held as those of [`warp::multiply_f64`].
pub trait RealMma: Real + Vectorized {
    /// `c + a * b`. Only one factor may hold subnormal numbers: a if `IS_DATA`, otherwise b.
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn add_product<const IS_DATA: bool>(c: [Self; 4], a: [Self; 4], b: &[Self; 2]) -> [Self; 4];
}

impl RealMma for f64 {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn add_product<const IS_DATA: bool>(c: [Self; 4], a: [Self; 4], b: &[Self; 2]) -> [Self; 4] {
        warp::multiply_f64(c, a, *b)
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

/// 2^12, which makes a lower part about as large as its number.
const LARGE: f32 = 4096.0;

/// 3xTF32: the product of both lower parts, left out, is at most 2^-22 of the whole: what f32 rounds off in 8 products.
///
/// TF32 keeps fewer bits of a subnormal number. So the lower part of the factor that may be subnormal is scaled up, and
/// the other factor down.
impl RealMma for f32 {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn add_product<const IS_DATA: bool>(c: [Self; 4], a: [Self; 4], b: &[Self; 2]) -> [Self; 4] {
        let (a_lower, b_lower) = if IS_DATA { (LARGE, 1.0) } else { (1.0, LARGE) };
        let (b_upper, rest) = ([upper(b[0]), upper(b[1])], [lower(b[0]), lower(b[1])]);
        let c = warp::multiply_tf32(c, a.map(|x| lower(x) * a_lower), &b_upper.map(|x| x / a_lower));
        let c = warp::multiply_tf32(c, a.map(|x| upper(x) / b_lower), &rest.map(|x| x * b_lower));
        warp::multiply_tf32(c, a.map(upper), &b_upper)
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
    /// The upper bits of [`abs1`](crate::numbers::scalar::Scalar::abs1); of real numbers the sign bit may be set.
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
    /// `c += a * b`; see [`RealMma::add_product`] for `IS_DATA`.
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn multiply_parts<const IS_DATA: bool>(c: &mut Self::Tile, a: &Self::Tile, b: &Self::Row);

    /// `c + a * b` of numbers as they are in memory, parts together.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn multiply<const IS_DATA: bool>(c: [Self; 4], a: [Self; 4], b: [Self; 2]) -> [Self; 4] {
        let (mut tile, mut factor, mut row) = (Self::ZEROS, Self::ZEROS, Self::NO_ROW);
        for e in 0..4 {
            Self::set(&mut tile, e, c[e]);
            Self::set(&mut factor, e, a[e]);
        }
        for half in 0..2 {
            let parts = b[half].to_parts();
            for part in 0..Self::PARTS {
                row.as_mut()[part][half] = parts[part];
            }
        }
        Self::multiply_parts::<IS_DATA>(&mut tile, &factor, &row);
        [0, 1, 2, 3].map(|e| Self::get(&tile, e))
    }
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
            fn multiply_parts<const IS_DATA: bool>(c: &mut Self::Tile, a: &Self::Tile, b: &Self::Row) {
                c[0] = $real::add_product::<IS_DATA>(c[0], a[0], &b[0]);
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
            fn multiply_parts<const IS_DATA: bool>(c: &mut Self::Tile, a: &Self::Tile, b: &Self::Row) {
                c[0] = $real::add_product::<IS_DATA>(c[0], a[0], &b[0]);
                c[1] = $real::add_product::<IS_DATA>(c[1], a[0], &b[1]);
                c[0] = $real::add_product::<IS_DATA>(c[0], a[1], &[-b[1][0], -b[1][1]]);
                c[1] = $real::add_product::<IS_DATA>(c[1], a[1], &b[0]);
            }
        }
    };
}
product!(f32, c32);
product!(f64, c64);
