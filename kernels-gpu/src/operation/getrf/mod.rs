//! LU factorization with partial pivoting, PA = LU (LAPACK `xGETRF`), of any order.

mod finished;
pub mod global;
mod interchange;
pub mod panel;
