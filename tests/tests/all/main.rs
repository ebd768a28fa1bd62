//! The tests, as one program: what is generic is compiled once.

mod adversarial;
mod adversarial_generated;
mod algorithms;
mod bad_solutions;
mod chunks;
mod edges;
mod into;
mod lu_object;
mod out_of_core;
mod property;
mod ratios;
mod rcond;
mod rcond_edges;
mod real_data;
mod resident;
mod resident_errors;
mod residual;
mod shard;
mod sizes;
