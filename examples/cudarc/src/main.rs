//! warplu inverts matrices where cudarc has put them, in cudarc's stream, between copies of cudarc's.
//!
//! `cargo run --release`

use std::error::Error;

use cudarc::driver::{CudaContext, DevicePtrMut};
use warplu::resident::{DeviceBatchMut, DeviceBuffer, InPlace, InversePlan, Size, Stream, of};
use warplu::{Batch, Device};

const N: usize = 24;
const BATCH: usize = 500;

fn main() -> Result<(), Box<dyn Error>> {
    // cudarc panics where there is no driver; warplu says so.
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            println!("no GPU, so there is nothing to show: {error}");
            return Ok(());
        }
    };
    println!("working on {}", device.info());
    // The primary context, which warplu works in, too.
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let numbers = matrices();
    let mut a = stream.clone_htod(&numbers)?;
    let mut status = stream.alloc_zeros::<i32>(BATCH)?;

    // The plan loads its kernels and allocates now, so that running it only enqueues.
    let plan = InversePlan::<f64>::new(&device, Size::order(N).batch(BATCH))?;
    {
        // cudarc orders its other streams behind this one when the guards are dropped.
        let ((a_address, _a), (status_address, _status)) = (a.device_ptr_mut(&stream), status.device_ptr_mut(&stream));
        // SAFETY: the stream and the memory are of the GPU's primary context, of so many elements, and outlive these
        // three, which are dropped at the end of this block, the buffers not before the work on them is done. cudarc
        // does nothing with them meanwhile.
        let (stream, mut a, mut status) = unsafe {
            (
                Stream::from_raw(&device, stream.cu_stream().cast())?,
                DeviceBuffer::<f64>::from_raw(&device, a_address, BATCH * N * N)?,
                DeviceBuffer::<i32>::from_raw(&device, status_address, BATCH)?,
            )
        };
        plan.run(
            &stream,
            of::Inverse {
                a: InPlace,
                inverse: &mut DeviceBatchMut::row_major(&mut a, BATCH, N, N)?,
                status: &mut status,
            },
        )?;
    }
    let (found, codes) = (stream.clone_dtoh(&a)?, stream.clone_dtoh(&status)?);
    stream.synchronize()?;

    let expected = Device::cpu().invert(&Batch::row_major(&numbers, BATCH, N, N)?)?.check()?;
    let differences: Vec<_> = found.iter().zip(expected.as_slice()).map(|(x, y)| (x - y).abs()).collect();
    let largest = differences.iter().copied().fold(0.0, f64::max);
    println!("{BATCH} inverses, the CPU's but for {largest:.1e}");
    // Of a NaN, neither is more.
    if codes.iter().any(|&code| code != 0) || !differences.iter().all(|&x| x < 1e-13) {
        return Err("the inverses are not those of the CPU".into());
    }
    Ok(())
}

/// Matrices with a heavy diagonal.
fn matrices() -> Vec<f64> {
    let element = |k: usize| {
        let noise = ((k + 1) * 7919 % 1013) as f64 / 1013.0;
        if (k % (N * N)).is_multiple_of(N + 1) { N as f64 + noise } else { noise }
    };
    (0..BATCH * N * N).map(element).collect()
}
