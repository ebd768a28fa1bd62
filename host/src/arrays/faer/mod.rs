//! faer. Its complex numbers are warplu's.

mod lists;
mod results;
mod views;
