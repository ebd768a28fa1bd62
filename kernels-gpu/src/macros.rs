//! Types by their kinds; and how a line of a table becomes an entry point: the tiers of GPUs that have it (from one on, or
//! from one to below another), name, type, family and variant; argument struct, body, shape of a launch; threads of a
//! block at most, and blocks that a multiprocessor should have registers for.

/// An entry point.
#[cfg(target_arch = "nvptx64")]
macro_rules! entry {
    (90; $($entry:tt)*) => {
        #[cfg(target_feature = "sm_90")]
        entry! { 70; $($entry)* }
    };
    (80; $($entry:tt)*) => {
        #[cfg(target_feature = "sm_80")]
        entry! { 70; $($entry)* }
    };
    (70..80; $($entry:tt)*) => {
        #[cfg(not(target_feature = "sm_80"))]
        entry! { 70; $($entry)* }
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
macro_rules! entry {
    ($from:literal; $($entry:tt)*) => {
        entry! { $from..u32::MAX; $($entry)* }
    };
    ($from:literal..$to:expr; $name:expr; $kind:expr; $family:expr; $variant:ident $({ $($field:ident: $size:expr),* })?; $args:ty; $body:expr; $shape:expr; $threads:expr; $blocks:expr) => {
        crate::entry::Entry {
            name: $name,
            family: $family,
            variant: crate::entry::Variant::$variant $({ $($field: $size),* })?,
            kind: $kind,
            tiers: $from..$to,
            max_threads: $threads,
            min_blocks: $blocks,
            args: core::any::TypeId::of::<$args>,
            shape: $shape,
            body: if crate::entry::EMULATED {
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

/// A table of entry points.
macro_rules! entries {
    ($table:ident $([$($entry:tt)*])*) => {
        #[cfg(target_arch = "nvptx64")]
        const _: () = { $(entry! { $($entry)* })* };

        /// The entry points.
        #[cfg(not(target_arch = "nvptx64"))]
        pub static $table: &[crate::entry::Entry] = &[$(entry! { $($entry)* }),*];
    };
}

/// A table of entry points that are compiled for all four types; those at the end from compute capability 9.0 on, and
/// with the blocks that a multiprocessor should have registers for, type by type.
#[cfg(feature = "papers")]
macro_rules! for_all_types {
    (
        $table:ident
        $($name:literal $family:ident $variant:ident $({ $($field:ident: $size:literal),* })? $args:ident: $body:expr, $shape:expr, $threads:expr;)*
        from_90 {
            $($new:literal $new_family:ident $new_variant:ident $new_args:ident: $($new_body:ident)::+, $($new_shape:ident)::+, $new_threads:expr, $f32:literal $f64:literal $c32:literal $c64:literal;)*
        }
    ) => {
        entries! { $table
            $([70; concat!($name, "_f32"); ScalarKind::F32; Family::$family; $variant $({ $($field: $size),* })?; $args<f32>; $body; $shape; $threads; 1]
            [70; concat!($name, "_f64"); ScalarKind::F64; Family::$family; $variant $({ $($field: $size),* })?; $args<f64>; $body; $shape; $threads; 1]
            [70; concat!($name, "_c32"); ScalarKind::C32; Family::$family; $variant $({ $($field: $size),* })?; $args<c32>; $body; $shape; $threads; 1]
            [70; concat!($name, "_c64"); ScalarKind::C64; Family::$family; $variant $({ $($field: $size),* })?; $args<c64>; $body; $shape; $threads; 1])*
            $([90; concat!($new, "_f32"); ScalarKind::F32; Family::$new_family; $new_variant; $new_args<f32>; $($new_body)::+::<f32>; $($new_shape)::+::<f32>; $new_threads; $f32]
            [90; concat!($new, "_f64"); ScalarKind::F64; Family::$new_family; $new_variant; $new_args<f64>; $($new_body)::+::<f64>; $($new_shape)::+::<f64>; $new_threads; $f64]
            [90; concat!($new, "_c32"); ScalarKind::C32; Family::$new_family; $new_variant; $new_args<c32>; $($new_body)::+::<c32>; $($new_shape)::+::<c32>; $new_threads; $c32]
            [90; concat!($new, "_c64"); ScalarKind::C64; Family::$new_family; $new_variant; $new_args<c64>; $($new_body)::+::<c64>; $($new_shape)::+::<c64>; $new_threads; $c64])*
        }
    };
}

/// Evaluates an expression in which `$T` is the scalar type of a kind.
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
