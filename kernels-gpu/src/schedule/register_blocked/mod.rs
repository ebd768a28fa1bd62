//! LU, inverse and solution for n > 32, the whole matrix in the registers of one block: right-looking, with look-ahead.
//!
//! Columns are cut into panels of `NB`, dealt out to the warps in turn: warp w owns panels w, w + warps, ... Lane l
//! holds rows l, l + 32, ... of each.
//!
//! ```text
//!            NB    NB    NB    NB    NB
//!          +-----+-----+-----+-----+-----+
//!  32 rows |     |     |     |     |     |    for each panel p:
//!          +- w0-+- w1-+- w2-+- w0-+- w1-+    1. its owner factors it alone, and publishes L, the pivot rows and U11
//!  32 rows |     |     |     |     |     |    2. one barrier
//!          +-----+-----+-----+-----+-----+    3. each warp updates its own panels: U12 = L11^-1 A12, A22 -= L21 U12
//! ```
//!
//! The owner of panel p + 1 updates that first, factors and publishes it, and updates its other panels afterwards. So
//! the factorization of a panel overlaps with the updates of the other warps (look-ahead), at one barrier a panel.
//!
//! [`inverse()`] also eliminates above the diagonal (in-place Gauss-Jordan). [`getrf()`] and [`gesv()`] do not; in the
//! latter, right-hand sides, one a warp, take part in the updates, and back substitution follows. Rows are never
//! interchanged: each remembers its pivot step, and goes to its place when it is stored. Its position under LAPACK's
//! interchanges is computed only where candidates tie, and for the pivots of [`getrf()`].
//!
//! - `LANE_ROWS`: rows of a lane; the largest order is `32 * LANE_ROWS`
//! - `NB`: columns of a panel
//! - `PANELS`: panels of a warp
//! - `RHS`: right-hand sides of a warp, 0 or 1
//! - `JORDAN`: whether to eliminate above the diagonal, too

pub mod eliminate;
pub mod exact;
pub mod gesv;
pub mod getrf;
pub mod inverse;
pub mod panel;
pub mod storage;
pub mod substitute;
pub mod tiles;
pub mod update;

pub use gesv::{gesv, shape as gesv_shape};
pub use getrf::{getrf, shape};
pub use inverse::inverse;
