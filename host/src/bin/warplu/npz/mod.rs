//! `.npz` archives of matrices of many orders, a named array each: what the verbs do with them, in memory.

mod det;
mod inv;
mod lu;
mod read;
mod solve;
mod write;

pub(crate) use det::run as det;
pub(crate) use inv::run as inv;
pub(crate) use lu::run as lu;
pub(crate) use read::Archive;
pub(crate) use solve::run as solve;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use warplu::{Batch, Element};

use crate::failure::{Failure, Result};
use crate::memory::zeros;

/// Whether a file is an archive. What comes through a pipe is not opened: who writes it would take that for the end.
pub(crate) fn is_archive(path: &Path) -> bool {
    let mut head = [0; 2];
    path.metadata().is_ok_and(|found| found.is_file())
        && File::open(path).is_ok_and(|mut file| file.read_exact(&mut head).is_ok() && head == *b"PK")
}

/// Fails if an option is given that is for matrices of one order.
pub(crate) fn not_for_archives(is_given: bool, option: &str) -> Result<()> {
    if !is_given {
        return Ok(());
    }
    let remedy = "give matrices of one order, (batch, n, n), as .npy";
    Err(Failure::Usage(format!("{option} is not for .npz archives: {remedy}")))
}

/// The elements of a matrix in C order.
fn c_order<T: Element>(matrix: &Batch<'_, T>) -> std::io::Result<Vec<T>> {
    let cols = matrix.cols();
    let mut all = zeros(matrix.rows() * cols)?;
    all.iter_mut().enumerate().for_each(|(at, x)| *x = matrix.get(0, at / cols, at % cols));
    Ok(all)
}
