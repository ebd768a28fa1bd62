//! Batches of one size as operands.

use simt::Pod;

use super::{InPlace, Input, Lend, LendMut, Output, Owned, Return, Sizes};
use crate::batch::{Batch, BatchMut};
use crate::call::Call;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::{Layout, product};
use crate::matrices::Matrices;
use crate::operation::Access;
use crate::ops::{Cholesky, Lu, factored};
use crate::ragged::{Shape, Spot};
use crate::triangle::Triangle;
use kernels_cpu::fresh::Fresh;

impl<T: Element> Lend for Batch<'_, T> {
    fn sizes(&self) -> Sizes<'_> {
        Sizes::One { count: self.batch, shape: (self.rows, self.cols), layout: self.layout }
    }

    unsafe fn port<'c>(&'c self, call: &mut Call<'c>, _members: &[usize], _access: Access) {
        // SAFETY: borrowed to be read; the strides lead out of nothing.
        unsafe { call.reading(self.start(), (self.rows, self.cols), self.layout) };
    }
}

impl<T: Element> Input for Batch<'_, T> {
    type Element = T;
    type Owned = Matrices<T>;
    type Lu = Lu<T>;
    type Cholesky = Cholesky<T>;

    fn lu(&self, device: &Device) -> Result<Lu<T>> {
        factored(device, (), self)
    }

    fn cholesky(&self, device: &Device, triangle: Triangle) -> Result<Cholesky<T>> {
        factored(device, triangle, self)
    }
}

impl<T: Element> Lend for BatchMut<'_, T> {
    fn sizes(&self) -> Sizes<'_> {
        Sizes::One { count: self.batch, shape: (self.rows, self.cols), layout: self.layout }
    }

    unsafe fn port<'c>(&'c self, call: &mut Call<'c>, _members: &[usize], access: Access) {
        // SAFETY: the caller's promise; the strides lead out of nothing, and to each element once.
        unsafe { call.either(access, self.start(), (self.rows, self.cols), self.layout) };
    }
}

// SAFETY: it borrows the matrices to be written.
unsafe impl<T: Element> LendMut for BatchMut<'_, T> {}

impl<T: Element> Output for BatchMut<'_, T> {
    type Owned = Matrices<T>;
}

impl<T: Element> InPlace for BatchMut<'_, T> {
    type Element = T;
}

/// Memory of compact matrices that a call is to write.
#[derive(Debug)]
pub struct BatchRoom<T> {
    data: Fresh<T>,
    /// Where the first is.
    first: Spot<T>,
    batch: usize,
    layout: Layout,
}

impl<T: Pod> BatchRoom<T> {
    /// Room for `batch` matrices in a compact layout.
    ///
    /// # Errors
    /// There is too little memory.
    pub(crate) fn new(batch: usize, (rows, cols): (usize, usize), layout: Layout) -> Result<Self> {
        let mut data = Fresh::new(product(&[batch, rows, cols])?)?;
        let first = Spot::new(data.as_mut_ptr(), 0, (rows, cols).into(), layout);
        Ok(Self { data, first, batch, layout })
    }
}

impl<T: Pod> Lend for BatchRoom<T> {
    fn sizes(&self) -> Sizes<'_> {
        let Shape { rows, cols } = self.first.shape;
        Sizes::One { count: self.batch, shape: (rows, cols), layout: self.layout }
    }

    unsafe fn port<'c>(&'c self, call: &mut Call<'c>, _members: &[usize], access: Access) {
        // SAFETY: the caller's promise; there is room for so many, and nobody else knows it.
        unsafe { call.either(access, self.first.start, (self.first.shape.rows, self.first.shape.cols), self.layout) };
    }
}

// SAFETY: the memory is its own.
unsafe impl<T: Pod> LendMut for BatchRoom<T> {}

impl<T: Element> Owned for Matrices<T> {
    type Factors = Matrices<T::Scalar>;
}

impl<T: Element> Return for Matrices<T> {
    type Room = BatchRoom<T>;

    fn room_like(like: &dyn Lend) -> Result<BatchRoom<T>> {
        let sizes = like.sizes();
        let (rows, cols) = sizes.shape(0);
        BatchRoom::new(sizes.count(), (rows, cols), sizes.layout(0).compact(rows, cols))
    }

    unsafe fn written(room: BatchRoom<T>) -> Self {
        let BatchRoom { data, first, batch, layout } = room;
        // SAFETY: the caller's promise.
        Self::new(unsafe { data.written() }, batch, first.shape.rows, first.shape.cols, layout)
    }
}
