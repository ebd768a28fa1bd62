//! The kernels of published algorithms, as their papers describe them.

pub mod bordering;
pub mod element_wise;
pub mod elimination;
pub mod finish;
pub mod grid;
pub mod pivot;
pub mod substitution;
pub mod sum;
