//! How fast the emulator runs: LU factorisations of 64 matrices of 64 by 64 in shared memory, one a block.

use std::time::Instant;

use simt::cpu::{Fault, Launch, Memory, run};
use simt::{block, global::Global, shared, sync_threads, thread};

const N: u32 = 64;

fn factorise(address: u64) {
    // SAFETY: the launch asks for one matrix, and the host allocates one a block.
    let (a, matrices) = unsafe { (shared::array::<f64>(0), Global::<f64>::new(address)) };
    let row = thread::index();
    let matrix = matrices.offset((block::index() * N * N).into());
    (0..N).for_each(|j| a.store(row + N * j, matrix.load((row + N * j).into())));
    sync_threads();
    for k in 0..N {
        if row > k {
            let factor = a.load(row + N * k) / a.load(k + N * k);
            a.store(row + N * k, factor);
            for j in k + 1..N {
                a.store(row + N * j, a.load(row + N * j) - factor * a.load(k + N * j));
            }
        }
        sync_threads();
    }
    (0..N).for_each(|j| matrix.store((row + N * j).into(), a.load(row + N * j)));
}

fn main() -> Result<(), Fault> {
    let (memory, batch) = (Memory::new(), 64);
    let elements = batch * N * N;
    let buffer = memory.allocate(8 * elements as usize);
    let matrices =
        (0..elements).map(|i| if (i % (N * N)).is_multiple_of(N + 1) { 64.0 } else { 1.0 / f64::from(1 + i % 97) });
    let bytes: Vec<u8> = matrices.flat_map(f64::to_ne_bytes).collect();
    buffer.write(0, &bytes).expect("the buffer holds all matrices");
    let launch = Launch { kernel: "lu", grid: batch, cluster: 1, block: N, shared_bytes: 8 * N * N, seed: 0 };
    let start = Instant::now();
    let traffic = run(&memory, &launch, || factorise(buffer.address()))?;
    let seconds = start.elapsed().as_secs_f64();
    let accesses = traffic.shared_loads + traffic.shared_stores + traffic.global_loads + traffic.global_stores;
    println!("{accesses} accesses in {seconds:.2} s, {:.1} million a second", accesses as f64 / seconds / 1e6);
    Ok(())
}
