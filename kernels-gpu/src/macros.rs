//! Types by their kinds; and how a line of a table, of this crate or another, becomes an entry point: the tiers of GPUs
//! that have it (from one on, or from one to below another), name, type, family and variant; argument struct, body, shape
//! of a launch; threads of a block at most, and blocks that a multiprocessor should have registers for.

/// An entry point.
#[cfg(target_arch = "nvptx64")]
#[doc(hidden)]
#[macro_export]
macro_rules! entry {
    (90; $($entry:tt)*) => {
        #[cfg(target_feature = "sm_90")]
        $crate::entry! { 70; $($entry)* }
    };
    (80; $($entry:tt)*) => {
        #[cfg(target_feature = "sm_80")]
        $crate::entry! { 70; $($entry)* }
    };
    (70..80; $($entry:tt)*) => {
        #[cfg(not(target_feature = "sm_80"))]
        $crate::entry! { 70; $($entry)* }
    };
    (70; $name:expr; $kind:expr; $family:expr; $variant:ident $({ $($field:ident: $size:expr),* })?; $args:ty; $body:expr; $shape:expr; $threads:expr; $blocks:expr) => {
        const _: () = {
            #[unsafe(export_name = $name)]
            unsafe extern "gpu-kernel" fn entry(args: $args) {
                if const { $crate::only::is_compiled($name) } {
                    $body(args);
                }
            }
        };
    };
}

/// An entry point.
#[cfg(not(target_arch = "nvptx64"))]
#[doc(hidden)]
#[macro_export]
macro_rules! entry {
    ($from:literal; $($entry:tt)*) => {
        $crate::entry! { $from..u32::MAX; $($entry)* }
    };
    ($from:literal..$to:expr; $name:expr; $kind:expr; $family:expr; $variant:ident $({ $($field:ident: $size:expr),* })?; $args:ty; $body:expr; $shape:expr; $threads:expr; $blocks:expr) => {
        $crate::entry::Entry {
            name: $name,
            family: $family,
            variant: $crate::entry::Variant::$variant $({ $($field: $size),* })?,
            kind: $kind,
            tiers: $from..$to,
            modules: MODULES,
            max_threads: $threads,
            min_blocks: $blocks,
            args: core::any::TypeId::of::<$args>,
            shape: $shape,
            body: if $crate::entry::EMULATED {
                Some(|args| {
                    // SAFETY: `Entry::run` hands over the argument struct of this entry.
                    let args: $args = unsafe { *args.cast() };
                    $body(args);
                })
            } else {
                None
            },
        }
    };
}

/// A table of entry points, with the `MODULES` that have their PTX in scope.
#[macro_export]
macro_rules! entries {
    ($table:ident $([$($entry:tt)*])*) => {
        #[cfg(target_arch = "nvptx64")]
        const _: () = { $($crate::entry! { $($entry)* })* };

        /// The entry points.
        #[cfg(not(target_arch = "nvptx64"))]
        pub static $table: &[$crate::entry::Entry] = &[$($crate::entry! { $($entry)* }),*];
    };
}

/// Evaluates an expression in which `$T` is the scalar type of a kind.
#[macro_export]
macro_rules! with_scalar {
    ($kind:expr, $T:ident => $body:expr) => {
        match $kind {
            numbers::scalar::ScalarKind::F32 => {
                type $T = f32;
                $body
            }
            numbers::scalar::ScalarKind::F64 => {
                type $T = f64;
                $body
            }
            numbers::scalar::ScalarKind::C32 => {
                type $T = numbers::scalar::c32;
                $body
            }
            numbers::scalar::ScalarKind::C64 => {
                type $T = numbers::scalar::c64;
                $body
            }
        }
    };
}
