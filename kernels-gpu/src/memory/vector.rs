//! Numbers moved through shared memory 16 bytes at a time.

use simt::global::Global;
use simt::pipeline;
use simt::shared::{Shared, Vector};

use numbers::scalar::{Scalar, c32, c64};

/// A scalar of which 16 bytes move by one instruction. Arrays begin at a multiple of 16 bytes.
pub trait Vectorized: Scalar {
    /// Numbers in 16 bytes.
    const VECTOR: usize;

    /// Vector `i` of an array, its `VECTOR` numbers first.
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load_vector(from: Shared<Self>, i: u32) -> [Self; 4];
    /// Writes vector `i` of an array: the numbers of `x` from `first` on.
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store_vector<const N: usize>(to: Shared<Self>, i: u32, x: &[Self; N], first: usize);

    /// Begins to copy vector `j` of an array to vector `i` of another.
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn copy_vector(to: Shared<Self>, i: u32, from: Global<Self>, j: u32);

    /// Two numbers; they begin at a multiple of 16 bytes, of f32 at one of 8.
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load_pair(from: Shared<Self>) -> [Self; 2];
    /// Writes them.
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store_pair(to: Shared<Self>, pair: [Self; 2]);

    /// Vector `i` of an array in device memory, its `VECTOR` numbers first.
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load_global_vector(from: Global<Self>, i: u32) -> [Self; 4];
    /// Writes vector `i` of an array in device memory: the first numbers of `x`.
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store_global_vector(to: Global<Self>, i: u32, x: [Self; 4]);
    /// Two numbers in device memory; they begin at a multiple of 16 bytes, of f32 at one of 8.
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load_global_pair(from: Global<Self>) -> [Self; 2];
    /// Writes them.
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store_global_pair(to: Global<Self>, pair: [Self; 2]);

    /// Numbers `first..C` of an array, and perhaps a few before; `C` numbers are a multiple of 16 bytes.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load_row<const C: usize>(from: Shared<Self>, first: usize) -> [Self; C] {
        const { assert!(C.is_multiple_of(Self::VECTOR), "whole vectors") };
        let mut row = [Self::ZERO; C];
        for v in first / Self::VECTOR..C / Self::VECTOR {
            let part = Self::load_vector(from, v as u32);
            for i in 0..Self::VECTOR {
                row[v * Self::VECTOR + i] = part[i];
            }
        }
        row
    }
    /// Writes them.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store_row<const C: usize>(to: Shared<Self>, row: &[Self; C], first: usize) {
        const { assert!(C.is_multiple_of(Self::VECTOR), "whole vectors") };
        for v in first / Self::VECTOR..C / Self::VECTOR {
            Self::store_vector(to, v as u32, row, v * Self::VECTOR);
        }
    }
}

macro_rules! wide {
    ($t:ident, $vector:literal, $load_pair:expr, $store_pair:expr, $load_global_pair:expr, $store_global_pair:expr) => {
        impl Vectorized for $t {
            const VECTOR: usize = $vector;

            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            fn load_vector(from: Shared<Self>, i: u32) -> [Self; 4] {
                let mut numbers = [Self::ZERO; 4];
                numbers[..$vector].copy_from_slice(&from.vectors::<$vector>().load(i).0);
                numbers
            }

            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            fn store_vector<const N: usize>(to: Shared<Self>, i: u32, x: &[Self; N], first: usize) {
                let mut vector = [Self::ZERO; $vector];
                vector.copy_from_slice(&x[first..first + $vector]);
                to.vectors::<$vector>().store(i, Vector(vector));
            }

            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            fn copy_vector(to: Shared<Self>, i: u32, from: Global<Self>, j: u32) {
                pipeline::copy(to.vectors::<$vector>(), i, from.vectors::<$vector>().offset(j as i64), true);
            }

            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            fn load_pair(from: Shared<Self>) -> [Self; 2] {
                $load_pair(from)
            }

            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            fn store_pair(to: Shared<Self>, pair: [Self; 2]) {
                $store_pair(to, pair);
            }

            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            fn load_global_vector(from: Global<Self>, i: u32) -> [Self; 4] {
                let mut numbers = [Self::ZERO; 4];
                numbers[..$vector].copy_from_slice(&from.vectors::<$vector>().load(i as i64).0);
                numbers
            }

            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            fn store_global_vector(to: Global<Self>, i: u32, x: [Self; 4]) {
                let mut vector = [Self::ZERO; $vector];
                vector.copy_from_slice(&x[..$vector]);
                to.vectors::<$vector>().store(i as i64, Vector(vector));
            }

            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            fn load_global_pair(from: Global<Self>) -> [Self; 2] {
                $load_global_pair(from)
            }

            #[inline(always)]
            #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
            fn store_global_pair(to: Global<Self>, pair: [Self; 2]) {
                $store_global_pair(to, pair);
            }
        }
    };
}
wide!(
    f32,
    4,
    |from: Shared<f32>| from.load_pair(),
    |to: Shared<f32>, pair| to.store_pair(pair),
    |from: Global<f32>| from.load_pair(),
    |to: Global<f32>, pair| to.store_pair(pair)
);
wide!(
    f64,
    2,
    |from| Self::load_row(from, 0),
    |to, pair| Self::store_row(to, &pair, 0),
    |from| first_two(Self::load_global_vector(from, 0)),
    |to, pair: [Self; 2]| Self::store_global_vector(to, 0, [pair[0], pair[1], Self::ZERO, Self::ZERO])
);
wide!(
    c32,
    2,
    |from| Self::load_row(from, 0),
    |to, pair| Self::store_row(to, &pair, 0),
    |from| first_two(Self::load_global_vector(from, 0)),
    |to, pair: [Self; 2]| Self::store_global_vector(to, 0, [pair[0], pair[1], Self::ZERO, Self::ZERO])
);
wide!(
    c64,
    1,
    |from| Self::load_row(from, 0),
    |to, pair| Self::store_row(to, &pair, 0),
    |from| [Self::load_global_vector(from, 0)[0], Self::load_global_vector(from, 1)[0]],
    |to, pair: [Self; 2]| {
        Self::store_global_vector(to, 0, [pair[0]; 4]);
        Self::store_global_vector(to, 1, [pair[1]; 4]);
    }
);

/// The numbers of a vector of two.
#[inline(always)]
fn first_two<T: Scalar>(x: [T; 4]) -> [T; 2] {
    [x[0], x[1]]
}
