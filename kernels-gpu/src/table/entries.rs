//! How a line of the table becomes entry points.

/// An entry point of one type.
#[cfg(target_arch = "nvptx64")]
macro_rules! entry {
    ($name:literal $t:ident $kind:ident $family:ident $variant:expr, $args:ty, $body:expr, $shape:expr, $threads:expr, $blocks:expr) => {
        const _: () = {
            #[unsafe(export_name = concat!($name, "_", stringify!($t)))]
            unsafe extern "gpu-kernel" fn entry(args: $args) {
                $body(args);
            }
        };
    };
}

/// An entry point of one type.
#[cfg(not(target_arch = "nvptx64"))]
macro_rules! entry {
    ($name:literal $t:ident $kind:ident $family:ident $variant:expr, $args:ty, $body:expr, $shape:expr, $threads:expr, $blocks:expr) => {
        crate::entry::Entry {
            name: concat!($name, "_", stringify!($t)),
            family: crate::entry::Family::$family,
            variant: $variant,
            kind: crate::scalar::ScalarKind::$kind,
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

/// The table, each line of `scalars` for all four scalar types. Those of `small` name the largest order, and for each type the
/// lanes of a matrix, the rows of a lane, and the blocks that a multiprocessor shall have registers for.
macro_rules! table {
    (
        scalars { $($name:literal $family:ident $variant:ident $args:ident, $body:expr, $shape:expr, $threads:expr;)* }
        tiles { $($tile_name:literal $tile_family:ident $t:ident $kind:ident $r:literal $nb:literal $q:literal $w:literal $blocks:literal;)* }
        slabs { $($slab_name:literal $slab_family:ident $slab_t:ident $slab_kind:ident $slab_r:literal $slab_s:literal $slab_w:literal $slab_blocks:literal;)* }
        aheads { $($ahead_name:literal $ahead_family:ident $ahead_t:ident $ahead_kind:ident $ahead_b:literal $ahead_q:literal $ahead_k:literal $ahead_blocks:literal;)* }
        streams { $($stream_name:literal $stream_family:ident $stream_t:ident $stream_kind:ident $stream_b:literal $stream_w:literal $stream_blocks:literal;)* }
        small { $($small:literal $small_family:ident $small_variant:ident $small_n:literal
            { $($small_t:ident $small_kind:ident $small_l:literal $small_r:literal $small_blocks:literal),* })* }
        lanes { $($lanes_name:literal $lanes_t:ident $lanes_kind:ident $lanes_r:literal $lanes_nb:literal $lanes_blocks:literal;)* }
        others { $($other:tt)* }
    ) => {
        table! { @emit
            $([$tile_name $t $kind $tile_family
                crate::entry::Variant::Tile { rows: $r, columns: $nb, slots: $q, warps: $w },
                args!($tile_family $t), tile_body!($tile_family $t $r $nb $q), tile_shape!($tile_family $t $r $nb $q $w), 32 * $w, $blocks])*
            $([$slab_name $slab_t $slab_kind $slab_family
                crate::entry::Variant::Slab { rows: $slab_r, panels: $slab_s, warps: $slab_w },
                args!($slab_family $slab_t), slab_body!($slab_family $slab_t $slab_r $slab_s $slab_w),
                slab::shape::<$slab_t, $slab_r, $slab_s, $slab_w>, 32 * $slab_w, $slab_blocks])*
            $([$ahead_name $ahead_t $ahead_kind $ahead_family
                crate::entry::Variant::Ahead { blocks: $ahead_b, slots: $ahead_q, held: $ahead_k },
                args!($ahead_family $ahead_t), ahead_body!($ahead_family $ahead_t $ahead_b $ahead_q $ahead_k),
                ahead::shape::<$ahead_t, $ahead_b, $ahead_q, $ahead_k>, ahead::threads($ahead_b, $ahead_q), $ahead_blocks])*
            $([$stream_name $stream_t $stream_kind $stream_family
                crate::entry::Variant::Stream { blocks: $stream_b, warps: $stream_w },
                args!($stream_family $stream_t), stream_body!($stream_family $stream_t $stream_b $stream_w),
                stream_shape!($stream_family $stream_t $stream_w), 32 * $stream_w, $stream_blocks])*
            $($([$small $small_t $small_kind $small_family crate::entry::Variant::$small_variant,
                args!($small_family $small_t), small_body!($small_family $small_t $small_n $small_l $small_r),
                small::shape::<$small_n, $small_l>, team::THREADS, $small_blocks])*)*
            $([$lanes_name $lanes_t $lanes_kind Solve
                crate::entry::Variant::Lanes { rows: $lanes_r, columns: $lanes_nb },
                SolveArgs<$lanes_t>, solve::lanes::solve_lanes::<$lanes_t, $lanes_r, $lanes_nb>,
                solve::lanes::shape::<$lanes_t, $lanes_r, $lanes_nb>, solve::lanes::THREADS, $lanes_blocks])*
            $([$name f32 F32 $family crate::entry::Variant::$variant, $args<f32>, $body, $shape, $threads, 1]
            [$name f64 F64 $family crate::entry::Variant::$variant, $args<f64>, $body, $shape, $threads, 1]
            [$name c32 C32 $family crate::entry::Variant::$variant, $args<c32>, $body, $shape, $threads, 1]
            [$name c64 C64 $family crate::entry::Variant::$variant, $args<c64>, $body, $shape, $threads, 1])*
            $($other)*
        }
    };
    (@emit $([$($entry:tt)*])*) => {
        #[cfg(target_arch = "nvptx64")]
        const _: () = { $(entry! { $($entry)* })* };

        /// All entry points.
        #[cfg(not(target_arch = "nvptx64"))]
        pub static ENTRIES: &[crate::entry::Entry] = &[$(entry! { $($entry)* }),*];
    };
}
