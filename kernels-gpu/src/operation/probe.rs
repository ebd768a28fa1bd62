//! A kernel that uses every primitive of `simt`, to compare a GPU with the emulator bit for bit.

use num_complex::Complex;
use simt::global::Global;
use simt::layout::Layout;
use simt::math::Fused;
use simt::shared::{Shared, Vector};
use simt::{block, sync_threads, thread, warp};

use crate::shape::{Problem, Shape};
use numbers::scalar::ScalarKind;

/// Threads of a block.
pub const THREADS: u32 = 64;
/// Words that a thread writes.
pub const WORDS: u32 = 32;

/// Arguments of the probe.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ProbeArgs {
    /// Arbitrary words, aligned to 16 bytes: shape (blocks, THREADS, 4).
    pub input: Global<u32>,
    /// What the primitives make of them: shape (blocks, THREADS, WORDS).
    pub output: Global<u32>,
    /// Blocks.
    pub blocks: u32,
}

/// The words that the warps of a block exchange; shape (THREADS, 4).
#[inline(always)]
fn shared_storage(layout: &mut Layout) -> Shared<u32> {
    layout.array(4 * THREADS)
}

/// The launch shape of [`probe`]: `problem.batch` blocks.
#[must_use]
pub fn shape(problem: &Problem, _: ScalarKind) -> Shape {
    Shape { blocks: problem.batch, cluster: 1, threads: THREADS, shared_bytes: Layout::bytes(shared_storage) }
}

/// The body of the kernel.
#[inline(always)]
pub fn probe(args: ProbeArgs) {
    let me = block::index() * block::dim() + thread::index();
    let words = args.input.vectors::<4>().load(me as i64).0;
    let [a, b, c, d] = words;
    let mut out = [0_u32; WORDS as usize];

    (out[0], out[1], out[2], out[3]) = (thread::index(), block::index(), block::dim(), block::grid_dim());
    out[4] = warp::shuffle(warp::ALL, a, b);
    let wide = warp::shuffle(warp::ALL, Complex::new(f32::from_bits(a), f32::from_bits(c)), d);
    (out[5], out[6]) = (wide.re.to_bits(), wide.im.to_bits());
    [out[7], out[8], out[9], out[10]] = warp::shuffle(warp::ALL, words, a);
    out[11] = warp::shuffle_xor(warp::ALL, d, 5);
    out[12] = warp::ballot(warp::ALL, a > b);
    out[13] = warp::any(warp::ALL, a < 1 << 26) as u32;
    out[14] = warp::all(warp::ALL, b >= 1 << 26) as u32;
    out[15] = warp::max_u32(warp::ALL, c);

    // Each half of a warp by itself.
    let half = 0xffff << (warp::lane() & 16);
    out[16] = warp::shuffle(half, c, (warp::lane() & 16) + a % 16);
    out[17] = warp::ballot(half, c > d);
    out[18] = warp::max_u32(half, a ^ d);

    // Across warps, through shared memory.
    // SAFETY: `shape` asks for this layout's bytes; barriers separate writes from reads.
    let cells = unsafe { Layout::place(shared_storage) };
    let rows = cells.vectors::<4>();
    rows.store(thread::index(), Vector([d, c, b, a]));
    sync_threads();
    let other = (thread::index() * 29 + 7) % THREADS;
    (out[19], out[20]) = (cells.load(4 * other), cells.load(4 * other + 3));
    sync_threads();
    cells.store(warp::lane() * 2 + warp::index(), a);
    warp::sync(warp::ALL);
    out[21] = cells.load((31 - warp::lane()) * 2 + warp::index());

    let (x, y, z) = (real32(a), real32(b), real32(c));
    (out[22], out[23], out[24]) = (x.mul_add(y, z).to_bits(), Fused::sqrt(x).to_bits(), (x / y).to_bits());
    let (x, y, z) = (x as f64 / 3.0, y as f64 / 7.0, z as f64);
    for (i, value) in [x.mul_add(y, z), Fused::sqrt(x), x / y].into_iter().enumerate() {
        (out[25 + 2 * i], out[26 + 2 * i]) = (value.to_bits() as u32, (value.to_bits() >> 32) as u32);
    }
    out[31] = (f32::from_bits(a & 0x007f_ffff) * 0.5).to_bits(); // a subnormal number stays one

    for (i, group) in out.as_chunks::<4>().0.iter().enumerate() {
        args.output.vectors::<4>().store(me as i64 * (WORDS as i64 / 4) + i as i64, Vector(*group));
    }
}

/// A positive, normal f32 from any bits.
#[inline(always)]
fn real32(bits: u32) -> f32 {
    f32::from_bits((bits & 0x00ff_ffff) + (0x3f80_0000 - 0x0040_0000))
}
