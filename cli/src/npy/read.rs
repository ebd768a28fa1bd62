//! `.npy` files as they are opened: headers are read, data not yet.

use std::fs::File;
use std::io::Seek;
use std::path::{Path, PathBuf};

use super::elements::Elements;
use super::header::{Numbers, parsed_header, too_large};
use super::literal::Header;
use crate::failure::{Failure, Result};
use crate::ranges::{self, CopyError};
use crate::ranks;

/// The longest axis of an array without elements, whose length no data bears out.
const LONGEST_EMPTY_AXIS: usize = 1 << 24;

/// An open `.npy` file of numbers. Its header has been read and fits the file's length.
#[derive(Debug)]
pub(crate) struct NpyFile<D> {
    /// As messages name it.
    pub(crate) path: PathBuf,
    pub(crate) dtype: D,
    pub(crate) shape: Vec<usize>,
    /// Whether the first index is the fastest.
    pub(crate) fortran: bool,
    bytes: usize,
    file: File,
    /// Where the data starts; of pipes and devices nobody knows.
    start: Option<u64>,
}

impl<D: Numbers> NpyFile<D> {
    /// Opens a file, `-` being standard input.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        ranks::expect_file(path)?;
        let (path, file) = match path == Path::new("-") {
            true => (Path::new("stdin"), ranges::stdin()),
            false => (path, File::open(path)),
        };
        let fail = |e| Failure::read(path, e);
        let fault = |fault| Failure::input(path, fault);
        let mut file = file.map_err(fail)?;
        let (header, dtype, _) = parsed_header::<D>(&mut file).map_err(fail)?.map_err(fault)?;
        let Header { shape, fortran, .. } = header;
        let len = shape.iter().try_fold(1_usize, |len, &axis| len.checked_mul(axis));
        let bytes = len.and_then(|len| len.checked_mul(dtype.size())).filter(|&bytes| isize::try_from(bytes).is_ok());
        let Some(bytes) = bytes else { return Err(fault(too_large())) };
        if bytes == 0 && shape.iter().any(|&axis| axis > LONGEST_EMPTY_AXIS) {
            return Err(fault(too_large()));
        }

        // Before any memory is taken; of a pipe the length shows only on reading.
        let metadata = file.metadata().map_err(fail)?;
        let mut start = None;
        if metadata.is_file() {
            let at = file.stream_position().map_err(fail)?;
            let held = metadata.len().saturating_sub(at);
            if held < bytes as u64 {
                return Err(fault(truncated(bytes, held)));
            }
            if held > bytes as u64 {
                return Err(fault(trailing(held - bytes as u64)));
            }
            start = Some(at);
        }
        Ok(Self { path: path.to_owned(), dtype, shape, fortran, bytes, file, start })
    }

    /// Whether the data comes through a pipe or from a device, and is yet to be waited for.
    pub(crate) fn is_stream(&self) -> bool {
        self.start.is_none()
    }

    /// The elements, in the file's order. Those of a stream are read now, into a temporary file without a name.
    pub(super) fn elements(self) -> Result<Elements> {
        let Self { path, bytes, mut file, start, .. } = self;
        if let Some(start) = start {
            return Ok(Elements { path, file, start });
        }
        let spool = tempfile::tempfile().map_err(|e| Failure::spool(&path, e))?;
        match ranges::copy_in(&mut file, bytes as u64 + 1, &spool) {
            Ok(held) if held < bytes as u64 => {
                Err(Failure::input(&path, format!("ends before the {bytes} bytes of its header: save it again")))
            }
            Ok(held) if held > bytes as u64 => {
                Err(Failure::input(&path, "holds more bytes than its header says: save it again"))
            }
            Ok(_) => Ok(Elements { path, file: spool, start: 0 }),
            Err(CopyError::From(e)) => Err(Failure::read(&path, e)),
            Err(CopyError::To(e)) => Err(Failure::spool(&path, e)),
        }
    }
}

fn truncated(bytes: usize, held: u64) -> String {
    format!("is truncated: its header says {bytes} bytes of data, but it holds {held}; save or copy it again")
}

fn trailing(more: u64) -> String {
    format!("holds {more} bytes more than its header says: save the array alone, with numpy.save")
}
