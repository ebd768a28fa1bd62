//! Inversion from LU factors, A^-1 = U^-1 L^-1 P (LAPACK `xGETRI`).
//!
//! W overwrites the factors: first W U = I is solved, then W L = U^-1; last, columns are permuted. The kernels for any
//! order are left-looking: a panel is updated by all others just before it is solved, as in the batched inversion of
//! the Journal of Software 34 (2023).

pub mod block;
mod triangles;
