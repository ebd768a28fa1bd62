//! What the tests share: inputs, judgement by LAPACK's ratios, comparison bit by bit.

#[cfg(unix)]
pub mod child;
pub mod compare;
pub mod data;
pub mod expected;
pub mod judge;
pub mod matrices;
#[cfg(target_os = "linux")]
pub mod pretend;
pub mod ragged;
pub mod results;

use warplu::Device;

/// The devices that every computer has: the CPU, and the emulator with a thread order drawn from `seed`.
#[must_use]
pub fn devices(seed: u64) -> [Device; 2] {
    [Device::cpu(), Device::sim_with_seed(seed)]
}

/// Whether everything is to be tested, with `WARPLU_TESTS=all` in the environment, as `cargo xtask ci` has it.
#[must_use]
pub fn is_exhaustive() -> bool {
    std::env::var_os("WARPLU_TESTS").is_some_and(|value| value == "all")
}

/// How many of so many random cases are tried: a quarter, unless everything is to be tested.
#[must_use]
pub fn some_of(cases: u32) -> u32 {
    if is_exhaustive() { cases } else { cases.div_ceil(4) }
}

/// Every third of some orders, unless everything is to be tested.
pub fn some_orders<const N: usize>(all: [usize; N]) -> impl Iterator<Item = usize> {
    all.into_iter().step_by(if is_exhaustive() { 1 } else { 3 })
}

/// Makes a test of a generic function for each type (or for those that are named), in a module of the function's name.
#[macro_export]
macro_rules! for_types {
    ($function:ident) => {
        $crate::for_types! { $function: f32 f64 c32 c64 f16 bf16 }
    };
    ($function:ident: $($t:ident)*) => {
        mod $function {
            #[allow(unused_imports)]
            use warplu::{bf16, c32, c64, f16};

            $(#[test]
            fn $t() {
                super::$function::<$t>();
            })*
        }
    };
}
