//! LU factorization with partial pivoting, PA = LU (LAPACK `xGETRF`), of any order.

pub mod global;
pub mod panel;
