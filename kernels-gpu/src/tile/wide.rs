//! Rows of numbers moved through shared memory 16 bytes at a time.

use simt::shared::{Shared, Vector};

use crate::scalar::{Scalar, c32, c64};

/// A scalar whose rows move by 16-byte instructions.
pub trait Wide: Scalar {
    /// Numbers `first..C` of an array, and perhaps a few before. The array begins at a multiple of 16 bytes, and `C` numbers
    /// are a multiple of 16 bytes.
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load_row<const C: usize>(from: Shared<Self>, first: usize) -> [Self; C];
    /// Writes them.
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store_row<const C: usize>(to: Shared<Self>, row: &[Self; C], first: usize);
}

macro_rules! wide {
    ($t:ident, $width:literal) => {
        impl Wide for $t {
            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            fn load_row<const C: usize>(from: Shared<Self>, first: usize) -> [Self; C] {
                const { assert!(C.is_multiple_of($width), "whole vectors") };
                let vectors = from.vectors::<$width>();
                let mut row = [Self::ZERO; C];
                for v in first / $width..C / $width {
                    let Vector(part) = vectors.load(v as u32);
                    for i in 0..$width {
                        row[v * $width + i] = part[i];
                    }
                }
                row
            }

            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            fn store_row<const C: usize>(to: Shared<Self>, row: &[Self; C], first: usize) {
                const { assert!(C.is_multiple_of($width), "whole vectors") };
                let vectors = to.vectors::<$width>();
                for v in first / $width..C / $width {
                    let mut part = [Self::ZERO; $width];
                    for i in 0..$width {
                        part[i] = row[v * $width + i];
                    }
                    vectors.store(v as u32, Vector(part));
                }
            }
        }
    };
}
wide!(f32, 4);
wide!(f64, 2);
wide!(c32, 2);
wide!(c64, 1);
