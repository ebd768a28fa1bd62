//! Matrix products by a warp.

use simt::warp;

use crate::scalar::{Real, Scalar, c64};
use crate::wide::Wide;

/// A scalar whose matrices a warp multiplies, as [`warp::multiply_f64`] does.
pub trait Product: Wide {
    /// `c + a * b`, where a is 16 x 8, b 8 x 8, and c 16 x 8.
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn multiply(c: [Self; 4], a: [Self; 4], b: [Self; 2]) -> [Self; 4];

    /// The f64 numbers that it is made of. Products have those of a kind together.
    const PARTS: usize;
    /// Four numbers, part by part: shape (PARTS, 4).
    type Tile: Copy + AsRef<[[f64; 4]]> + AsMut<[[f64; 4]]>;
    /// Two numbers, part by part: shape (PARTS, 2).
    type Row: Copy + AsRef<[[f64; 2]]> + AsMut<[[f64; 2]]>;
    /// Zeros.
    const ZEROS: Self::Tile;
    /// Zeros.
    const NO_ROW: Self::Row;
    /// The upper bits of [`abs1`](crate::scalar::Scalar::abs1), but for the sign.
    #[must_use]
    fn magnitude_bits(self) -> u32;
    /// Its parts, zeros after them.
    #[must_use]
    fn to_parts(self) -> [f64; 2];
    /// The number that is made of them.
    #[must_use]
    fn of_parts(parts: [f64; 2]) -> Self;
    /// Number `e` of a tile.
    #[must_use]
    fn get(tile: &Self::Tile, e: usize) -> Self;
    /// Puts `x` at `e`.
    fn set(tile: &mut Self::Tile, e: usize, x: Self);
    /// `c += a * b`, where a is 16 x 8, b 8 x 8, and c 16 x 8.
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn multiply_parts(c: &mut Self::Tile, a: &Self::Tile, b: &Self::Row);
}

impl Product for f64 {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn multiply(c: [Self; 4], a: [Self; 4], b: [Self; 2]) -> [Self; 4] {
        warp::multiply_f64(c, a, b)
    }

    const PARTS: usize = 1;
    type Tile = [[f64; 4]; 1];
    type Row = [[f64; 2]; 1];
    const ZEROS: Self::Tile = [[0.0; 4]];
    const NO_ROW: Self::Row = [[0.0; 2]];
    #[inline(always)]
    fn magnitude_bits(self) -> u32 {
        self.to_words().0
    }
    #[inline(always)]
    fn to_parts(self) -> [f64; 2] {
        [self, 0.0]
    }
    #[inline(always)]
    fn of_parts(parts: [f64; 2]) -> Self {
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
    fn multiply_parts(c: &mut Self::Tile, a: &Self::Tile, b: &Self::Row) {
        c[0] = warp::multiply_f64(c[0], a[0], b[0]);
    }
}

impl Product for c64 {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn multiply(c: [Self; 4], a: [Self; 4], b: [Self; 2]) -> [Self; 4] {
        let (a_re, a_im) = (a.map(|x| x.re), a.map(|x| x.im));
        let (b_re, b_im) = (b.map(|x| x.re), b.map(|x| x.im));
        let re = warp::multiply_f64(c.map(|x| x.re), a_re, b_re);
        let im = warp::multiply_f64(c.map(|x| x.im), a_re, b_im);
        let re = warp::multiply_f64(re, a_im, b_im.map(|x| -x));
        let im = warp::multiply_f64(im, a_im, b_re);
        [0, 1, 2, 3].map(|e| Self::new(re[e], im[e]))
    }

    const PARTS: usize = 2;
    type Tile = [[f64; 4]; 2];
    type Row = [[f64; 2]; 2];
    const ZEROS: Self::Tile = [[0.0; 4]; 2];
    const NO_ROW: Self::Row = [[0.0; 2]; 2];
    #[inline(always)]
    fn magnitude_bits(self) -> u32 {
        self.abs1().to_words().0
    }
    #[inline(always)]
    fn to_parts(self) -> [f64; 2] {
        [self.re, self.im]
    }
    #[inline(always)]
    fn of_parts(parts: [f64; 2]) -> Self {
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
    fn multiply_parts(c: &mut Self::Tile, a: &Self::Tile, b: &Self::Row) {
        c[0] = warp::multiply_f64(c[0], a[0], b[0]);
        c[1] = warp::multiply_f64(c[1], a[0], b[1]);
        c[0] = warp::multiply_f64(c[0], a[1], b[1].map(|x| -x));
        c[1] = warp::multiply_f64(c[1], a[1], b[0]);
    }
}
