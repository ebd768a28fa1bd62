//! The primitives of clusters: against plain loops, and a GPU against the emulator, at all sizes of clusters.

use kernels_gpu::entry::{EMULATED, Family, Variant};
use kernels_gpu::operation::cluster_probe::{ClusterProbeArgs, STEPS, THREADS, WORDS};
use numbers::problem::Problem;
use numbers::scalar::ScalarKind;

use super::primitives::run_probe;
use super::{Random, Ratio, Row};
use crate::backend::Backend;
use crate::choice;
use crate::error::Result;

/// Blocks of a cluster.
const SIZES: [u32; 4] = [2, 4, 8, 16];
/// Clusters of the probe.
const CLUSTERS: u32 = 3;
/// The lowest tier of GPUs that has them.
const TIER: u32 = 90;

/// Runs the probe on the machine, if that has clusters; its words must agree bit for bit with those that they should
/// be.
pub(super) fn verify(backend: &Backend, seed: u64) -> Result<Option<Row>> {
    if backend.limits().tier < TIER {
        return Ok(None);
    }
    let mut problem = None;
    for size in SIZES {
        let mut random = Random::new(seed ^ u64::from(size));
        let count = CLUSTERS * size * THREADS;
        let input: Vec<[u32; 4]> = (0..count).map(|_| [(); 4].map(|()| (random.bits() >> 32) as u32)).collect();
        let got = probe(backend, size, &input)?;
        problem = problem.or(difference(size, &got, &expected(size, &input), "plain loops"));
        if EMULATED && !matches!(backend, Backend::Sim(_)) {
            problem = problem.or(difference(size, &got, &probe(&Backend::sim(seed), size, &input)?, "the emulator"));
        }
    }
    Ok(Some(Row {
        operation: "clusters",
        element: "u32",
        orders: (SIZES[0] as usize, SIZES[SIZES.len() - 1] as usize),
        matrices: CLUSTERS as usize,
        ratio: Ratio::default(),
        problem,
    }))
}

/// The first word that differs.
fn difference(size: u32, got: &[u32], wanted: &[u32], by: &str) -> Option<String> {
    let at = got.iter().zip(wanted).position(|(a, b)| a != b)?;
    let (thread, word) = (at / WORDS as usize, at % WORDS as usize);
    let words = format!("{:#010x}, but {by} say {:#010x}", got[at], wanted[at]);
    Some(format!("word {word} of the probe's thread {thread}, in clusters of {size}, is {words}"))
}

/// What the machine makes of the input.
fn probe(backend: &Backend, size: u32, input: &[[u32; 4]]) -> Result<Vec<u32>> {
    let entry = choice::only(Family::ClusterProbe, Variant::Only, ScalarKind::F32)?;
    let shape = entry.shape(&Problem { n: size, batch: CLUSTERS.into(), rhs: 1 });
    run_probe(backend, entry, shape, input, WORDS, |input, output| ClusterProbeArgs { input, output })
}

/// What the probe should make of the input.
fn expected(size: u32, input: &[[u32; 4]]) -> Vec<u32> {
    let size = size as usize;
    let clusters = input.chunks(size * THREADS as usize);
    clusters.flat_map(|cluster| words(&cluster.chunks(THREADS as usize).collect::<Vec<_>>())).collect()
}

/// The words of a cluster, whose blocks have this input.
fn words(blocks: &[&[[u32; 4]]]) -> Vec<u32> {
    let (size, threads) = (blocks.len(), THREADS as usize);
    let (exchanged, token) = (exchanged(blocks), ring(blocks));
    let mut all = Vec::new();
    for (rank, block) in blocks.iter().enumerate() {
        let (next, previous) = (blocks[(rank + 1) % size], blocks[(rank + size - 1) % size]);
        for (thread, &[a, b, ..]) in block.iter().enumerate() {
            let other = (thread * 29 + 7) % threads;
            let mut out = [0; WORDS as usize];
            (out[0], out[1]) = (rank as u32, size as u32);
            let far = next[other];
            (out[2], out[3], out[4]) = (far[1], far[2], far[3]);
            out[5] = far[0] ^ far[1].rotate_left(3) ^ far[2].rotate_left(7) ^ far[3].rotate_left(13);
            out[6] = far[0] ^ far[1].rotate_left(5);
            (out[7], out[8]) = (far[1] ^ far[2], far[0] ^ far[3]);
            let sent = previous[other];
            (out[9], out[10]) = (sent[3] ^ a.wrapping_add(b), sent[0]);
            out[11] = exchanged[rank * threads + thread];
            out[12] = token[rank];
            // The thread that has this one for its other.
            let from = (0..threads).find(|from| (from * 29 + 7) % threads == thread).unwrap_or(0);
            (out[13], out[14], out[15]) = (block[other][0], block[from][1], block[0][1]);
            all.extend(out);
        }
    }
    all
}

/// What each thread has after the exchange: thread `t` of a block sends its value to block `t`.
fn exchanged(blocks: &[&[[u32; 4]]]) -> Vec<u32> {
    let (size, threads) = (blocks.len(), THREADS as usize);
    let mut values: Vec<u32> = blocks.iter().flat_map(|block| block.iter().map(|words| words[0])).collect();
    for step in 0..STEPS {
        let sent = values.clone();
        for (at, value) in values.iter_mut().enumerate() {
            for source in 0..size {
                let x = sent[source * threads + at / threads];
                // Of three values and a complement, and the step twice, this is left.
                let parts = x ^ step ^ x ^ x ^ source as u32 ^ step ^ !x;
                *value = value.rotate_left(5).wrapping_add(parts);
            }
        }
    }
    values
}

/// The token that each block has at last.
fn ring(blocks: &[&[[u32; 4]]]) -> Vec<u32> {
    let size = blocks.len();
    let mut tokens = vec![0; size];
    let mut value = 0_u32;
    for (rank, block) in blocks.iter().enumerate() {
        let word = block[0][1];
        value = if rank == 0 { word } else { value.rotate_left(1).wrapping_add(word) };
        tokens[(rank + 1) % size] = value;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_emulator_does_as_plain_loops_do() {
        for seed in 0..6 {
            let row = verify(&Backend::sim(seed), seed).unwrap().unwrap();
            assert!(row.passed(), "seed {seed}: {row}");
        }
        assert!(verify(&Backend::Cpu, 0).unwrap().is_none());
    }
}
