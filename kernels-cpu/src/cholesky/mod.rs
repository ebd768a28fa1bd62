//! Hermitian positive definite matrices on the CPU: A = L L^H, and what goes by it, of lower triangles. Upper ones are
//! those of the transposed matrices.
//!
//! Small matrices are worked on by [`lanes`](super::lanes), larger ones by halves. While one is worked on, its upper
//! triangle is L^H, which solves systems and gives products their factors by columns.

pub(crate) mod batch;
mod factor;
mod groups;
mod inverse;
mod mirror;
mod square;
#[cfg(test)]
mod tests;
