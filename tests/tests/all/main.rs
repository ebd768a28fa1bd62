//! The tests, as one program: what is generic is compiled once.

mod adversarial;
mod adversarial_generated;
#[cfg(feature = "faer")]
mod arrays;
mod bad_solutions;
mod cholesky;
mod cholesky_edges;
mod cholesky_kernels;
mod chunks;
mod determinants;
mod edges;
mod error_bounds;
mod error_bounds_edges;
#[cfg(unix)]
mod fork;
mod into;
mod lu_object;
mod out_of_core;
mod pivoting;
mod property;
mod ragged;
mod ragged_edges;
mod ragged_factors;
mod ragged_quality;
mod ragged_resident;
mod ratios;
mod rcond;
mod rcond_edges;
mod real_data;
mod resident;
mod resident_errors;
mod residual;
mod scaled;
mod several;
mod shard;
mod sizes;
mod solve_refined;
mod solve_refined_ways;
mod triangular;
