//! The entry points of the published algorithms: name, argument struct; body, shape, and threads at most.

#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_90"))]
use crate::kernels::block_bordering::{BlockArgs, copy, product, scale, schur, update};
use crate::kernels::bordering::{self, BorderArgs};
use crate::kernels::copy_batch::{self, CopyArgs};
use crate::kernels::element_wise::{self, UpdateArgs};
use crate::kernels::elimination::{self, EliminateArgs};
use crate::kernels::inverse::columns::{self, ColumnsArgs};
use crate::kernels::inverse::{TriangleArgs, lower, shape as inverse_step, upper};
use crate::kernels::lu::{BlockLuArgs, left, right};
use crate::kernels::pivot::{self, PivotArgs};
use crate::kernels::substitution::{self, SubstituteArgs};
#[cfg(not(target_arch = "nvptx64"))]
use crate::ptx::MODULES;
#[cfg(not(target_arch = "nvptx64"))]
use kernels_gpu::entry::Family;
use kernels_gpu::operation::getrf::global::MAX_THREADS;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_90"))]
use kernels_gpu::schedule::multi_block::update::THREADS;
#[cfg(not(target_arch = "nvptx64"))]
use numbers::scalar::ScalarKind;
use numbers::scalar::{c32, c64};

/// A table of entry points that are compiled for all four types; those at the end from compute capability 9.0 on, and
/// with the blocks that a multiprocessor should have registers for, type by type.
macro_rules! for_all_types {
    (
        $table:ident
        $($name:literal $args:ident: $body:expr, $shape:expr, $threads:expr;)*
        from_90 {
            $($new:literal $new_args:ident: $($new_body:ident)::+, $($new_shape:ident)::+, $new_threads:expr, $f32:literal $f64:literal $c32:literal $c64:literal;)*
        }
    ) => {
        kernels_gpu::entries! { $table
            $([70; concat!($name, "_f32"); ScalarKind::F32; Family::Other; Only; $args<f32>; $body; $shape; $threads; 1]
            [70; concat!($name, "_f64"); ScalarKind::F64; Family::Other; Only; $args<f64>; $body; $shape; $threads; 1]
            [70; concat!($name, "_c32"); ScalarKind::C32; Family::Other; Only; $args<c32>; $body; $shape; $threads; 1]
            [70; concat!($name, "_c64"); ScalarKind::C64; Family::Other; Only; $args<c64>; $body; $shape; $threads; 1])*
            $([90; concat!($new, "_f32"); ScalarKind::F32; Family::Other; Only; $new_args<f32>; $($new_body)::+::<f32>; $($new_shape)::+::<f32>; $new_threads; $f32]
            [90; concat!($new, "_f64"); ScalarKind::F64; Family::Other; Only; $new_args<f64>; $($new_body)::+::<f64>; $($new_shape)::+::<f64>; $new_threads; $f64]
            [90; concat!($new, "_c32"); ScalarKind::C32; Family::Other; Only; $new_args<c32>; $($new_body)::+::<c32>; $($new_shape)::+::<c32>; $new_threads; $c32]
            [90; concat!($new, "_c64"); ScalarKind::C64; Family::Other; Only; $new_args<c64>; $($new_body)::+::<c64>; $($new_shape)::+::<c64>; $new_threads; $c64])*
        }
    };
}

for_all_types! { ENTRIES
    "left_looking_nb8" BlockLuArgs: left::left_looking::<_, 8>, left::shape::<8>, MAX_THREADS;
    "left_looking_nb10" BlockLuArgs: left::left_looking::<_, 10>, left::shape::<10>, MAX_THREADS;
    "left_looking_nb14" BlockLuArgs: left::left_looking::<_, 14>, left::shape::<14>, MAX_THREADS;
    "left_looking_nb16" BlockLuArgs: left::left_looking::<_, 16>, left::shape::<16>, MAX_THREADS;
    "left_looking_nb18" BlockLuArgs: left::left_looking::<_, 18>, left::shape::<18>, MAX_THREADS;
    "left_looking_nb24" BlockLuArgs: left::left_looking::<_, 24>, left::shape::<24>, MAX_THREADS;
    "left_looking_nb32" BlockLuArgs: left::left_looking::<_, 32>, left::shape::<32>, MAX_THREADS;
    "right_looking_nb8" BlockLuArgs: right::right_looking::<_, 8>, right::shape::<8>, MAX_THREADS;
    "right_looking_nb10" BlockLuArgs: right::right_looking::<_, 10>, right::shape::<10>, MAX_THREADS;
    "right_looking_nb14" BlockLuArgs: right::right_looking::<_, 14>, right::shape::<14>, MAX_THREADS;
    "right_looking_nb16" BlockLuArgs: right::right_looking::<_, 16>, right::shape::<16>, MAX_THREADS;
    "right_looking_nb18" BlockLuArgs: right::right_looking::<_, 18>, right::shape::<18>, MAX_THREADS;
    "right_looking_nb24" BlockLuArgs: right::right_looking::<_, 24>, right::shape::<24>, MAX_THREADS;
    "right_looking_nb32" BlockLuArgs: right::right_looking::<_, 32>, right::shape::<32>, MAX_THREADS;
    "upper_timely_nb8" TriangleArgs: upper::timely::<_, 8>, inverse_step::<8>, MAX_THREADS;
    "upper_timely_nb14" TriangleArgs: upper::timely::<_, 14>, inverse_step::<14>, MAX_THREADS;
    "upper_timely_nb16" TriangleArgs: upper::timely::<_, 16>, inverse_step::<16>, MAX_THREADS;
    "upper_timely_nb20" TriangleArgs: upper::timely::<_, 20>, inverse_step::<20>, MAX_THREADS;
    "upper_timely_nb24" TriangleArgs: upper::timely::<_, 24>, inverse_step::<24>, MAX_THREADS;
    "upper_timely_nb28" TriangleArgs: upper::timely::<_, 28>, inverse_step::<28>, MAX_THREADS;
    "upper_delayed_nb8" TriangleArgs: upper::delayed::<_, 8>, inverse_step::<8>, MAX_THREADS;
    "upper_delayed_nb14" TriangleArgs: upper::delayed::<_, 14>, inverse_step::<14>, MAX_THREADS;
    "upper_delayed_nb16" TriangleArgs: upper::delayed::<_, 16>, inverse_step::<16>, MAX_THREADS;
    "upper_delayed_nb20" TriangleArgs: upper::delayed::<_, 20>, inverse_step::<20>, MAX_THREADS;
    "upper_delayed_nb24" TriangleArgs: upper::delayed::<_, 24>, inverse_step::<24>, MAX_THREADS;
    "upper_delayed_nb28" TriangleArgs: upper::delayed::<_, 28>, inverse_step::<28>, MAX_THREADS;
    "lower_timely_nb8" TriangleArgs: lower::timely::<_, 8>, inverse_step::<8>, MAX_THREADS;
    "lower_timely_nb14" TriangleArgs: lower::timely::<_, 14>, inverse_step::<14>, MAX_THREADS;
    "lower_timely_nb16" TriangleArgs: lower::timely::<_, 16>, inverse_step::<16>, MAX_THREADS;
    "lower_timely_nb20" TriangleArgs: lower::timely::<_, 20>, inverse_step::<20>, MAX_THREADS;
    "lower_timely_nb24" TriangleArgs: lower::timely::<_, 24>, inverse_step::<24>, MAX_THREADS;
    "lower_timely_nb28" TriangleArgs: lower::timely::<_, 28>, inverse_step::<28>, MAX_THREADS;
    "lower_delayed_nb8" TriangleArgs: lower::delayed::<_, 8>, inverse_step::<8>, MAX_THREADS;
    "lower_delayed_nb14" TriangleArgs: lower::delayed::<_, 14>, inverse_step::<14>, MAX_THREADS;
    "lower_delayed_nb16" TriangleArgs: lower::delayed::<_, 16>, inverse_step::<16>, MAX_THREADS;
    "lower_delayed_nb20" TriangleArgs: lower::delayed::<_, 20>, inverse_step::<20>, MAX_THREADS;
    "lower_delayed_nb24" TriangleArgs: lower::delayed::<_, 24>, inverse_step::<24>, MAX_THREADS;
    "lower_delayed_nb28" TriangleArgs: lower::delayed::<_, 28>, inverse_step::<28>, MAX_THREADS;
    "columns_swap" ColumnsArgs: columns::swap, columns::shape, MAX_THREADS;
    "columns_gather" ColumnsArgs: columns::gather, columns::shape, MAX_THREADS;
    "copy" CopyArgs: copy_batch::copy_batch, copy_batch::shape, copy_batch::THREADS;
    "pivot" PivotArgs: pivot::pivot, pivot::shape, pivot::MAX_THREADS;
    "eliminate_rows" EliminateArgs: elimination::rows, |p, k| elimination::rows_shape(p, elimination::DEFAULT_THREADS, false, k), elimination::MAX_THREADS;
    "eliminate_rows_shared" EliminateArgs: elimination::rows_shared, |p, k| elimination::rows_shape(p, elimination::DEFAULT_THREADS, true, k), elimination::MAX_THREADS;
    "eliminate_columns" EliminateArgs: elimination::columns, |p, k| elimination::columns_shape(p, elimination::DEFAULT_THREADS, false, k), elimination::MAX_THREADS;
    "eliminate_columns_shared" EliminateArgs: elimination::columns_shared, |p, k| elimination::columns_shape(p, elimination::DEFAULT_THREADS, true, k), elimination::MAX_THREADS;
    "update_tile8" UpdateArgs: element_wise::update::<_, 8>, element_wise::shape::<8>, 8 * 8;
    "update_tile16" UpdateArgs: element_wise::update::<_, 16>, element_wise::shape::<16>, 16 * 16;
    "update_tile32" UpdateArgs: element_wise::update::<_, 32>, element_wise::shape::<32>, 32 * 32;
    "substitute_factors" SubstituteArgs: substitution::substitute_factors, substitution::shape, substitution::MAX_THREADS;
    "substitute_upper" SubstituteArgs: substitution::substitute_upper, substitution::shape, substitution::MAX_THREADS;
    "border_product" BorderArgs: bordering::product, bordering::product_shape, bordering::THREADS;
    "border_dot" BorderArgs: bordering::dot, bordering::dot_shape, bordering::THREADS;
    "border_beta" BorderArgs: bordering::beta, bordering::beta_shape, bordering::DOT_BLOCKS;
    "border_outer" BorderArgs: bordering::outer, bordering::tile_shape, bordering::THREADS;
    "border_scale" BorderArgs: bordering::scale, bordering::tile_shape, bordering::THREADS;
    "border_add" BorderArgs: bordering::add, bordering::tile_shape, bordering::THREADS;
    from_90 {
        "block_border_pack" BlockArgs: copy::pack, copy::shape, copy::THREADS, 1 1 1 1;
        "block_border_product" BlockArgs: product::product, product::shape, THREADS, 2 2 1 1;
        "block_border_schur" BlockArgs: schur::schur, schur::shape, THREADS, 2 2 1 1;
        "block_border_sum" BlockArgs: schur::sum, schur::sum_shape, THREADS, 1 1 1 1;
        "block_border_scale" BlockArgs: scale::scale, scale::shape, THREADS, 2 1 1 1;
        "block_border_update" BlockArgs: update::update, update::shape, THREADS, 2 2 1 1;
        "block_border_unpack" BlockArgs: copy::unpack, copy::shape, copy::THREADS, 1 1 1 1;
        "block_border_status" BlockArgs: copy::status, copy::shape, copy::THREADS, 1 1 1 1;
        "block_border_fill" BlockArgs: copy::fill, copy::shape, copy::THREADS, 1 1 1 1;
    }
}

/// The entry point of a name without its type, for a type.
#[cfg(not(target_arch = "nvptx64"))]
#[must_use]
pub fn named(name: &str, kind: ScalarKind) -> Option<&'static kernels_gpu::entry::Entry> {
    ENTRIES.iter().find(|entry| entry.kind == kind && entry.base_name() == name)
}
