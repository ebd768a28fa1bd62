//! LU and inverse by a block a matrix: one slab of columns after the other in registers, updated by tensor cores.
//!
//! Columns are cut into panels of 8, and panels into slabs of `S`. Each warp has `32 * R` rows of the slab, spread over its lanes as
//! the matrix instruction wants it. Panels that are done are in the output, and are applied one after the other to a slab that
//! is loaded; each thread copies its part of them to shared memory a few panels ahead. Then the slab's own panels are factored, rows
//! in lanes, and applied to the slab's rest. So a block needs few registers a row, and several blocks on a multiprocessor
//! hide each other's latency.
//!
//! Rows never move: each keeps to its lane, and has the step at which it became a pivot row. Its multipliers are those of
//! earlier steps. In the end rows are brought to where LAPACK's interchanges would have put them. An inverse is Gauss-Jordan
//! elimination instead, and a second sweep.

pub mod apply;
pub mod find_pivot;
pub mod fragment;
pub mod getrf;
pub mod inverse;
pub mod panel;
pub mod storage;
pub mod sweep;

pub use getrf::{getrf, shape};
pub use inverse::inverse;

/// Columns of a panel: what the matrix instruction multiplies with at once.
const NB: usize = 8;
/// The step of a row that is not a pivot row yet.
const OPEN: u32 = u32::MAX;
