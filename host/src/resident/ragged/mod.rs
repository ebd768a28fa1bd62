//! Plans for matrices of many orders in device memory.
//!
//! A plan groups them by size. It works on each group by arrays of pointers, and on several groups at once.

mod bound;
mod inverse;
mod lu;
mod lu_solve;
mod order;
mod pivots;
mod plan;
mod solve;
mod table;

pub use inverse::RaggedInversePlan;
pub use lu::RaggedLuPlan;
pub use lu_solve::RaggedLuSolvePlan;
pub use order::RaggedSizes;
pub use pivots::RaggedPivots;
pub use plan::RaggedPlan;
pub use solve::RaggedSolvePlan;
pub use table::{DeviceRagged, DeviceRaggedMut};
