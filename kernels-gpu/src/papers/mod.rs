//! The kernels of published algorithms, as their papers describe them: there to be compared with.

pub mod bordering;
pub mod copy_batch;
pub mod element_wise;
pub mod elimination;
pub mod grid;
pub mod inverse;
pub mod lu;
pub mod pivot;
pub mod substitution;
pub mod sum;
pub mod table;
