//! Matrices that stay in the memory of several GPUs: each has buffers, a plan and a stream of its own, and one thread
//! gives work to all of them, as calls only enqueue. (Of matrices in host memory, one call on `Device::cuda_all()` makes
//! use of all GPUs.)
//!
//! `cargo run --release -p warplu --example each_gpu --features cuda [DEVICE [N [BATCH]]]`, by default on all GPUs, without a GPU
//! on two emulators.

use std::time::Instant;

use warplu::resident::{DeviceBatch, DeviceBatchMut, DeviceBuffer, InversePlan, Size, Stream, of};
use warplu::verify::Random;
use warplu::{Device, Error};

const REPEATS: usize = 10;

/// What is on one GPU.
struct Work {
    a: DeviceBuffer<f64>,
    x: DeviceBuffer<f64>,
    status: DeviceBuffer<i32>,
    plan: InversePlan<f64>,
    stream: Stream,
    size: (usize, usize),
}

impl Work {
    fn new(device: &Device, host: &[f64], (batch, n): (usize, usize)) -> Result<Self, Error> {
        Ok(Self {
            a: device.upload(host)?,
            x: device.buffer(host.len())?,
            status: device.buffer(batch)?,
            plan: InversePlan::new(device, Size::order(n).batch(batch))?,
            stream: device.stream()?,
            size: (batch, n),
        })
    }

    /// Enqueues the inversion of all matrices.
    fn enqueue(&mut self) -> Result<(), Error> {
        let (batch, n) = self.size;
        let a = DeviceBatch::row_major(&self.a, batch, n, n)?;
        let mut x = DeviceBatchMut::row_major(&mut self.x, batch, n, n)?;
        self.plan.run(&self.stream, of::Inverse { a: &a, inverse: &mut x, status: &mut self.status })
    }
}

/// Seconds that each of these take for one inversion of all their matrices, when they work at the same time.
fn seconds(all: &mut [Work]) -> Result<f64, Error> {
    let start = Instant::now();
    for _ in 0..REPEATS {
        all.iter_mut().try_for_each(Work::enqueue)?;
    }
    all.iter().try_for_each(|work| work.stream.synchronize())?;
    Ok(start.elapsed().as_secs_f64() / REPEATS as f64)
}

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let device = match args.next() {
        Some(name) => Device::by_name(&name)?,
        None => Device::cuda_all().or_else(|_| Device::sims(2))?,
    };
    let mut number = |default| args.next().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (n, batch) = (number(24), number(8));
    let host: Vec<f64> = Random::new(1).elements(batch * n * n);
    let mut all =
        device.devices().iter().map(|one| Work::new(one, &host, (batch, n))).collect::<Result<Vec<_>, _>>()?;
    println!("{batch} matrices of order {n} on each of {device}");

    seconds(&mut all)?; // kernels are loaded by their first launch
    for k in 0..all.len() {
        println!("number {k} alone: {:.3} ms", 1e3 * seconds(&mut all[k..=k])?);
    }
    println!("all at once: {:.3} ms", 1e3 * seconds(&mut all)?);

    // The same matrix has the same inverse, bit for bit, wherever it is computed.
    let inverses = all.iter().map(|work| work.x.to_vec()).collect::<Result<Vec<_>, _>>()?;
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert!(inverses.iter().all(|x| bits(x) == bits(&inverses[0])), "inverses differ");

    // What is of one GPU cannot be given to another one.
    if let [one, other, ..] = &mut all[..] {
        let a = DeviceBatch::row_major(&one.a, batch, n, n)?;
        let mut x = DeviceBatchMut::row_major(&mut other.x, batch, n, n)?;
        let operands = of::Inverse { a: &a, inverse: &mut x, status: &mut other.status };
        let error = other.plan.run(&other.stream, operands).unwrap_err();
        println!("mixed: {error}");
    }
    Ok(())
}
