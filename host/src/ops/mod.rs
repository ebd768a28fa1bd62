//! Calls on host memory, a file a verb: what goes in, what comes out, and which operation that is.

mod checks;
mod cholesky;
mod det;
mod estimates;
mod factor;
mod factored;
mod factors;
mod growth;
mod inverse;
mod lu;
mod norms;
mod ragged;
mod rcond;
mod refine;
mod solve;
mod solve_refined;

pub use cholesky::Cholesky;
pub use det::Determinants;
pub use inverse::Inverse;
pub use lu::Lu;
pub use norms::Norms;
pub use ragged::RaggedLu;
pub use rcond::Conditions;
pub use refine::ErrorBounds;
pub use solve::Solution;
pub use solve_refined::{RefinedSolution, Refinement};

pub(crate) use factor::lu_of;
pub(crate) use factors::quiet;
pub(crate) use solve_refined::{apart, note};
