//! The compiled PTX, a module an entry point and tier of GPUs, written by `cargo xtask kernels`.
//!
//! A module is stored as [`registers::pack`] makes it, compressed by Brotli. A tier has only what differs from the tier
//! below it.

/// The modules of files, tier by tier; those of the second list belong to published algorithms.
macro_rules! modules {
    ($($tier:literal { $($entry:literal)* } papers { $($paper:literal)* })*) => {
        /// All modules.
        pub static MODULES: &[crate::ptx::Module] = &[
            $($(crate::ptx::Module {
                entry: $entry,
                tier: $tier,
                packed: include_bytes!(concat!("../../ptx/sm_", $tier, "/", $entry, ".br")),
            },)*
            $(#[cfg(feature = "papers")]
            crate::ptx::Module {
                entry: $paper,
                tier: $tier,
                packed: include_bytes!(concat!("../../ptx/papers/sm_", $tier, "/", $paper, ".br")),
            },)*)*
        ];
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
pub fn find(entry: &str, tier: u32) -> Option<&'static Module> {
    MODULES.iter().filter(|module| module.entry == entry && module.tier <= tier).max_by_key(|module| module.tier)
}
