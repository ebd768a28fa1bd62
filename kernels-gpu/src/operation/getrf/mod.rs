//! LU factorization of any order: with partial pivoting, PA = LU (LAPACK `xGETRF`), or without.

mod finished;
pub mod global;
mod interchange;
pub mod nopiv;
pub mod panel;
