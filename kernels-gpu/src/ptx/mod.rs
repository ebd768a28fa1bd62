//! The compiled PTX, a module an entry point and tier of GPUs, written by `cargo xtask kernels`.
//!
//! A module is stored as [`registers::pack`] makes it, compressed by Brotli. A tier has only what differs from the tier
//! below it.

/// The modules of files, tier by tier, of a crate with the feature `ptx`: none without it. Entry points are named by what
/// comes before their types.
#[macro_export]
macro_rules! modules {
    ($($tier:literal { $($name:literal: $($t:ident)*;)* })*) => {
        /// All modules.
        #[cfg(feature = "ptx")]
        pub static MODULES: &[$crate::ptx::Module] = &[
            $($($($crate::ptx::Module {
                entry: concat!($name, "_", stringify!($t)),
                tier: $tier,
                packed: include_bytes!(concat!("../../ptx/sm_", $tier, "/", $name, "_", stringify!($t), ".br")),
            },)*)*)*
        ];

        /// No modules: this build does not hold them.
        #[cfg(not(feature = "ptx"))]
        pub static MODULES: &[$crate::ptx::Module] = &[];
    };
}

mod modules;
pub mod registers;

pub use modules::MODULES;

/// The `rust-toolchain.toml` of the compiler that wrote it.
pub const TOOLCHAIN: &str = include_str!("../../rust-toolchain.toml");

/// The module of an entry point for a tier.
#[derive(Debug)]
pub struct Module {
    /// The name of the entry point.
    pub entry: &'static str,
    /// The tier: the compute capability that the PTX asks for, times 10.
    pub tier: u32,
    /// What is stored.
    pub packed: &'static [u8],
}

/// The module of an entry point for GPUs of a tier: that of the highest tier not above it.
#[must_use]
pub fn find(modules: &'static [Module], entry: &str, tier: u32) -> Option<&'static Module> {
    modules.iter().filter(|module| module.entry == entry && module.tier <= tier).max_by_key(|module| module.tier)
}
