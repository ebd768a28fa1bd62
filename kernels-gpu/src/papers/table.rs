//! The entry points of the published algorithms: name, family, variant, argument struct; body, shape, and threads at
//! most.

#[cfg(not(target_arch = "nvptx64"))]
use crate::entry::Family;
use crate::operation::getrf::global::MAX_THREADS;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_90"))]
use crate::papers::block_bordering::{BlockArgs, copy, product, scale, schur, update};
use crate::papers::bordering::{self, BorderArgs};
use crate::papers::copy_batch::{self, CopyArgs};
use crate::papers::element_wise::{self, UpdateArgs};
use crate::papers::elimination::{self, EliminateArgs};
use crate::papers::inverse::columns::{self, ColumnsArgs};
use crate::papers::inverse::{TriangleArgs, lower, shape as inverse_step, upper};
use crate::papers::lu::{BlockLuArgs, left, right};
use crate::papers::pivot::{self, PivotArgs};
use crate::papers::substitution::{self, SubstituteArgs};
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "sm_90"))]
use crate::schedule::multi_block::update::THREADS;
#[cfg(not(target_arch = "nvptx64"))]
use numbers::scalar::ScalarKind;
use numbers::scalar::{c32, c64};

for_all_types! { ENTRIES
    "left_looking_nb8" LeftLooking Panels { width: 8 } BlockLuArgs: left::left_looking::<_, 8>, left::shape::<8>, MAX_THREADS;
    "left_looking_nb10" LeftLooking Panels { width: 10 } BlockLuArgs: left::left_looking::<_, 10>, left::shape::<10>, MAX_THREADS;
    "left_looking_nb14" LeftLooking Panels { width: 14 } BlockLuArgs: left::left_looking::<_, 14>, left::shape::<14>, MAX_THREADS;
    "left_looking_nb16" LeftLooking Panels { width: 16 } BlockLuArgs: left::left_looking::<_, 16>, left::shape::<16>, MAX_THREADS;
    "left_looking_nb18" LeftLooking Panels { width: 18 } BlockLuArgs: left::left_looking::<_, 18>, left::shape::<18>, MAX_THREADS;
    "left_looking_nb24" LeftLooking Panels { width: 24 } BlockLuArgs: left::left_looking::<_, 24>, left::shape::<24>, MAX_THREADS;
    "left_looking_nb32" LeftLooking Panels { width: 32 } BlockLuArgs: left::left_looking::<_, 32>, left::shape::<32>, MAX_THREADS;
    "right_looking_nb8" RightLooking Panels { width: 8 } BlockLuArgs: right::right_looking::<_, 8>, right::shape::<8>, MAX_THREADS;
    "right_looking_nb10" RightLooking Panels { width: 10 } BlockLuArgs: right::right_looking::<_, 10>, right::shape::<10>, MAX_THREADS;
    "right_looking_nb14" RightLooking Panels { width: 14 } BlockLuArgs: right::right_looking::<_, 14>, right::shape::<14>, MAX_THREADS;
    "right_looking_nb16" RightLooking Panels { width: 16 } BlockLuArgs: right::right_looking::<_, 16>, right::shape::<16>, MAX_THREADS;
    "right_looking_nb18" RightLooking Panels { width: 18 } BlockLuArgs: right::right_looking::<_, 18>, right::shape::<18>, MAX_THREADS;
    "right_looking_nb24" RightLooking Panels { width: 24 } BlockLuArgs: right::right_looking::<_, 24>, right::shape::<24>, MAX_THREADS;
    "right_looking_nb32" RightLooking Panels { width: 32 } BlockLuArgs: right::right_looking::<_, 32>, right::shape::<32>, MAX_THREADS;
    "upper_timely_nb8" UpperTimely Panels { width: 8 } TriangleArgs: upper::timely::<_, 8>, inverse_step::<8>, MAX_THREADS;
    "upper_timely_nb14" UpperTimely Panels { width: 14 } TriangleArgs: upper::timely::<_, 14>, inverse_step::<14>, MAX_THREADS;
    "upper_timely_nb16" UpperTimely Panels { width: 16 } TriangleArgs: upper::timely::<_, 16>, inverse_step::<16>, MAX_THREADS;
    "upper_timely_nb20" UpperTimely Panels { width: 20 } TriangleArgs: upper::timely::<_, 20>, inverse_step::<20>, MAX_THREADS;
    "upper_timely_nb24" UpperTimely Panels { width: 24 } TriangleArgs: upper::timely::<_, 24>, inverse_step::<24>, MAX_THREADS;
    "upper_timely_nb28" UpperTimely Panels { width: 28 } TriangleArgs: upper::timely::<_, 28>, inverse_step::<28>, MAX_THREADS;
    "upper_delayed_nb8" UpperDelayed Panels { width: 8 } TriangleArgs: upper::delayed::<_, 8>, inverse_step::<8>, MAX_THREADS;
    "upper_delayed_nb14" UpperDelayed Panels { width: 14 } TriangleArgs: upper::delayed::<_, 14>, inverse_step::<14>, MAX_THREADS;
    "upper_delayed_nb16" UpperDelayed Panels { width: 16 } TriangleArgs: upper::delayed::<_, 16>, inverse_step::<16>, MAX_THREADS;
    "upper_delayed_nb20" UpperDelayed Panels { width: 20 } TriangleArgs: upper::delayed::<_, 20>, inverse_step::<20>, MAX_THREADS;
    "upper_delayed_nb24" UpperDelayed Panels { width: 24 } TriangleArgs: upper::delayed::<_, 24>, inverse_step::<24>, MAX_THREADS;
    "upper_delayed_nb28" UpperDelayed Panels { width: 28 } TriangleArgs: upper::delayed::<_, 28>, inverse_step::<28>, MAX_THREADS;
    "lower_timely_nb8" LowerTimely Panels { width: 8 } TriangleArgs: lower::timely::<_, 8>, inverse_step::<8>, MAX_THREADS;
    "lower_timely_nb14" LowerTimely Panels { width: 14 } TriangleArgs: lower::timely::<_, 14>, inverse_step::<14>, MAX_THREADS;
    "lower_timely_nb16" LowerTimely Panels { width: 16 } TriangleArgs: lower::timely::<_, 16>, inverse_step::<16>, MAX_THREADS;
    "lower_timely_nb20" LowerTimely Panels { width: 20 } TriangleArgs: lower::timely::<_, 20>, inverse_step::<20>, MAX_THREADS;
    "lower_timely_nb24" LowerTimely Panels { width: 24 } TriangleArgs: lower::timely::<_, 24>, inverse_step::<24>, MAX_THREADS;
    "lower_timely_nb28" LowerTimely Panels { width: 28 } TriangleArgs: lower::timely::<_, 28>, inverse_step::<28>, MAX_THREADS;
    "lower_delayed_nb8" LowerDelayed Panels { width: 8 } TriangleArgs: lower::delayed::<_, 8>, inverse_step::<8>, MAX_THREADS;
    "lower_delayed_nb14" LowerDelayed Panels { width: 14 } TriangleArgs: lower::delayed::<_, 14>, inverse_step::<14>, MAX_THREADS;
    "lower_delayed_nb16" LowerDelayed Panels { width: 16 } TriangleArgs: lower::delayed::<_, 16>, inverse_step::<16>, MAX_THREADS;
    "lower_delayed_nb20" LowerDelayed Panels { width: 20 } TriangleArgs: lower::delayed::<_, 20>, inverse_step::<20>, MAX_THREADS;
    "lower_delayed_nb24" LowerDelayed Panels { width: 24 } TriangleArgs: lower::delayed::<_, 24>, inverse_step::<24>, MAX_THREADS;
    "lower_delayed_nb28" LowerDelayed Panels { width: 28 } TriangleArgs: lower::delayed::<_, 28>, inverse_step::<28>, MAX_THREADS;
    "columns_swap" Columns Swap ColumnsArgs: columns::swap, columns::shape, MAX_THREADS;
    "columns_gather" Columns Gather ColumnsArgs: columns::gather, columns::shape, MAX_THREADS;
    "copy" Copy Only CopyArgs: copy_batch::copy_batch, copy_batch::shape, copy_batch::THREADS;
    "pivot" Pivot Only PivotArgs: pivot::pivot, pivot::shape, pivot::MAX_THREADS;
    "eliminate_rows" Elimination Rows EliminateArgs: elimination::rows, |p, k| elimination::rows_shape(p, elimination::DEFAULT_THREADS, false, k), elimination::MAX_THREADS;
    "eliminate_rows_shared" Elimination RowsShared EliminateArgs: elimination::rows_shared, |p, k| elimination::rows_shape(p, elimination::DEFAULT_THREADS, true, k), elimination::MAX_THREADS;
    "eliminate_columns" Elimination Columns EliminateArgs: elimination::columns, |p, k| elimination::columns_shape(p, elimination::DEFAULT_THREADS, false, k), elimination::MAX_THREADS;
    "eliminate_columns_shared" Elimination ColumnsShared EliminateArgs: elimination::columns_shared, |p, k| elimination::columns_shape(p, elimination::DEFAULT_THREADS, true, k), elimination::MAX_THREADS;
    "update_tile8" ElementWise Tiles { width: 8 } UpdateArgs: element_wise::update::<_, 8>, element_wise::shape::<8>, 8 * 8;
    "update_tile16" ElementWise Tiles { width: 16 } UpdateArgs: element_wise::update::<_, 16>, element_wise::shape::<16>, 16 * 16;
    "update_tile32" ElementWise Tiles { width: 32 } UpdateArgs: element_wise::update::<_, 32>, element_wise::shape::<32>, 32 * 32;
    "substitute_factors" Substitution Factors SubstituteArgs: substitution::substitute_factors, substitution::shape, substitution::MAX_THREADS;
    "substitute_upper" Substitution Upper SubstituteArgs: substitution::substitute_upper, substitution::shape, substitution::MAX_THREADS;
    "border_product" Bordering Product BorderArgs: bordering::product, bordering::product_shape, bordering::THREADS;
    "border_dot" Bordering Dot BorderArgs: bordering::dot, bordering::dot_shape, bordering::THREADS;
    "border_beta" Bordering Beta BorderArgs: bordering::beta, bordering::beta_shape, bordering::DOT_BLOCKS;
    "border_outer" Bordering Outer BorderArgs: bordering::outer, bordering::tile_shape, bordering::THREADS;
    "border_scale" Bordering Scale BorderArgs: bordering::scale, bordering::tile_shape, bordering::THREADS;
    "border_add" Bordering Add BorderArgs: bordering::add, bordering::tile_shape, bordering::THREADS;
    from_90 {
        "block_border_pack" BlockBordering Pack BlockArgs: copy::pack, copy::shape, copy::THREADS, 1 1 1 1;
        "block_border_product" BlockBordering Product BlockArgs: product::product, product::shape, THREADS, 2 2 1 1;
        "block_border_schur" BlockBordering Schur BlockArgs: schur::schur, schur::shape, THREADS, 2 2 1 1;
        "block_border_sum" BlockBordering Sum BlockArgs: schur::sum, schur::sum_shape, THREADS, 1 1 1 1;
        "block_border_scale" BlockBordering Scale BlockArgs: scale::scale, scale::shape, THREADS, 2 1 1 1;
        "block_border_update" BlockBordering Update BlockArgs: update::update, update::shape, THREADS, 2 2 1 1;
        "block_border_unpack" BlockBordering Unpack BlockArgs: copy::unpack, copy::shape, copy::THREADS, 1 1 1 1;
        "block_border_status" BlockBordering Status BlockArgs: copy::status, copy::shape, copy::THREADS, 1 1 1 1;
        "block_border_fill" BlockBordering Fill BlockArgs: copy::fill, copy::shape, copy::THREADS, 1 1 1 1;
    }
}
