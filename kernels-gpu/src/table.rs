//! The one table of entry points: PTX names, host dispatch and the emulator all read it.
//!
//! A line names an entry point's family and variant, its types, argument struct and body, its launch shape and largest
//! block. For the GPU each type's entry point becomes an `extern "gpu-kernel"` function called `<name>_<type>`, for every
//! other target an [`Entry`](crate::entry::Entry) of that name.

#[macro_use]
mod bodies;
#[macro_use]
mod entries;

use half::{bf16, f16};

use crate::ahead;
use crate::classic::bordering::{self, BorderArgs};
use crate::classic::element_wise::{self, UpdateArgs};
use crate::classic::elimination::{self, EliminateArgs};
use crate::classic::finish::{self, FinishArgs};
use crate::classic::inverse::columns::{self, ColumnsArgs};
use crate::classic::inverse::{TriangleArgs, lower, shape as inverse_step, upper};
use crate::classic::lu::{BlockLuArgs, left, right};
use crate::classic::pivot::{self, PivotArgs};
use crate::classic::substitution::{self, SubstituteArgs};
use crate::convert::{self, ConvertArgs, narrow, widen};
use crate::copy_batch::{self, CopyArgs};
use crate::det::{self, DetArgs};
use crate::inverse::{self, InverseArgs, InvertArgs};
use crate::lu::{self, LuArgs};
use crate::probe::{self, ProbeArgs};
use crate::scalar::{c32, c64};
use crate::slab;
use crate::small;
use crate::solve::{self, FactorSolveArgs, SolveArgs};
use crate::stream;
use crate::team;
use crate::tile;

table! {
    scalars {
        "lu_global" Lu Global LuArgs, lu::block::lu_global, lu::block::global_shape, lu::block::MAX_THREADS;
        "inverse_warp8" Inverse Warp8 InverseArgs, inverse::warp::inverse_warp::<_, 8>, team::shape::<8>, team::THREADS;
        "inverse_warp16" Inverse Warp16 InverseArgs, inverse::warp::inverse_warp::<_, 16>, team::shape::<16>, team::THREADS;
        "inverse_warp32" Inverse Warp32 InverseArgs, inverse::warp::inverse_warp::<_, 32>, team::shape::<32>, team::THREADS;
        "inverse_shared" Inverse Shared InverseArgs, inverse::block::inverse_shared, inverse::block::shared_shape, lu::block::MAX_THREADS;
        "inverse_global" Inverse Global InverseArgs, inverse::block::inverse_global, inverse::block::global_shape, lu::block::MAX_THREADS;
        "solve_warp8" Solve Warp8 SolveArgs, solve::warp::solve_warp::<_, 8>, team::shape::<8>, team::THREADS;
        "solve_warp16" Solve Warp16 SolveArgs, solve::warp::solve_warp::<_, 16>, team::shape::<16>, team::THREADS;
        "solve_warp32" Solve Warp32 SolveArgs, solve::warp::solve_warp::<_, 32>, team::shape::<32>, team::THREADS;
        "solve_block" Solve Shared SolveArgs, solve::block::solve_block, solve::block::shape, lu::block::MAX_THREADS;
        "left_looking_nb8" LeftLooking Nb8 BlockLuArgs, left::left_looking::<_, 8>, left::shape::<8>, lu::block::MAX_THREADS;
        "left_looking_nb10" LeftLooking Nb10 BlockLuArgs, left::left_looking::<_, 10>, left::shape::<10>, lu::block::MAX_THREADS;
        "left_looking_nb14" LeftLooking Nb14 BlockLuArgs, left::left_looking::<_, 14>, left::shape::<14>, lu::block::MAX_THREADS;
        "left_looking_nb16" LeftLooking Nb16 BlockLuArgs, left::left_looking::<_, 16>, left::shape::<16>, lu::block::MAX_THREADS;
        "left_looking_nb18" LeftLooking Nb18 BlockLuArgs, left::left_looking::<_, 18>, left::shape::<18>, lu::block::MAX_THREADS;
        "left_looking_nb24" LeftLooking Nb24 BlockLuArgs, left::left_looking::<_, 24>, left::shape::<24>, lu::block::MAX_THREADS;
        "left_looking_nb32" LeftLooking Nb32 BlockLuArgs, left::left_looking::<_, 32>, left::shape::<32>, lu::block::MAX_THREADS;
        "right_looking_nb8" RightLooking Nb8 BlockLuArgs, right::right_looking::<_, 8>, right::shape::<8>, lu::block::MAX_THREADS;
        "right_looking_nb10" RightLooking Nb10 BlockLuArgs, right::right_looking::<_, 10>, right::shape::<10>, lu::block::MAX_THREADS;
        "right_looking_nb14" RightLooking Nb14 BlockLuArgs, right::right_looking::<_, 14>, right::shape::<14>, lu::block::MAX_THREADS;
        "right_looking_nb16" RightLooking Nb16 BlockLuArgs, right::right_looking::<_, 16>, right::shape::<16>, lu::block::MAX_THREADS;
        "right_looking_nb18" RightLooking Nb18 BlockLuArgs, right::right_looking::<_, 18>, right::shape::<18>, lu::block::MAX_THREADS;
        "right_looking_nb24" RightLooking Nb24 BlockLuArgs, right::right_looking::<_, 24>, right::shape::<24>, lu::block::MAX_THREADS;
        "right_looking_nb32" RightLooking Nb32 BlockLuArgs, right::right_looking::<_, 32>, right::shape::<32>, lu::block::MAX_THREADS;
        "upper_timely_nb8" UpperTimely Nb8 TriangleArgs, upper::timely::<_, 8>, inverse_step::<8>, lu::block::MAX_THREADS;
        "upper_timely_nb14" UpperTimely Nb14 TriangleArgs, upper::timely::<_, 14>, inverse_step::<14>, lu::block::MAX_THREADS;
        "upper_timely_nb16" UpperTimely Nb16 TriangleArgs, upper::timely::<_, 16>, inverse_step::<16>, lu::block::MAX_THREADS;
        "upper_timely_nb20" UpperTimely Nb20 TriangleArgs, upper::timely::<_, 20>, inverse_step::<20>, lu::block::MAX_THREADS;
        "upper_timely_nb24" UpperTimely Nb24 TriangleArgs, upper::timely::<_, 24>, inverse_step::<24>, lu::block::MAX_THREADS;
        "upper_timely_nb28" UpperTimely Nb28 TriangleArgs, upper::timely::<_, 28>, inverse_step::<28>, lu::block::MAX_THREADS;
        "upper_delayed_nb8" UpperDelayed Nb8 TriangleArgs, upper::delayed::<_, 8>, inverse_step::<8>, lu::block::MAX_THREADS;
        "upper_delayed_nb14" UpperDelayed Nb14 TriangleArgs, upper::delayed::<_, 14>, inverse_step::<14>, lu::block::MAX_THREADS;
        "upper_delayed_nb16" UpperDelayed Nb16 TriangleArgs, upper::delayed::<_, 16>, inverse_step::<16>, lu::block::MAX_THREADS;
        "upper_delayed_nb20" UpperDelayed Nb20 TriangleArgs, upper::delayed::<_, 20>, inverse_step::<20>, lu::block::MAX_THREADS;
        "upper_delayed_nb24" UpperDelayed Nb24 TriangleArgs, upper::delayed::<_, 24>, inverse_step::<24>, lu::block::MAX_THREADS;
        "upper_delayed_nb28" UpperDelayed Nb28 TriangleArgs, upper::delayed::<_, 28>, inverse_step::<28>, lu::block::MAX_THREADS;
        "lower_timely_nb8" LowerTimely Nb8 TriangleArgs, lower::timely::<_, 8>, inverse_step::<8>, lu::block::MAX_THREADS;
        "lower_timely_nb14" LowerTimely Nb14 TriangleArgs, lower::timely::<_, 14>, inverse_step::<14>, lu::block::MAX_THREADS;
        "lower_timely_nb16" LowerTimely Nb16 TriangleArgs, lower::timely::<_, 16>, inverse_step::<16>, lu::block::MAX_THREADS;
        "lower_timely_nb20" LowerTimely Nb20 TriangleArgs, lower::timely::<_, 20>, inverse_step::<20>, lu::block::MAX_THREADS;
        "lower_timely_nb24" LowerTimely Nb24 TriangleArgs, lower::timely::<_, 24>, inverse_step::<24>, lu::block::MAX_THREADS;
        "lower_timely_nb28" LowerTimely Nb28 TriangleArgs, lower::timely::<_, 28>, inverse_step::<28>, lu::block::MAX_THREADS;
        "lower_delayed_nb8" LowerDelayed Nb8 TriangleArgs, lower::delayed::<_, 8>, inverse_step::<8>, lu::block::MAX_THREADS;
        "lower_delayed_nb14" LowerDelayed Nb14 TriangleArgs, lower::delayed::<_, 14>, inverse_step::<14>, lu::block::MAX_THREADS;
        "lower_delayed_nb16" LowerDelayed Nb16 TriangleArgs, lower::delayed::<_, 16>, inverse_step::<16>, lu::block::MAX_THREADS;
        "lower_delayed_nb20" LowerDelayed Nb20 TriangleArgs, lower::delayed::<_, 20>, inverse_step::<20>, lu::block::MAX_THREADS;
        "lower_delayed_nb24" LowerDelayed Nb24 TriangleArgs, lower::delayed::<_, 24>, inverse_step::<24>, lu::block::MAX_THREADS;
        "lower_delayed_nb28" LowerDelayed Nb28 TriangleArgs, lower::delayed::<_, 28>, inverse_step::<28>, lu::block::MAX_THREADS;
        "columns_swap" Columns Swap ColumnsArgs, columns::swap, columns::shape, lu::block::MAX_THREADS;
        "columns_gather" Columns Gather ColumnsArgs, columns::gather, columns::shape, lu::block::MAX_THREADS;
        "det" Det Only DetArgs, det::det, det::shape, det::THREADS;
        "copy" Copy Only CopyArgs, copy_batch::copy_batch, copy_batch::shape, copy_batch::THREADS;
        "pivot" Pivot Only PivotArgs, pivot::pivot, pivot::shape, pivot::MAX_THREADS;
        "eliminate_rows" Elimination Rows EliminateArgs, elimination::rows, |p, k| elimination::rows_shape(p, elimination::DEFAULT_THREADS, false, k), elimination::MAX_THREADS;
        "eliminate_rows_shared" Elimination RowsShared EliminateArgs, elimination::rows_shared, |p, k| elimination::rows_shape(p, elimination::DEFAULT_THREADS, true, k), elimination::MAX_THREADS;
        "eliminate_columns" Elimination Columns EliminateArgs, elimination::columns, |p, k| elimination::columns_shape(p, elimination::DEFAULT_THREADS, false, k), elimination::MAX_THREADS;
        "eliminate_columns_shared" Elimination ColumnsShared EliminateArgs, elimination::columns_shared, |p, k| elimination::columns_shape(p, elimination::DEFAULT_THREADS, true, k), elimination::MAX_THREADS;
        "update_tile8" ElementWise Tile8 UpdateArgs, element_wise::update::<_, 8>, element_wise::shape::<8>, 8 * 8;
        "update_tile16" ElementWise Tile16 UpdateArgs, element_wise::update::<_, 16>, element_wise::shape::<16>, 16 * 16;
        "update_tile32" ElementWise Tile32 UpdateArgs, element_wise::update::<_, 32>, element_wise::shape::<32>, 32 * 32;
        "substitute_factors" Substitution Factors SubstituteArgs, substitution::substitute_factors, substitution::shape, substitution::MAX_THREADS;
        "substitute_upper" Substitution Upper SubstituteArgs, substitution::substitute_upper, substitution::shape, substitution::MAX_THREADS;
        "border_product" Bordering Product BorderArgs, bordering::product, bordering::product_shape, bordering::THREADS;
        "border_dot" Bordering Dot BorderArgs, bordering::dot, bordering::dot_shape, bordering::THREADS;
        "border_beta" Bordering Beta BorderArgs, bordering::beta, bordering::beta_shape, bordering::DOT_BLOCKS;
        "border_outer" Bordering Outer BorderArgs, bordering::outer, bordering::tile_shape, bordering::THREADS;
        "border_scale" Bordering Scale BorderArgs, bordering::scale, bordering::tile_shape, bordering::THREADS;
        "border_add" Bordering Add BorderArgs, bordering::add, bordering::tile_shape, bordering::THREADS;
        "finish" Finish Only FinishArgs, finish::finish, pivot::shape, pivot::MAX_THREADS;
    }
    tiles {
        "invert_tile_r2_q4" Invert f32 F32 2 8 4 2 8;
        "invert_tile_r6_q3" Invert f32 F32 6 8 3 8 1;
        "invert_tile_r2_q4" Invert c32 C32 2 4 4 4 4;
        "factor_solve_tile_r5_q5" FactorSolve f32 F32 5 8 5 4 2;
        "factor_solve_tile_r6_q3" FactorSolve f32 F32 6 8 3 8 1;
    }
    slabs {
        "lu_slab_r1_s4_w5" Lu f32 F32 1 4 5 4;
        "lu_slab_r2_s4_w4" Lu f32 F32 2 4 4 3;
        "lu_slab_r2_s4_w6" Lu f32 F32 2 4 6 2;
        "lu_slab_r2_s4_w8" Lu f32 F32 2 4 8 1;
        "lu_slab_r1_s4_w5" Lu f64 F64 1 4 5 3;
        "lu_slab_r1_s4_w6" Lu f64 F64 1 4 6 2;
        "lu_slab_r2_s4_w4" Lu f64 F64 2 4 4 2;
        "lu_slab_r2_s4_w8" Lu f64 F64 2 4 8 1;
        "lu_slab_r1_s2_w4" Lu c32 C32 1 2 4 4;
        "lu_slab_r1_s2_w5" Lu c32 C32 1 2 5 3;
        "lu_slab_r2_s2_w3" Lu c32 C32 2 2 3 4;
        "lu_slab_r2_s4_w4" Lu c32 C32 2 4 4 2;
        "lu_slab_r2_s2_w6" Lu c32 C32 2 2 6 2;
        "lu_slab_r2_s4_w8" Lu c32 C32 2 4 8 1;
        "lu_slab_r1_s2_w4" Lu c64 C64 1 2 4 3;
        "lu_slab_r1_s2_w5" Lu c64 C64 1 2 5 2;
        "lu_slab_r1_s2_w6" Lu c64 C64 1 2 6 2;
        "lu_slab_r2_s2_w4" Lu c64 C64 2 2 4 2;
        "lu_slab_r2_s2_w8" Lu c64 C64 2 2 8 1;
        "invert_slab_r2_s4_w4" Invert f32 F32 2 4 4 3;
        "invert_slab_r2_s4_w6" Invert f32 F32 2 4 6 2;
        "invert_slab_r2_s4_w8" Invert f32 F32 2 4 8 1;
        "invert_slab_r1_s4_w6" Invert f64 F64 1 4 6 2;
        "invert_slab_r2_s4_w4" Invert f64 F64 2 4 4 2;
        "invert_slab_r2_s4_w8" Invert f64 F64 2 4 8 1;
        "invert_slab_r1_s3_w6" Invert c32 C32 1 3 6 2;
        "invert_slab_r2_s4_w4" Invert c32 C32 2 4 4 2;
        "invert_slab_r2_s2_w6" Invert c32 C32 2 2 6 2;
        "invert_slab_r2_s4_w8" Invert c32 C32 2 4 8 1;
        "invert_slab_r1_s2_w5" Invert c64 C64 1 2 5 2;
        "invert_slab_r1_s2_w6" Invert c64 C64 1 2 6 2;
        "invert_slab_r1_s2_w8" Invert c64 C64 1 2 8 1;
        "invert_slab_r1_s2_w12" Invert c64 C64 1 2 12 1;
        "invert_slab_r2_s2_w8" Invert c64 C64 2 2 8 1;
    }
    aheads {
        "invert_ahead_b3_q6_k3" Invert f32 F32 3 6 3 16;
        "invert_ahead_b5_q4_k5" Invert f32 F32 5 4 5 4;
        "invert_ahead_b6_q4_k6" Invert f32 F32 6 4 6 4;
        "invert_ahead_b7_q2_k7" Invert f32 F32 7 2 7 3;
        "invert_ahead_b8_q3_k8" Invert f32 F32 8 3 8 2;
        "invert_ahead_b9_q2_k7" Invert f32 F32 9 2 7 2;
        "invert_ahead_b10_q2_k6" Invert f32 F32 10 2 6 2;
        "invert_ahead_b11_q2_k6" Invert f32 F32 11 2 6 2;
        "invert_ahead_b3_q6_k3" Invert f64 F64 3 6 3 8;
        "invert_ahead_b4_q3_k4" Invert f64 F64 4 3 4 4;
        "invert_ahead_b5_q2_k5" Invert f64 F64 5 2 5 2;
        "invert_ahead_b6_q4_k6" Invert f64 F64 6 4 6 2;
        "invert_ahead_b7_q2_k5" Invert f64 F64 7 2 5 2;
        "invert_ahead_b8_q3_k8" Invert f64 F64 8 3 8 1;
        "invert_ahead_b9_q3_k8" Invert f64 F64 9 3 8 1;
        "invert_ahead_b10_q3_k8" Invert f64 F64 10 3 8 1;
        "invert_ahead_b11_q2_k7" Invert f64 F64 11 2 7 1;
        "invert_ahead_b3_q6_k3" Invert c32 C32 3 6 3 8;
        "invert_ahead_b5_q2_k5" Invert c32 C32 5 2 5 2;
        "invert_ahead_b6_q2_k6" Invert c32 C32 6 2 6 2;
        "invert_ahead_b7_q2_k5" Invert c32 C32 7 2 5 2;
        "invert_ahead_b8_q2_k8" Invert c32 C32 8 2 8 1;
        "invert_ahead_b9_q2_k8" Invert c32 C32 9 2 8 1;
        "invert_ahead_b10_q2_k8" Invert c32 C32 10 2 8 1;
        "invert_ahead_b11_q2_k7" Invert c32 C32 11 2 7 1;
        "invert_ahead_b3_q2_k3" Invert c64 C64 3 2 3 3;
        "invert_ahead_b4_q3_k4" Invert c64 C64 4 3 4 2;
        "invert_ahead_b5_q2_k5" Invert c64 C64 5 2 5 1;
        "invert_ahead_b6_q2_k6" Invert c64 C64 6 2 6 1;
        "invert_ahead_b7_q2_k6" Invert c64 C64 7 2 6 1;
        "invert_ahead_b8_q3_k4" Invert c64 C64 8 3 4 1;
    }
    streams {
        "lu_stream_b3_w1" Lu f32 F32 3 1 20;
        "lu_stream_b4_w1" Lu f32 F32 4 1 16;
        "lu_stream_b5_w1" Lu f32 F32 5 1 12;
        "lu_stream_b6_w1" Lu f32 F32 6 1 9;
        "lu_stream_b7_w1" Lu f32 F32 7 1 7;
        "lu_stream_b8_w1" Lu f32 F32 8 1 5;
        "lu_stream_b9_w1" Lu f32 F32 9 1 4;
        "lu_stream_b3_w1" Lu f64 F64 3 1 14;
        "lu_stream_b4_w1" Lu f64 F64 4 1 9;
        "lu_stream_b5_w1" Lu f64 F64 5 1 6;
        "lu_stream_b6_w1" Lu f64 F64 6 1 4;
        "lu_stream_b7_w4" Lu f64 F64 7 4 3;
        "lu_stream_b8_w4" Lu f64 F64 8 4 2;
        "lu_stream_b9_w4" Lu f64 F64 9 4 2;
        "lu_stream_b3_w1" Lu c32 C32 3 1 14;
        "lu_stream_b4_w1" Lu c32 C32 4 1 9;
        "lu_stream_b5_w1" Lu c32 C32 5 1 6;
        "lu_stream_b6_w1" Lu c32 C32 6 1 4;
        "lu_stream_b7_w4" Lu c32 C32 7 4 3;
        "lu_stream_b9_w4" Lu c32 C32 9 4 2;
        "lu_stream_b3_w1" Lu c64 C64 3 1 8;
        "lu_stream_b4_w1" Lu c64 C64 4 1 4;
        "lu_stream_b5_w1" Lu c64 C64 5 1 3;
        "lu_stream_b6_w4" Lu c64 C64 6 4 2;
        "factor_solve_stream_b3_w1" FactorSolve f32 F32 3 1 20;
        "factor_solve_stream_b4_w1" FactorSolve f32 F32 4 1 16;
        "factor_solve_stream_b5_w1" FactorSolve f32 F32 5 1 12;
        "factor_solve_stream_b6_w1" FactorSolve f32 F32 6 1 9;
        "factor_solve_stream_b7_w1" FactorSolve f32 F32 7 1 7;
        "factor_solve_stream_b8_w1" FactorSolve f32 F32 8 1 5;
        "factor_solve_stream_b9_w1" FactorSolve f32 F32 9 1 4;
        "factor_solve_stream_b3_w1" FactorSolve f64 F64 3 1 14;
        "factor_solve_stream_b4_w1" FactorSolve f64 F64 4 1 9;
        "factor_solve_stream_b5_w1" FactorSolve f64 F64 5 1 6;
        "factor_solve_stream_b6_w1" FactorSolve f64 F64 6 1 4;
        "factor_solve_stream_b7_w4" FactorSolve f64 F64 7 4 3;
        "factor_solve_stream_b8_w4" FactorSolve f64 F64 8 4 2;
        "factor_solve_stream_b9_w4" FactorSolve f64 F64 9 4 2;
        "factor_solve_stream_b3_w1" FactorSolve c32 C32 3 1 14;
        "factor_solve_stream_b4_w1" FactorSolve c32 C32 4 1 9;
        "factor_solve_stream_b5_w1" FactorSolve c32 C32 5 1 6;
        "factor_solve_stream_b6_w1" FactorSolve c32 C32 6 1 4;
        "factor_solve_stream_b7_w4" FactorSolve c32 C32 7 4 3;
        "factor_solve_stream_b3_w1" FactorSolve c64 C64 3 1 8;
        "factor_solve_stream_b4_w1" FactorSolve c64 C64 4 1 4;
        "factor_solve_stream_b5_w1" FactorSolve c64 C64 5 1 3;
        "factor_solve_stream_b6_w4" FactorSolve c64 C64 6 4 2;
    }
    small {
        "lu_small4" Lu Warp4 4 { f32 F32 4 1 1, f64 F64 4 1 1, c32 C32 4 1 1, c64 C64 4 1 1 }
        "lu_small8" Lu Warp8 8 { f32 F32 4 2 8, f64 F64 8 1 5, c32 C32 8 1 5, c64 C64 8 1 4 }
        "lu_small16" Lu Warp16 16 { f32 F32 8 2 6, f64 F64 16 1 6, c32 C32 16 1 6, c64 C64 16 1 4 }
        "lu_small24" Lu Warp24 24 { f32 F32 32 1 8, f64 F64 32 1 5, c32 C32 32 1 5, c64 C64 32 1 3 }
        "lu_small32" Lu Warp32 32 { f32 F32 32 1 8, f64 F64 32 1 4, c32 C32 32 1 4, c64 C64 32 1 2 }
        "invert_small4" Invert Warp4 4 { f32 F32 4 1 1, f64 F64 4 1 1, c32 C32 4 1 1, c64 C64 4 1 1 }
        "invert_small8" Invert Warp8 8 { f32 F32 4 2 8, f64 F64 4 2 5, c32 C32 8 1 5, c64 C64 8 1 4 }
        "invert_small16" Invert Warp16 16 { f32 F32 8 2 6, f64 F64 8 2 4, c32 C32 16 1 6, c64 C64 16 1 4 }
        "invert_small24" Invert Warp24 24 { f32 F32 8 3 4, f64 F64 8 3 2, c32 C32 32 1 5, c64 C64 32 1 3 }
        "invert_small32" Invert Warp32 32 { f32 F32 16 2 4, f64 F64 32 1 4, c32 C32 32 1 4, c64 C64 32 1 2 }
        "factor_solve_small4" FactorSolve Warp4 4 { f32 F32 4 1 1, f64 F64 4 1 1, c32 C32 4 1 1, c64 C64 4 1 1 }
        "factor_solve_small8" FactorSolve Warp8 8 { f32 F32 4 2 8, f64 F64 4 2 5, c32 C32 8 1 5, c64 C64 8 1 4 }
        "factor_solve_small16" FactorSolve Warp16 16 { f32 F32 8 2 6, f64 F64 16 1 6, c32 C32 16 1 6, c64 C64 16 1 4 }
        "factor_solve_small24" FactorSolve Warp24 24 { f32 F32 8 3 4, f64 F64 8 3 2, c32 C32 32 1 5, c64 C64 32 1 3 }
        "factor_solve_small32" FactorSolve Warp32 32 { f32 F32 32 1 8, f64 F64 32 1 4, c32 C32 32 1 4, c64 C64 32 1 2 }
    }
    lanes {
        "solve_lanes_r2" f32 F32 2 8 6;
        "solve_lanes_r3" f32 F32 3 8 6;
        "solve_lanes_r4" f32 F32 4 8 5;
        "solve_lanes_r5" f32 F32 5 4 5;
        "solve_lanes_r6" f32 F32 6 4 4;
        "solve_lanes_r8" f32 F32 8 4 1;
        "solve_lanes_r12" f32 F32 12 4 1;
        "solve_lanes_r16" f32 F32 16 4 1;
        "solve_lanes_r2" f64 F64 2 8 6;
        "solve_lanes_r3" f64 F64 3 4 6;
        "solve_lanes_r4" f64 F64 4 4 5;
        "solve_lanes_r5" f64 F64 5 4 5;
        "solve_lanes_r6" f64 F64 6 4 4;
        "solve_lanes_r8" f64 F64 8 8 1;
        "solve_lanes_r12" f64 F64 12 2 1;
        "solve_lanes_r16" f64 F64 16 2 1;
        "solve_lanes_r2" c32 C32 2 8 6;
        "solve_lanes_r3" c32 C32 3 4 6;
        "solve_lanes_r4" c32 C32 4 4 5;
        "solve_lanes_r5" c32 C32 5 4 5;
        "solve_lanes_r6" c32 C32 6 4 4;
        "solve_lanes_r8" c32 C32 8 4 1;
        "solve_lanes_r12" c32 C32 12 2 1;
        "solve_lanes_r16" c32 C32 16 2 1;
        "solve_lanes_r2" c64 C64 2 4 5;
        "solve_lanes_r3" c64 C64 3 4 4;
        "solve_lanes_r4" c64 C64 4 4 4;
        "solve_lanes_r5" c64 C64 5 2 3;
        "solve_lanes_r6" c64 C64 6 2 3;
        "solve_lanes_r8" c64 C64 8 4 1;
        "solve_lanes_r12" c64 C64 12 2 1;
        "solve_lanes_r16" c64 C64 16 2 1;
    }
    others {
        ["widen" f16 F32 Widen crate::entry::Variant::F16, ConvertArgs<f16, f32>, widen, convert::shape, convert::THREADS, 1]
        ["widen" bf16 F32 Widen crate::entry::Variant::Bf16, ConvertArgs<bf16, f32>, widen, convert::shape, convert::THREADS, 1]
        ["narrow" f16 F32 Narrow crate::entry::Variant::F16, ConvertArgs<f32, f16>, narrow, convert::shape, convert::THREADS, 1]
        ["narrow" bf16 F32 Narrow crate::entry::Variant::Bf16, ConvertArgs<f32, bf16>, narrow, convert::shape, convert::THREADS, 1]
        ["probe" u32 F32 Probe crate::entry::Variant::Only, ProbeArgs, probe::probe, probe::shape, probe::THREADS, 1]
    }
}
