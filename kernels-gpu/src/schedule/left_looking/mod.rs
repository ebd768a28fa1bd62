//! Left-looking LU and solve, by one warp or a few for each matrix; panels of 8 columns pass through registers.
//!
//! ```text
//! for each panel p, from left to right:
//!     load      A[:, p]   device memory -> staging in shared memory -> 16 x 8 tiles in registers,
//!                         requested one panel early; rows are read in their present order
//!     for each panel q < p:
//!         TRSM  U[q, p]   = L[q, q]^-1 A[q, p]       in registers; U goes to device memory at once
//!         GEMM  A[>q, p] -= L[>q, q] U[q, p]         by matrix instructions
//!     GETF2     A[>=p, p] -> L and the diagonal block of U; each lane holds whole rows
//!     LASWP     of L so far, and of the order in which rows are read
//! ```
//!
//! L stays in shared memory until the end, packed: panel q starts at row 8 q, so each is shorter than the one before.
//! One warp does all of this in sequence, and other matrices on the multiprocessor hide its latency. Where L is too
//! large for enough of those, there are several warps: warp 0 factors panels, each other one meanwhile prepares a panel
//! in its registers, and all together apply the panel just factored to the next one; see [`multi_warp`].
//! A solve carries its right-hand side along as one more column. Then U comes back to shared memory in place of L, and
//! a warp substitutes. Used for orders that do not fit the registers of a warp, up to 144.
//!
//! Sources: LAPACK `xGETF2`, `xLASWP`; the order is the jki form of Dongarra, Gustavson, Karp, SIAM Review 26 (1984).
//!
//! Const generics: `TILES`, 16-row tiles of the matrix; `WARPS` of a block; `WARP_TILES`, `TILES / WARPS` rounded up;
//! `LANE_ROWS`, rows of a panel that a lane holds; `RHS`, right-hand sides, 0 or 1.

pub mod apply;
pub mod back_substitution;
pub mod eliminate;
pub mod fragment_ops;
pub mod gesv;
pub mod getrf;
pub mod laswp;
pub mod multi_warp;
pub mod panel;
pub mod pivot;
pub mod sink;
pub mod storage;
pub mod store_factors;
pub mod swizzled_panel;
pub mod tiles;

pub use gesv::{gesv, shape as gesv_shape};
pub use getrf::{getrf, shape as getrf_shape};

use simt::hint::opaque;
use simt::warp;

use crate::collective::fragment::COLUMNS;

/// Columns of a panel, for arithmetic on indices; arrays have [`COLUMNS`].
const NB: u32 = COLUMNS as u32;

/// Where this lane's part of a tile is: rows `row` and `row + 8`, columns `column` and `column + 1`. See
/// [`fragment`](crate::collective::fragment).
#[derive(Clone, Copy)]
struct LanePlace {
    row: u32,
    column: u32,
}

impl LanePlace {
    #[inline(always)]
    fn own() -> Self {
        // Opaque, so that addresses are computed where they are used instead of being kept in registers.
        let lane = opaque(warp::lane());
        Self { row: lane / 4, column: lane % 4 * 2 }
    }
}

/// Columns that panel `p` of a matrix of order `n` has: fewer than [`NB`] in the last panel only.
#[inline(always)]
fn width(p: u32, n: u32) -> u32 {
    let left = n - p * NB;
    if left < NB { left } else { NB }
}
