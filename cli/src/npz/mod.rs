//! `.npz` archives of matrices of many orders, a named array each, in memory.

mod read;
mod write;

pub(crate) use read::{Archive, Stored};
pub(crate) use write::{write, write_conditions, write_numbers};

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Whether a file is an archive. What comes through a pipe is not opened: who writes it would take that for the end.
pub(crate) fn is_archive(path: &Path) -> bool {
    let mut head = [0; 2];
    path.metadata().is_ok_and(|found| found.is_file())
        && File::open(path).is_ok_and(|mut file| file.read_exact(&mut head).is_ok() && head == *b"PK")
}
