//! A kernel that uses every primitive of `simt` for clusters, to compare a GPU with the emulator bit for bit.

use num_complex::Complex;
use simt::global::Global;
use simt::layout::Layout;
use simt::mbarrier::Mbarrier;
use simt::shared::{Shared, Vector};
use simt::{block, cluster, sync_threads, thread};

use crate::shape::{Problem, Shape};
use numbers::scalar::ScalarKind;

/// Threads of a block.
pub const THREADS: u32 = 64;
/// Words that a thread writes.
pub const WORDS: u32 = 16;
/// Blocks of the largest cluster.
pub const MAX_CLUSTER: u32 = 16;
/// Steps of the exchange.
pub const STEPS: u32 = 5;

/// Slots that the exchange goes through.
const SLOTS: u32 = 2;
/// Words that a block sends to another in a step: one, a gap, two, and four.
const MESSAGE: u32 = 8;

/// Arguments of the probe.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ClusterProbeArgs {
    /// Arbitrary words, aligned to 16 bytes: shape (blocks, THREADS, 4).
    pub input: Global<u32>,
    /// What the primitives make of them: shape (blocks, THREADS, WORDS).
    pub output: Global<u32>,
}

/// What a block keeps in shared memory.
struct Storage {
    cells: Shared<u32>,   // shape (THREADS, 4)
    inbox: Shared<u32>,   // shape (SLOTS, MAX_CLUSTER, MESSAGE)
    token: Shared<u32>,   // shape (1)
    arrived: Shared<u64>, // shape (SLOTS)
    told: Shared<u64>,    // shape (1)
    met: Shared<u64>,     // shape (1)
}

#[inline(always)]
fn storage(layout: &mut Layout) -> Storage {
    Storage {
        cells: layout.array(4 * THREADS),
        inbox: layout.array(SLOTS * MAX_CLUSTER * MESSAGE),
        token: layout.array(1),
        arrived: layout.array(SLOTS),
        told: layout.array(1),
        met: layout.array(1),
    }
}

/// The launch shape of [`probe`]: `problem.batch` clusters of `problem.n` blocks.
#[must_use]
pub fn shape(problem: &Problem, _: ScalarKind) -> Shape {
    let &Problem { n, batch, .. } = problem;
    let shared_bytes = if n <= MAX_CLUSTER { Layout::bytes(storage) } else { u32::MAX };
    Shape { blocks: batch * n as u64, cluster: n, threads: THREADS, shared_bytes }
}

/// The body of the kernel.
#[inline(always)]
pub fn probe(args: ClusterProbeArgs) {
    let me = block::index() * THREADS + thread::index();
    let words = args.input.vectors::<4>().load(me as i64).0;
    let mut out = [0_u32; WORDS as usize];
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads.
    let storage = unsafe { Layout::place(storage) };
    begin(&storage);
    (out[0], out[1]) = (cluster::rank(), cluster::size());
    load(&storage, words, &mut out);
    store(&storage, words, &mut out);
    out[11] = exchange(&storage, words[0]);
    out[12] = ring(&storage, words[1]);
    meet(&storage, words, &mut out);
    for (i, group) in out.as_chunks::<4>().0.iter().enumerate() {
        args.output.vectors::<4>().store(me as i64 * (WORDS as i64 / 4) + i as i64, Vector(*group));
    }
    // Nobody ends while others reach for its memory.
    cluster::sync();
}

/// The thread whose cells this one looks at.
#[inline(always)]
fn other_thread() -> u32 {
    (thread::index() * 29 + 7) % THREADS
}

/// The next rank of the cluster.
#[inline(always)]
fn next() -> u32 {
    if cluster::rank() + 1 < cluster::size() { cluster::rank() + 1 } else { 0 }
}

#[inline(always)]
fn begin(storage: &Storage) {
    if thread::index() == 0 {
        for slot in 0..SLOTS {
            let full = Mbarrier::new(storage.arrived.offset(slot));
            full.init(1);
            full.arrive_expect(28 * cluster::size());
        }
        Mbarrier::new(storage.told).init(1);
        Mbarrier::new(storage.met).init(THREADS);
    }
}

/// Loads of all sizes from the next block.
#[inline(always)]
fn load(storage: &Storage, words: [u32; 4], out: &mut [u32; WORDS as usize]) {
    storage.cells.vectors::<4>().store(thread::index(), Vector(words));
    cluster::sync();
    let (remote, other) = (storage.cells.of(next()), other_thread());
    out[2] = remote.offset(4 * other).load(1);
    let pair = remote.cast::<u64>().load(2 * other + 1);
    (out[3], out[4]) = (pair as u32, (pair >> 32) as u32);
    let [a, b, c, d] = remote.vectors::<4>().load(other).0;
    out[5] = a ^ b.rotate_left(3) ^ c.rotate_left(7) ^ d.rotate_left(13);
    let number = remote.cast::<Complex<f32>>().load(2 * other);
    out[6] = number.re.to_bits() ^ number.im.to_bits().rotate_left(5);
    let number = remote.cast::<Complex<f64>>().load(other);
    let (re, im) = (number.re.to_bits(), number.im.to_bits());
    (out[7], out[8]) = ((re >> 32) as u32 ^ im as u32, re as u32 ^ (im >> 32) as u32);
    cluster::sync();
}

/// Stores of all sizes to the next block.
#[inline(always)]
fn store(storage: &Storage, [a, b, c, d]: [u32; 4], out: &mut [u32; WORDS as usize]) {
    let remote = storage.cells.of(next()).offset(4 * thread::index());
    match thread::index() % 4 {
        0 => {
            remote.store(0, d);
            remote.store(1, a);
            remote.store(2, b);
            remote.store(3, c);
        }
        1 => {
            remote.cast::<u64>().store(0, (a as u64) << 32 | d as u64);
            remote.cast::<u64>().store(1, (c as u64) << 32 | b as u64);
        }
        2 => remote.cast::<Complex<f32>>().store(0, Complex::new(f32::from_bits(d), f32::from_bits(a))),
        _ => remote.vectors::<4>().store(0, Vector([d, a, b, c])),
    }
    cluster::arrive();
    let sum = a.wrapping_add(b);
    cluster::wait();
    let cells = storage.cells.offset(4 * other_thread());
    (out[9], out[10]) = (cells.load(0) ^ sum, cells.load(1));
    cluster::sync();
}

/// All blocks send to all, by asynchronous stores of all sizes, step after step through two slots.
#[inline(always)]
fn exchange(storage: &Storage, word: u32) -> u32 {
    let (rank, size) = (cluster::rank(), cluster::size());
    let mut value = word;
    let mut step = 0;
    while step < STEPS {
        let (slot, parity) = (step % SLOTS, step / SLOTS % 2);
        let full = Mbarrier::new(storage.arrived.offset(slot));
        let messages = storage.inbox.offset(slot * MAX_CLUSTER * MESSAGE);
        if thread::index() < size {
            let to = messages.offset(rank * MESSAGE).of(thread::index());
            let full = full.of(thread::index());
            to.store_async(0, value, full);
            to.cast::<u64>().store_async(1, (value as u64) << 32 | step as u64, full);
            to.vectors::<4>().store_async(1, Vector([value, rank, step, !value]), full);
        }
        full.wait(parity);
        if thread::index() == 0 && step + SLOTS < STEPS {
            full.arrive_expect(28 * size);
        }
        let mut source = 0;
        while source < size {
            let message = messages.offset(source * MESSAGE);
            let wide = message.vectors::<4>().load(1).0;
            let parts = message.load(0) ^ message.load(2) ^ message.load(3) ^ wide[0] ^ wide[1] ^ wide[2] ^ wide[3];
            value = value.rotate_left(5).wrapping_add(parts);
            source += 1;
        }
        // All of the block have read the slot before any of it sends again.
        sync_threads();
        step += 1;
    }
    value
}

/// A token goes round the blocks: each adds to it, stores it with the next, and tells that by an arrival.
#[inline(always)]
fn ring(storage: &Storage, word: u32) -> u32 {
    let (told, token) = (Mbarrier::new(storage.told), storage.token);
    if thread::index() == 0 {
        let mut value = word;
        if cluster::rank() > 0 {
            told.wait(0);
            value = token.load(0).rotate_left(1).wrapping_add(word);
        }
        token.of(next()).store(0, value);
        told.of(next()).arrive();
        told.wait(0);
    }
    sync_threads();
    token.load(0)
}

/// All threads of the block meet at an mbarrier, twice; then its word is ordinary memory.
#[inline(always)]
fn meet(storage: &Storage, [a, b, ..]: [u32; 4], out: &mut [u32; WORDS as usize]) {
    let (met, cells) = (Mbarrier::new(storage.met), storage.cells);
    cells.store(thread::index(), a);
    met.arrive();
    met.wait(0);
    out[13] = cells.load(other_thread());
    if thread::index() & 1 == 0 {
        met.arrive_expect(0)
    } else {
        met.arrive()
    }
    met.wait(1);
    cells.store(other_thread(), b);
    sync_threads();
    out[14] = cells.load(thread::index());
    if thread::index() == 0 {
        met.invalidate();
        storage.met.store(0, b as u64);
    }
    sync_threads();
    out[15] = storage.met.load(0) as u32;
}
