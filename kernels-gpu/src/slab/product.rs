//! Matrix products by a warp.

use simt::warp;

use crate::scalar::c64;
use crate::wide::Wide;

/// A scalar whose matrices a warp multiplies, as [`warp::multiply_f64`] does.
pub trait Product: Wide {
    /// `c + a * b`, where a is 16 x 8, b 8 x 8, and c 16 x 8.
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn multiply(c: [Self; 4], a: [Self; 4], b: [Self; 2]) -> [Self; 4];
}

impl Product for f64 {
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn multiply(c: [Self; 4], a: [Self; 4], b: [Self; 2]) -> [Self; 4] {
        warp::multiply_f64(c, a, b)
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
}
