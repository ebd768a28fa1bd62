//! warplu inverts matrices where NVIDIA's crate cuda-core has put them, in cuda-core's stream, between copies of
//! cuda-core's.
//!
//! `cargo run --release`: where there is libclang, and a toolkit of CUDA 13, of which cuda-core needs the headers. If it
//! is not in /usr/local/cuda, set CUDA_TOOLKIT_PATH.

use std::error::Error;

use cuda_core::{Context, sys};
use warplu::resident::{DeviceBatchMut, DeviceBuffer, InPlace, InversePlan, Size, Stream, of};
use warplu::{Batch, Device};

const N: usize = 24;
const BATCH: usize = 500;

fn main() -> Result<(), Box<dyn Error>> {
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            println!("no GPU, so there is nothing to show: {error}");
            return Ok(());
        }
    };
    // cuda-core wants one for CUDA 13, warplu takes older ones, too.
    if let Some(error) = sys::cuda_driver_load_error() {
        println!("no driver for cuda-core, so there is nothing to show: {error}");
        return Ok(());
    }
    println!("working on {}", device.info());
    // The primary context, which warplu works in, too.
    let context = Context::new(0)?;
    let stream = context.new_stream()?;
    let numbers = matrices();
    let a = cuda_core::DeviceBuffer::from_host(&stream, &numbers)?;
    let status = cuda_core::DeviceBuffer::<i32>::zeroed(&stream, BATCH)?;

    // The plan loads its kernels and allocates now, so that running it only enqueues.
    let plan = InversePlan::<f64>::new(&device, Size::order(N).batch(BATCH))?;
    {
        // Until these are dropped, cuda-core refuses to use the memory in another stream.
        let _writes = (a.storage().acquire(&stream, true, false)?, status.storage().acquire(&stream, true, false)?);
        let (a_address, status_address) = (a.cu_deviceptr(), status.cu_deviceptr());
        // SAFETY: the stream and the memory are of the GPU's primary context, of so many elements, and outlive these
        // three, which are dropped at the end of this block, the buffers not before the work on them is done. cuda-core
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
    let (found, codes) = (a.to_host_vec(&stream)?, status.to_host_vec(&stream)?);

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
