//! Calls on host memory: batches go through a machine by chunks, and the CPU works where they are.
//!
//! An operation names its inputs and outputs, which become ports; what it enqueues for a chunk finds them by typed
//! handles. On the CPU the ports are the caller's own memory. For a machine with memory of its own, [`worker`]s copy
//! chunks there and back; several machines [`share`] the chunks.

mod anywhere;
mod chunk;
mod chunks;
mod image;
mod job;
mod place;
mod run;
mod share;
mod strided;
mod worker;

pub(crate) use chunk::{Chunk, Handle};
pub(crate) use place::{Drain, Feed};
pub(crate) use run::start_threads;

use simt::Pod;

use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::Layout;
use crate::lend::Lent;
use crate::operation::{Access, ElementType, Operation, Size};
use kernels_cpu::fresh::Fresh;
use place::{Place, Port};

/// Ports that a call has at most.
const MOST_PORTS: usize = 12;

/// A call on a batch, with its inputs and outputs.
pub struct Call<'a> {
    device: &'a Device,
    batch: usize,
    ports: Vec<Port<'a>>,
    /// Bytes of the memory limit that others have taken.
    reserved: usize,
    /// Whether each machine does its own range of the batch, and not whatever chunk is next.
    is_divided: bool,
    /// Whether the CPU, too, works on copies of matrices that lie anywhere.
    is_strided: bool,
}

impl<'a> Call<'a> {
    /// A call on `batch` matrices, without ports yet.
    pub(crate) fn new(device: &'a Device, batch: usize) -> Self {
        Self { device, batch, ports: Vec::with_capacity(4), reserved: 0, is_divided: false, is_strided: false }
    }

    /// Has each machine do its own of the [`Device::ranges`] of the batch: what stays there is of these.
    pub(crate) fn divide(&mut self) {
        self.is_divided = true;
    }

    /// Counts `bytes` of each machine's memory that are taken already against the device's limit.
    pub(crate) fn reserve(&mut self, bytes: usize) {
        self.reserved = bytes;
    }

    /// Has matrices that lie anywhere copied for the CPU, too: for work that does not take each at its address.
    pub(crate) fn at_strides(mut self) -> Self {
        self.is_strided = true;
        self
    }

    /// A call with what is lent as its ports, in this order.
    ///
    /// # Errors
    /// As [`Self::lend`].
    pub(crate) fn on(device: &'a Device, (operation, size): (&Operation, Size), lent: &[Lent<'a>]) -> Result<Self> {
        let mut call = Self::new(device, lent[0].sizes.count());
        call.lend((operation, size), lent)?;
        Ok(call)
    }

    /// What is lent, as the next operands of an operation.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if it is not for as many matrices as the call, of the shape that they have.
    pub(crate) fn lend(&mut self, (operation, size): (&Operation, Size), lent: &[Lent<'a>]) -> Result<()> {
        for lent in lent {
            let operand = &operation.operands[self.ports.len()];
            let wanted = (self.batch, operand.extent.shape(size));
            operand.expect(wanted, (lent.sizes.count(), lent.sizes.shape(0)))?;
            lent.port(self);
        }
        Ok(())
    }

    /// Matrices to read, of which `data` holds the elements.
    pub(crate) fn elements<T: Element>(&mut self, data: &'a [T], rows: usize, cols: usize, layout: Layout) -> Handle {
        let span = layout.span(self.batch, rows, cols);
        assert!(span.is_some_and(|span| span <= data.len()), "a call on more matrices than there are");
        // SAFETY: borrowed to be read.
        unsafe { self.reading(data.as_ptr(), (rows, cols), layout) }
    }

    /// Matrices to read, or to write, from `start` on.
    ///
    /// # Safety
    /// Those of the batch are there, and borrowed for that as long as the call is.
    pub(crate) unsafe fn either<T: Pod>(
        &mut self,
        access: Access,
        start: *mut T,
        shape: (usize, usize),
        layout: Layout,
    ) -> Handle {
        // SAFETY: the caller's promise.
        unsafe {
            match access {
                Access::Read => self.reading(start, shape, layout),
                Access::Write => self.writing(start, shape, layout),
            }
        }
    }

    /// Matrices to read, from `start` on.
    ///
    /// # Safety
    /// Those of the batch are there, and borrowed as long as the call is.
    pub(crate) unsafe fn reading<T: Pod>(
        &mut self,
        start: *const T,
        (rows, cols): (usize, usize),
        layout: Layout,
    ) -> Handle {
        if !self.device.has_own_memory() {
            return self.own::<T>(start.cast(), (rows, cols), layout);
        }
        let (compact, batch) = (layout.compact(rows, cols), self.batch);
        let place = if layout == compact {
            // SAFETY: the caller's promise, and there is nothing between the elements.
            unsafe { Place::reading(start, batch * rows * cols) }
        } else {
            // SAFETY: the caller's promise.
            Place::Feed(Box::new(unsafe { strided::Gather::new(start, (batch, rows, cols), layout, compact) }))
        };
        self.port::<T>(place, rows, cols, compact)
    }

    /// Matrices to write, from `start` on.
    ///
    /// # Safety
    /// Those of the batch are there, and borrowed to be written as long as the call is; but this call may read them.
    unsafe fn writing<T: Pod>(&mut self, start: *mut T, (rows, cols): (usize, usize), layout: Layout) -> Handle {
        if !self.device.has_own_memory() {
            return self.own::<T>(start.cast(), (rows, cols), layout);
        }
        let (compact, batch) = (layout.compact(rows, cols), self.batch);
        let place = if layout == compact {
            // SAFETY: the caller's promise, and there is nothing between the elements.
            unsafe { Place::writing(start, batch * rows * cols) }
        } else {
            // SAFETY: the caller's promise.
            Place::Drain(Box::new(unsafe { strided::Scatter::new(start, (batch, rows, cols), layout, compact) }))
        };
        self.port::<T>(place, rows, cols, compact)
    }

    /// Compact matrices to write to memory that nobody has written yet.
    pub(crate) fn fresh<T: Pod>(&mut self, out: &'a mut Fresh<T>, rows: usize, cols: usize, layout: Layout) -> Handle {
        debug_assert_eq!(out.len(), self.batch * rows * cols);
        if !self.device.has_own_memory() {
            return self.own::<T>(out.as_mut_ptr().cast(), (rows, cols), layout);
        }
        // SAFETY: there is room for so many, which is borrowed.
        let place = unsafe { Place::writing(out.as_mut_ptr(), out.len()) };
        self.port::<T>(place, rows, cols, layout)
    }

    /// `each` values a matrix, to write.
    pub(crate) fn values<T: Pod>(&mut self, out: &'a mut [T], each: usize) -> Handle {
        debug_assert_eq!(out.len(), self.batch * each);
        let layout = Layout::column_major(each, 1);
        if !self.device.has_own_memory() {
            return self.own::<T>(out.as_mut_ptr().cast(), (each, 1), layout);
        }
        // SAFETY: these, which are borrowed.
        let place = unsafe { Place::writing(out.as_mut_ptr(), out.len()) };
        self.port::<T>(place, each, 1, layout)
    }

    /// `each` values a matrix, to read.
    pub(crate) fn values_in<T: Pod>(&mut self, values: &'a [T], each: usize) -> Handle {
        debug_assert_eq!(values.len(), self.batch * each);
        let layout = Layout::column_major(each, 1);
        if !self.device.has_own_memory() {
            return self.own::<T>(values.as_ptr().cast(), (each, 1), layout);
        }
        // SAFETY: these, which are borrowed.
        let place = unsafe { Place::reading(values.as_ptr(), values.len()) };
        self.port::<T>(place, each, 1, layout)
    }

    /// Compact matrices that are read range by range from wherever they are.
    pub(crate) fn feed<T: Pod>(
        &mut self,
        feed: Box<dyn Feed + 'a>,
        rows: usize,
        cols: usize,
        layout: Layout,
    ) -> Handle {
        self.port::<T>(Place::Feed(feed), rows, cols, layout)
    }

    /// Compact matrices that are written range by range to wherever they go.
    pub(crate) fn drain<T: Pod>(
        &mut self,
        drain: Box<dyn Drain + 'a>,
        rows: usize,
        cols: usize,
        layout: Layout,
    ) -> Handle {
        self.port::<T>(Place::Drain(drain), rows, cols, layout)
    }

    /// Matrices that are in the machines' memory already, and stay there: of each machine the [`Device::ranges`] of the
    /// batch that it then works on, by the address of the first.
    ///
    /// # Safety
    /// From each address on there are those of the range, which nobody else works on during the call.
    pub(crate) unsafe fn resident<T: Pod>(
        &mut self,
        addresses: impl Iterator<Item = u64>,
        shape: (usize, usize),
        layout: Layout,
    ) -> Handle {
        self.divide();
        let stride = layout.batch_stride * size_of::<T>();
        let ranges = self.device.ranges(self.batch).zip(addresses);
        // Where the batch would begin, of which there is only the range.
        let starts = ranges.map(|((_, range), address)| address.wrapping_sub((range.start * stride) as u64)).collect();
        self.push::<T>(Place::Machine { starts, stride }, 0, shape, layout)
    }

    /// The caller's memory, which the CPU works in.
    fn own<T: Pod>(&mut self, start: *const u8, shape: (usize, usize), layout: Layout) -> Handle {
        let (start, stride) = (start.expose_provenance() as u64, layout.batch_stride * size_of::<T>());
        self.push::<T>(Place::Host { start, stride }, 0, shape, layout)
    }

    fn port<T: Pod>(&mut self, place: Place<'a>, rows: usize, cols: usize, layout: Layout) -> Handle {
        self.push::<T>(place, rows * cols * size_of::<T>(), (rows, cols), layout)
    }

    fn push<T: Pod>(&mut self, place: Place<'a>, each: usize, shape: (usize, usize), layout: Layout) -> Handle {
        assert!(self.ports.len() < MOST_PORTS, "a call has no more operands than an operation");
        self.ports.push(Port { each, place, element: ElementType::of::<T>(), shape, layout });
        Handle(self.ports.len() - 1)
    }
}
