//! Calls on host memory, a file a verb: what goes in, what comes out, and which operation that is.

mod checks;
mod cholesky;
mod det;
mod estimates;
mod factor;
mod growth;
mod inverse;
mod kept;
mod lu;
mod norms;
mod one_size;
mod products;
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
pub use ragged::{RaggedCholesky, RaggedFactors, RaggedLu};
pub use rcond::Conditions;
pub use refine::ErrorBounds;
pub use solve::Solution;
pub use solve_refined::{RefinedSolution, Refinement};

pub(crate) use factor::factored;
pub(crate) use kept::quiet;
