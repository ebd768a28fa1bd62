//! LU factors of matrices of many orders: groups of one order each are factors like any other.

mod factor;
mod from_factors;
mod lu;
mod quality;

pub use lu::RaggedLu;
