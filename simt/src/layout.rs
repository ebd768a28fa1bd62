//! The layout of a block's shared memory.

use crate::Pod;
use crate::shared::{self, Shared};

/// Shared memory handed out array after array.
///
/// One function says which arrays there are: run by [`bytes`](Self::bytes), on the host, it tells how much memory a launch has to ask
/// for, and by [`place`](Self::place), in the kernel, where the arrays are. So the two cannot disagree.
///
/// ```
/// use simt::layout::Layout;
/// use simt::shared::Shared;
///
/// /// What a block keeps in shared memory.
/// struct Storage {
///     pivots: Shared<u32>, // shape (n)
///     panel: Shared<f64>,  // shape (n, 8)
/// }
///
/// fn storage(layout: &mut Layout, n: u32) -> Storage {
///     Storage { pivots: layout.array(n), panel: layout.array(8 * n) }
/// }
///
/// assert_eq!(Layout::bytes(|layout| storage(layout, 3)), 16 + 3 * 8 * 8);
/// ```
#[derive(Debug)]
pub struct Layout {
    /// Bytes that have been handed out.
    end: u32,
}

impl Layout {
    /// Bytes of the arrays that a function asks for: up to 2^32 - 1, which no GPU has.
    #[must_use]
    pub fn bytes<S>(storage: impl FnOnce(&mut Self) -> S) -> u32 {
        let mut layout = Self { end: 0 };
        storage(&mut layout);
        layout.end
    }

    /// The arrays that a function asks for, in the shared memory of this block.
    ///
    /// # Safety
    /// The launch has asked for as many [`bytes`](Self::bytes). As for [`shared::array`], no index leaves its array, and no two threads
    /// touch an element, one of them writing, without a barrier between.
    #[inline(always)]
    pub unsafe fn place<S>(storage: impl FnOnce(&mut Self) -> S) -> S {
        storage(&mut Self { end: 0 })
    }

    /// An array of `len` elements. It begins at a multiple of 16 bytes.
    #[inline(always)]
    pub fn array<T: Pod>(&mut self, len: u32) -> Shared<T> {
        self.end = sum(self.end, 15) & !15;
        self.packed(len)
    }

    /// An array of `len` elements right after the one before, which must end at a multiple of `T`'s alignment.
    #[inline(always)]
    pub fn packed<T: Pod>(&mut self, len: u32) -> Shared<T> {
        // SAFETY: promised to `place`; what `bytes` makes of it is used by nobody.
        let array = unsafe { shared::array(self.end) };
        self.end = sum(self.end, product(size_of::<T>() as u32, len));
        array
    }

    /// Arrays of one type, each right after the one before, as [`packed`](Self::packed) ones are.
    ///
    /// Where a length is constant, so is the distance to the next array, and one register has the address of both.
    #[inline(always)]
    pub fn arrays<T: Pod, const N: usize>(&mut self, lens: [u32; N]) -> [Shared<T>; N] {
        let mut next = self.packed(lens.into_iter().fold(0, sum));
        lens.map(|len| {
            let array = next;
            next = next.offset(len);
            array
        })
    }

    /// Memory that is used for one thing and later for another: both begin here.
    #[inline(always)]
    pub fn either<A, B>(&mut self, one: impl FnOnce(&mut Self) -> A, other: impl FnOnce(&mut Self) -> B) -> (A, B) {
        let begin = self.end;
        let one = one(self);
        let end = self.end;
        self.end = begin;
        let other = other(self);
        self.end = if end > self.end { end } else { self.end };
        (one, other)
    }
}

/// On a GPU, sums are those that the launch was given; on the host they may be too large.
#[inline(always)]
fn sum(a: u32, b: u32) -> u32 {
    if cfg!(target_arch = "nvptx64") { a + b } else { a.saturating_add(b) }
}

#[inline(always)]
fn product(a: u32, b: u32) -> u32 {
    if cfg!(target_arch = "nvptx64") { a * b } else { a.saturating_mul(b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_follow_each_other() {
        let bytes = Layout::bytes(|layout| {
            let flags = layout.array::<u32>(3);
            let packed = layout.packed::<u32>(1);
            let numbers = layout.array::<f64>(5);
            assert_eq!([flags.base(), packed.base(), numbers.base()], [0, 12, 16]);
        });
        assert_eq!(bytes, 16 + 40);
    }

    #[test]
    fn arrays_of_one_type_are_packed() {
        let bytes = Layout::bytes(|layout| {
            let flag = layout.array::<u32>(1);
            let [rows, keys, empty] = layout.arrays::<u32, 3>([3, 5, 0]);
            assert_eq!([flag, rows, keys, empty].map(Shared::base), [0, 4, 16, 36]);
        });
        assert_eq!(bytes, 4 + 12 + 20);
    }

    #[test]
    fn memory_is_used_twice() {
        for (first, second) in [(4, 9), (9, 4)] {
            let bytes = Layout::bytes(|layout| {
                layout.array::<u32>(1);
                let (one, other) =
                    layout.either(|layout| layout.array::<u32>(first), |layout| layout.array::<u32>(second));
                assert_eq!((one.base(), other.base()), (16, 16));
                assert_eq!(layout.packed::<u32>(0).base(), 16 + 36);
            });
            assert_eq!(bytes, 16 + 36);
        }
    }

    #[test]
    fn what_no_gpu_has_stays_out_of_reach() {
        assert_eq!(Layout::bytes(|layout| layout.array::<f64>(1 << 30)), u32::MAX);
        assert_eq!(Layout::bytes(|layout| layout.arrays::<u32, 2>([u32::MAX, 2])), u32::MAX);
    }
}
