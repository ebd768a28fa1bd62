//! What the tests of the kernels of one launch share.

pub(crate) mod batch;
pub(crate) mod cases;
#[allow(dead_code)] // not all start from factors
pub(crate) mod factored;
pub(crate) mod ill;
pub(crate) mod measure;
pub(crate) mod run;
