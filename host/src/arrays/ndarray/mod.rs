//! ndarray.

mod lists;
mod results;
mod views;
