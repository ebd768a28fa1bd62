//! Calls on batches of matrices of many sizes: groups of one size each are batches like any other.

mod det;
mod factor;
mod from_factors;
mod groups;
mod inverse;
mod lu;
mod quality;
mod solve;
mod turns;

pub(crate) use groups::Groups;
pub use inverse::RaggedInverse;
pub use lu::RaggedLu;
pub use solve::RaggedSolution;
