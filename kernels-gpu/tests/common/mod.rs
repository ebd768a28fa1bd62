//! What the tests of the kernels of one launch share.

/// A module of tests for each check, with one test for each type that it is generic over: all four, unless some are
/// named.
#[allow(unused_macros)]
macro_rules! for_types {
    ($($name:ident: $check:ident;)*) => {
        $(for_types! { $name: $check for f32 f64 c32 c64; })*
    };
    ($name:ident: $check:ident for $($t:ident)*;) => {
        mod $name {
            #[allow(unused_imports)] // of some types only
            use numbers::scalar::{c32, c64};
            $(#[test]
            fn $t() {
                super::$check::<$t>();
            })*
        }
    };
}

pub(crate) mod batch;
pub(crate) mod cases;
#[allow(dead_code)] // not all choose kernels
pub(crate) mod extent;
#[allow(dead_code)] // not all start from factors
pub(crate) mod factored;
#[allow(dead_code)] // likewise
pub(crate) mod from_factors;
pub(crate) mod ill;
pub(crate) mod measure;
pub(crate) mod run;
