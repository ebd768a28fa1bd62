//! The compiled PTX, written by `cargo xtask kernels`.

/// The `rust-toolchain.toml` of the compiler that wrote it.
pub const TOOLCHAIN: &str = include_str!("../rust-toolchain.toml");

/// The modules of a family for an architecture: a `.tar.gz` that holds a `<entry>.ptx` for each entry point.
#[derive(Debug)]
pub struct Archive {
    /// The compute capability that the PTX asks for, times 10.
    pub sm: u32,
    /// The [name](crate::entry::Family::name) of the family.
    pub family: &'static str,
    /// The file.
    pub bytes: &'static [u8],
}

macro_rules! archives {
    ($($sm:literal: $($family:literal)*;)*) => {
        /// All archives.
        pub static ARCHIVES: &[Archive] = &[$($(Archive {
            sm: $sm,
            family: $family,
            bytes: include_bytes!(concat!("../ptx/sm_", $sm, "/", $family, ".tar.gz")),
        }),*),*];
    };
}

archives! {
    70: "lu" "inverse" "solve" "det" "widen" "narrow" "probe";
    90: "lu" "inverse" "solve" "det" "widen" "narrow" "probe";
}
