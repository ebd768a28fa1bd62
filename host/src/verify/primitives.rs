//! The primitives that kernels are made of: against plain loops, and a GPU against the emulator, where there is one.

use kernels_gpu::entry::{EMULATED, Entry, Family, Variant};
use kernels_gpu::operation::probe::{ProbeArgs, THREADS, WORDS};
use kernels_gpu::shape::Shape;
use numbers::problem::Problem;
use numbers::scalar::ScalarKind;
use simt::global::Global;

use super::random::Random;
use super::ratios::Ratio;
use super::report::Row;
use crate::backend::Backend;
use crate::choice;
use crate::element::{bytes_of, bytes_of_mut};
use crate::error::Result;

/// Blocks of the probe.
const BLOCKS: u32 = 13;
/// Lanes of a warp.
const LANES: usize = 32;

/// Runs the probe on the machine; its words must agree bit for bit with those that they should be.
pub(super) fn verify(backend: &Backend, seed: u64) -> Result<Row> {
    let mut random = Random::new(seed);
    let input: Vec<[u32; 4]> = (0..BLOCKS * THREADS).map(|_| [(); 4].map(|()| (random.bits() >> 32) as u32)).collect();
    let got = probe(backend, &input)?;
    let mut problem = difference(&got, &expected(&input), "plain loops");
    if EMULATED && !matches!(backend, Backend::Sim(_)) {
        let emulator = Backend::sim(seed);
        problem = problem.or(difference(&got, &probe(&emulator, &input)?, "the emulator"));
    }
    Ok(Row {
        operation: "machine",
        element: "u32",
        orders: (THREADS as usize, THREADS as usize),
        matrices: BLOCKS as usize,
        ratio: Ratio::default(),
        problem,
    })
}

/// The first word that differs.
fn difference(got: &[u32], wanted: &[u32], by: &str) -> Option<String> {
    let at = got.iter().zip(wanted).position(|(a, b)| a != b)?;
    let (thread, word) = (at / WORDS as usize, at % WORDS as usize);
    Some(format!("word {word} of the probe's thread {thread} is {:#010x}, but {by} say {:#010x}", got[at], wanted[at]))
}

/// What the machine makes of the input.
fn probe(backend: &Backend, input: &[[u32; 4]]) -> Result<Vec<u32>> {
    let entry = choice::only(Family::Probe, Variant::Only, ScalarKind::F32)?;
    let shape = entry.shape(&Problem { n: 1, batch: BLOCKS.into(), rhs: 1 });
    run_probe(backend, entry, shape, input, WORDS, |input, output| ProbeArgs { input, output, blocks: BLOCKS })
}

/// Runs a probe of which a thread reads four words and writes `words`.
pub(super) fn run_probe<A: Copy + Send + Sync + 'static>(
    backend: &Backend,
    entry: &'static Entry,
    shape: Shape,
    input: &[[u32; 4]],
    words: u32,
    args: impl FnOnce(Global<u32>, Global<u32>) -> A,
) -> Result<Vec<u32>> {
    backend.prepare(entry, shape.shared_bytes)?;
    let mut output = vec![0_u32; input.len() * words as usize];
    let input: Vec<u32> = input.as_flattened().to_vec();
    let (from, to) = (backend.allocate(4 * input.len())?, backend.allocate(4 * output.len())?);
    let queue = backend.queue()?;
    // SAFETY: the memory is of the probe's size, and the queue is waited for before anything is dropped.
    unsafe {
        let input = bytes_of(&input);
        queue.upload(&from, 0, input.as_ptr(), input.len())?;
        let args = args(Global::new(from.address()), Global::new(to.address()));
        backend.launch(&queue, entry, shape, &args)?;
    }
    let bytes = bytes_of_mut(&mut output);
    // SAFETY: as above.
    unsafe { queue.download(&to, 0, bytes.as_mut_ptr(), bytes.len())? };
    queue.synchronize()?;
    Ok(output)
}

/// What the probe should make of the input.
fn expected(input: &[[u32; 4]]) -> Vec<u32> {
    let threads = THREADS as usize;
    (0..input.len())
        .flat_map(|me| {
            let (block, thread) = (me / threads, me % threads);
            words(&input[block * threads..][..threads], block, thread)
        })
        .collect()
}

/// The words of a thread of a block.
fn words(block: &[[u32; 4]], index: usize, thread: usize) -> [u32; WORDS as usize] {
    let [a, b, c, d] = block[thread];
    let (lane, warp) = (thread % LANES, &block[thread / LANES * LANES..][..LANES]);
    let ballot = |predicate: &dyn Fn(&[u32; 4]) -> bool, lanes: std::ops::Range<usize>| {
        lanes.filter(|&l| predicate(&warp[l])).fold(0_u32, |mask, l| mask | 1 << l)
    };
    let mut out = [0; WORDS as usize];
    [out[0], out[1], out[2], out[3]] = [thread as u32, index as u32, THREADS, BLOCKS];
    out[4] = warp[b as usize % LANES][0];
    let far = warp[d as usize % LANES];
    (out[5], out[6]) = (far[0], far[2]);
    out[7..11].copy_from_slice(&warp[a as usize % LANES]);
    out[11] = warp[lane ^ 5][3];
    out[12] = ballot(&|w| w[0] > w[1], 0..LANES);
    out[13] = warp.iter().any(|w| w[0] < 1 << 26).into();
    out[14] = warp.iter().all(|w| w[1] >= 1 << 26).into();
    out[15] = warp.iter().map(|w| w[2]).max().unwrap_or(0);

    let half = lane & 16..(lane & 16) + 16;
    out[16] = warp[half.start + a as usize % 16][2];
    out[17] = ballot(&|w| w[2] > w[3], half.clone());
    out[18] = warp[half].iter().map(|w| w[0] ^ w[3]).max().unwrap_or(0);

    let other = block[(thread * 29 + 7) % THREADS as usize];
    (out[19], out[20]) = (other[3], other[0]);
    out[21] = warp[LANES - 1 - lane][0];

    let real = |bits: u32| f32::from_bits((bits & 0x00ff_ffff) + (0x3f80_0000 - 0x0040_0000));
    let (x, y, z) = (real(a), real(b), real(c));
    (out[22], out[23], out[24]) = (x.mul_add(y, z).to_bits(), x.sqrt().to_bits(), (x / y).to_bits());
    let (x, y, z) = (f64::from(x) / 3.0, f64::from(y) / 7.0, f64::from(z));
    for (i, value) in [x.mul_add(y, z), x.sqrt(), x / y].into_iter().enumerate() {
        (out[25 + 2 * i], out[26 + 2 * i]) = (value.to_bits() as u32, (value.to_bits() >> 32) as u32);
    }
    out[31] = (f32::from_bits(a & 0x007f_ffff) * 0.5).to_bits();
    out
}
