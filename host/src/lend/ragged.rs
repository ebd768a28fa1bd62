//! Matrices of many sizes as operands.

use simt::Pod;

use super::{InPlace, Input, Lend, LendMut, ManySizes, Output, Owned, Return, Sizes};
use crate::call::Call;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::Layout;
use crate::operation::Access;
use crate::ops::{RaggedCholesky, RaggedLu};
use crate::ragged::{Ragged, RaggedMatrices, RaggedMut, Shape, Spot, Unwritten};
use crate::triangle::Triangle;

impl<T: Pod> ManySizes for Vec<Spot<T>> {
    fn count(&self) -> usize {
        self.len()
    }

    fn size(&self, b: usize) -> ((usize, usize), Layout) {
        let Shape { rows, cols } = self[b].shape;
        ((rows, cols), self[b].layout())
    }
}

macro_rules! lend_spots {
    ($($type:ty),*) => {$(
        impl<T: Element> Lend for $type {
            fn sizes(&self) -> Sizes<'_> {
                Sizes::Many(&self.spots)
            }

            unsafe fn port<'c>(&'c self, call: &mut Call<'c>, members: &[usize], access: Access) {
                // SAFETY: the caller's promise.
                unsafe { call.anywhere(members.iter().map(|&b| self.spots[b]).collect(), access) };
            }
        }
    )*};
}
lend_spots!(Ragged<'_, T>, RaggedMut<'_, T>, Unwritten<T>);

// SAFETY: it borrows the matrices to be written.
unsafe impl<T: Element> LendMut for RaggedMut<'_, T> {}
// SAFETY: the memory is its own.
unsafe impl<T: Element> LendMut for Unwritten<T> {}

impl<T: Element> Input for Ragged<'_, T> {
    type Element = T;
    type Owned = RaggedMatrices<T>;
    type Lu = RaggedLu<T>;
    type Cholesky = RaggedCholesky<T>;

    fn lu(&self, device: &Device) -> Result<RaggedLu<T>> {
        RaggedLu::of(device, (), self)
    }

    fn cholesky(&self, device: &Device, triangle: Triangle) -> Result<RaggedCholesky<T>> {
        RaggedCholesky::of(device, triangle, self)
    }
}

impl<T: Element> Output for RaggedMut<'_, T> {
    type Owned = RaggedMatrices<T>;
}

impl<T: Element> InPlace for RaggedMut<'_, T> {
    type Element = T;
}

impl<T: Element> Owned for RaggedMatrices<T> {
    type Factors = RaggedMatrices<T::Scalar>;
}

impl<T: Element> Return for RaggedMatrices<T> {
    type Room = Unwritten<T>;

    fn room_like(like: &dyn Lend) -> Result<Unwritten<T>> {
        let sizes = like.sizes();
        Unwritten::new((0..sizes.count()).map(|b| {
            let (rows, cols) = sizes.shape(b);
            (Shape { rows, cols }, sizes.layout(b).compact(rows, cols))
        }))
    }

    unsafe fn written(room: Unwritten<T>) -> Self {
        // SAFETY: the caller's promise.
        unsafe { room.written() }
    }
}
