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
    ($($family:literal)*) => {
        /// All archives.
        pub static ARCHIVES: &[Archive] = &[
            $(archives! { @one 70 $family }),*,
            $(archives! { @one 90 $family }),*,
        ];
    };
    (@one $sm:literal $family:literal) => {
        Archive {
            sm: $sm,
            family: $family,
            bytes: include_bytes!(concat!("../ptx/sm_", $sm, "/", $family, ".tar.gz")),
        }
    };
}

archives! {
    "lu" "invert" "factor_solve" "inverse" "solve" "det" "widen" "narrow" "probe" "copy"
    "left_looking" "right_looking" "upper_timely" "upper_delayed" "lower_timely" "lower_delayed" "columns"
    "pivot" "elimination" "element_wise" "substitution" "bordering" "finish"
}
