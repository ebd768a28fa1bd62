//! A C library that inverts matrices in GPU memory of others, on their stream: `foreign_memory.py` calls it for PyTorch
//! and CuPy.
//!
//! `cargo build --release -p warplu --features cuda --example foreign_memory` makes
//! `target/release/examples/libforeign_memory.so`.

use std::ffi::c_void;

use warplu::resident::{DeviceBatchMut, DeviceBuffer, InPlace, InversePlan, Size, Stream, of};
use warplu::{Device, Error};

/// Inverts `batch` matrices of order `n`, one after the other and each row by row, in the place where they are.
/// `status` is an address for `batch` i32: 0, or what `Status::from_code` reads. Waits for the work; returns 0, or 1
/// with a message on stderr.
///
/// # Safety
/// Both addresses are of memory of GPU `ordinal` that holds so many elements, and `stream` is a stream of its primary
/// context or null. Nobody else uses the memory meanwhile but for work that the stream waits for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warplu_invert_in_place_f64(
    ordinal: u32,
    matrices: u64,
    n: usize,
    batch: usize,
    status: u64,
    stream: *mut c_void,
) -> i32 {
    // SAFETY: the caller's promise.
    match unsafe { invert(ordinal, matrices, n, batch, status, stream) } {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("{error}");
            1
        }
    }
}

/// # Safety
/// As above.
unsafe fn invert(
    ordinal: u32,
    matrices: u64,
    n: usize,
    batch: usize,
    status: u64,
    stream: *mut c_void,
) -> Result<(), Error> {
    let device = Device::cuda(ordinal)?;
    let len = n.checked_mul(n).and_then(|each| each.checked_mul(batch));
    let len = len.ok_or_else(|| Error::Shape("so many elements fit no memory".to_owned()))?;
    // SAFETY: the caller's promise. All three are dropped here, the buffers not before the work on them is done.
    let (stream, mut a, mut status) = unsafe {
        (
            Stream::from_raw(&device, stream)?,
            DeviceBuffer::<f64>::from_raw(&device, matrices, len)?,
            DeviceBuffer::<i32>::from_raw(&device, status, batch)?,
        )
    };
    let plan = InversePlan::<f64>::new(&device, Size::order(n).batch(batch))?;
    let operands =
        of::Inverse { a: InPlace, inverse: &mut DeviceBatchMut::row_major(&mut a, batch, n, n)?, status: &mut status };
    plan.run(&stream, operands)?;
    stream.synchronize()
}
