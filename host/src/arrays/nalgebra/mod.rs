//! nalgebra, of sizes known to the compiler and others. Its complex numbers are warplu's.

mod lists;
mod results;
mod sized;
mod views;
