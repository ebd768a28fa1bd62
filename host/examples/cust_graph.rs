//! With the crate cust: a plan on cust's stream and buffers is captured into a CUDA graph, which is replayed on new
//! data.
//!
//! `cargo run --release -p warplu --features cust --example cust_graph`

use std::error::Error;
use std::ptr;

use cust::memory::{CopyDestination, DeviceBuffer};
use cust::stream::{Stream, StreamFlags};
use cust::sys::{self, CUresult, CUstreamCaptureMode};
use warplu::resident::{DeviceBatch, DeviceBatchMut, InversePlan, Size, of};
use warplu::{Batch, Device, Status};

const N: usize = 24;
const BATCH: usize = 500;

fn main() -> Result<(), Box<dyn Error>> {
    // cust comes first: it needs nothing of warplu's to have been called.
    if let Err(error) = cust::init(cust::CudaFlags::empty()) {
        println!("no GPU, so there is nothing to show: {error}");
        return Ok(());
    }
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            println!("no GPU, so there is nothing to show: {error}");
            return Ok(());
        }
    };
    println!("working on {}", device.info());
    let _context = device.cust_context()?;
    let stream = Stream::new(StreamFlags::DEFAULT, None)?;
    let mut a = DeviceBuffer::<f64>::zeroed(BATCH * N * N)?;
    let mut inverse = DeviceBuffer::<f64>::zeroed(BATCH * N * N)?;
    let mut status = DeviceBuffer::<i32>::zeroed(BATCH)?;

    // The plan loads its kernels and allocates now, so that running it only enqueues.
    let plan = InversePlan::<f64>::new(&device, Size::order(N).batch(BATCH))?;
    let graph = device.cust_scope(|scope| {
        let raw = stream.as_inner();
        let stream = scope.stream(&stream)?;
        let (a, mut inverse, mut status) = (scope.read(&a)?, scope.write(&mut inverse)?, scope.write(&mut status)?);
        let a = DeviceBatch::row_major(&a, BATCH, N, N)?;
        let mut out = DeviceBatchMut::row_major(&mut inverse, BATCH, N, N)?;
        let mut graph = ptr::null_mut();
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream is alive, and nothing is in it that the capture would have to wait for.
        check(unsafe { sys::cuStreamBeginCapture_v2(raw, mode) })?;
        plan.run(&stream, of::Inverse { a: &a, inverse: &mut out, status: &mut status })?;
        // SAFETY: begun above; writes one pointer.
        check(unsafe { sys::cuStreamEndCapture(raw, &mut graph) })?;
        Ok::<_, Box<dyn Error>>(graph)
    })?;
    let mut executable = ptr::null_mut();
    // SAFETY: writes one pointer.
    check(unsafe { sys::cuGraphInstantiateWithFlags(&mut executable, graph, 0) })?;

    let (mut found, mut codes) = (vec![0.0; BATCH * N * N], vec![0; BATCH]);
    for replay in 0..4 {
        let numbers = matrices(replay);
        a.copy_from(&numbers)?;
        // SAFETY: the buffers, the plan and the stream are alive until the stream is waited for.
        check(unsafe { sys::cuGraphLaunch(executable, stream.as_inner()) })?;
        stream.synchronize()?;
        inverse.copy_to(&mut found)?;
        status.copy_to(&mut codes)?;

        let expected = Device::cpu().invert(&Batch::row_major(&numbers, BATCH, N, N)?)?.check()?;
        let differences = found.iter().zip(expected.as_slice()).map(|(x, y)| (x - y).abs());
        let largest = differences.fold(0.0, f64::max);
        assert!(codes.iter().all(|&code| Status::from_code(code).is_ok()));
        assert!(largest < 1e-13, "replay {replay} differs from the CPU by {largest:.1e}");
        println!("replay {replay}: {BATCH} inverses, the CPU's but for {largest:.1e}");
    }
    // SAFETY: made above, with nothing under way.
    unsafe {
        check(sys::cuGraphExecDestroy(executable))?;
        check(sys::cuGraphDestroy(graph))?;
    }
    Ok(())
}

fn check(code: CUresult) -> Result<(), Box<dyn Error>> {
    match code {
        CUresult::CUDA_SUCCESS => Ok(()),
        code => Err(format!("the driver says {code:?}").into()),
    }
}

/// Matrices with a heavy diagonal, others for each `seed`.
fn matrices(seed: usize) -> Vec<f64> {
    let element = |k: usize| {
        let noise = ((k + 1) * (7919 + seed) % 1013) as f64 / 1013.0;
        if (k % (N * N)).is_multiple_of(N + 1) { N as f64 + noise } else { noise }
    };
    (0..BATCH * N * N).map(element).collect()
}
