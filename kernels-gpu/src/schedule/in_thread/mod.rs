//! Matrices of order up to 4, each in the registers of one thread.
//!
//! ```text
//!   device memory  |matrix 0|matrix 1|...|matrix 31|    a warp reads 32 matrices in pieces of 16 bytes,
//!   shared memory  |matrix 0 |matrix 1 |...             neighbours by neighbours, and keeps them there padded;
//!   registers       lane 0    lane 1   ...  lane 31     then each lane takes its own, and works on it alone
//! ```
//!
//! Results go back the same way. Batches of such matrices take a few microseconds: a launch, and one trip to memory and
//! back. So a lane asks for all it needs at once, and each order has short code of its own, where rows are interchanged
//! by selecting among registers. Batches that are not packed, and the last warp of a launch if it is not full, move
//! element by element.
//!
//! Const generics: `N`, the order; `K`, its square, the elements of a matrix.

pub mod eliminate;
pub mod gesv;
pub mod getrf;
pub mod inverse;
pub mod lane_matrices;

pub use gesv::gesv;
pub use getrf::getrf;
pub use inverse::inverse;
pub use lane_matrices::shape;

use simt::{block, warp};

/// Threads of a block. Its warps are independent.
pub const THREADS: u32 = 128;
/// The largest order.
pub const MAX_ORDER: u32 = 4;

/// The matrix of each lane of this warp.
#[derive(Clone, Copy)]
pub struct LaneMatrix {
    /// This lane's. For a spare lane, which must not write, the last matrix of the launch.
    pub matrix: u64,
    /// Whether it has a matrix of its own.
    pub active: bool,
    /// The first lane's matrix.
    pub first: u64,
    /// Whether all lanes have one.
    pub full: bool,
}

impl LaneMatrix {
    /// Those of the launch's `first..end`; `None` if there are none.
    #[inline(always)]
    #[must_use]
    pub fn new(first: u64, end: u64) -> Option<Self> {
        let first = first + block::index() as u64 * THREADS as u64 + (warp::index() * warp::SIZE) as u64;
        if first >= end {
            return None;
        }
        let matrix = first + warp::lane() as u64;
        let active = matrix < end;
        let full = end - first >= warp::SIZE as u64;
        Some(Self { matrix: if active { matrix } else { end - 1 }, active, first, full })
    }
}

/// `$body` for the order `$n`, which it knows as the constant `$N`, with `$K` its square.
macro_rules! with_order {
    ($n:expr, $N:ident, $K:ident => $body:expr) => {
        match $n {
            1 => crate::schedule::in_thread::with_order!(@ 1, $N, $K => $body),
            2 => crate::schedule::in_thread::with_order!(@ 2, $N, $K => $body),
            3 => crate::schedule::in_thread::with_order!(@ 3, $N, $K => $body),
            _ => crate::schedule::in_thread::with_order!(@ 4, $N, $K => $body),
        }
    };
    (@ $order:literal, $N:ident, $K:ident => $body:expr) => {{
        const $N: usize = $order;
        const $K: usize = $N * $N;
        $body
    }};
}

pub(crate) use with_order;
