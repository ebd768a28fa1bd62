//! Batches of matrices of many sizes in host memory: borrowed, to read and to write, and those that calls return.

mod matrices;
mod shape;
mod spot;
mod view;
mod view_mut;

pub use matrices::RaggedMatrices;
pub(crate) use matrices::Unwritten;
pub use shape::Shape;
#[cfg(any(feature = "faer", feature = "nalgebra", feature = "ndarray"))]
pub(crate) use spot::check_total;
pub(crate) use spot::{Spot, back_to_back, check_apart, strided};
pub use view::Ragged;
pub use view_mut::RaggedMut;
