//! The tests, as one program: what is generic is compiled once.

mod adversarial;
mod adversarial_generated;
mod algorithms;
mod edges;
mod property;
mod ratios;
mod real_data;
mod resident;
