//! Matrix products by a warp.

use simt::warp;

use crate::scalar::{Real, Scalar, c32, c64};
use crate::wide::Wide;

/// Real numbers whose matrices a warp multiplies, as [`warp::multiply_f64`] does.
pub trait RealProduct: Real + Wide {
    /// `c + a * b`, where a is 16 x 8, b 8 x 8, and c 16 x 8. Of the factors, b may be subnormal, or a where that `IS_DATA`.
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn add_product<const IS_DATA: bool>(c: [Self; 4], a: [Self; 4], b: &[Self; 2]) -> [Self; 4];
}

impl RealProduct for f64 {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn add_product<const IS_DATA: bool>(c: [Self; 4], a: [Self; 4], b: &[Self; 2]) -> [Self; 4] {
        warp::multiply_f64(c, a, *b)
    }
}

/// Upper part of a number, rounded to the bits that products of TF32 look at.
#[inline(always)]
fn upper(x: f32) -> f32 {
    f32::from_bits(x.to_bits().wrapping_add(0x1000) & 0xffff_e000)
}

/// What is left, exactly.
#[inline(always)]
fn lower(x: f32) -> f32 {
    x - upper(x)
}

/// Makes a lower part about as large as the number.
const LARGE: f32 = 4096.0;

/// Products of upper and lower parts, of which that of both lower ones is left out: it is at most 2^-22 of the whole, as what f32 rounds
/// away in eight products is.
///
/// Of subnormal numbers TF32 has the upper bits only, so the lower part of the factor that may be subnormal is made larger, and the other
/// factor smaller.
impl RealProduct for f32 {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn add_product<const IS_DATA: bool>(c: [Self; 4], a: [Self; 4], b: &[Self; 2]) -> [Self; 4] {
        if !warp::HAS_TF32 {
            return warp::multiply_tf32(c, a, b);
        }
        let (a_lower, b_lower) = if IS_DATA { (LARGE, 1.0) } else { (1.0, LARGE) };
        let (b_upper, rest) = ([upper(b[0]), upper(b[1])], [lower(b[0]), lower(b[1])]);
        let c = warp::multiply_tf32(c, a.map(|x| lower(x) * a_lower), &b_upper.map(|x| x / a_lower));
        let c = warp::multiply_tf32(c, a.map(|x| upper(x) / b_lower), &rest.map(|x| x * b_lower));
        warp::multiply_tf32(c, a.map(upper), &b_upper)
    }
}

/// A scalar whose matrices a warp multiplies, real and imaginary parts apart.
pub trait Product: Wide<Real: RealProduct> {
    /// The real numbers that it is made of.
    const PARTS: usize;
    /// Four numbers, part by part: shape (PARTS, 4).
    type Tile: Copy + AsRef<[[Self::Real; 4]]> + AsMut<[[Self::Real; 4]]>;
    /// Two numbers, part by part: shape (PARTS, 2).
    type Row: Copy + AsRef<[[Self::Real; 2]]> + AsMut<[[Self::Real; 2]]>;
    /// Zeros.
    const ZEROS: Self::Tile;
    /// Zeros.
    const NO_ROW: Self::Row;
    /// The upper bits of [`abs1`](crate::scalar::Scalar::abs1), but for the sign.
    #[must_use]
    fn magnitude_bits(self) -> u32;
    /// Its parts, zeros after them.
    #[must_use]
    fn to_parts(self) -> [Self::Real; 2];
    /// The number that is made of them.
    #[must_use]
    fn of_parts(parts: [Self::Real; 2]) -> Self;
    /// Number `e` of a tile.
    #[must_use]
    fn get(tile: &Self::Tile, e: usize) -> Self;
    /// Puts `x` at `e`.
    fn set(tile: &mut Self::Tile, e: usize, x: Self);
    /// `c += a * b`, where a is 16 x 8, b 8 x 8, and c 16 x 8; see [`RealProduct::add_product`].
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn multiply_parts<const IS_DATA: bool>(c: &mut Self::Tile, a: &Self::Tile, b: &Self::Row);

    /// `c + a * b` of numbers that are not apart.
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
        impl Product for $real {
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

        impl Product for $complex {
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
