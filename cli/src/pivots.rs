//! Pivots that `lu` has written.

use std::io;
use std::path::{Path, PathBuf};

use warplu::out_of_core::Source;

use crate::failure::{Failure, Result};
use crate::input::{Input, tuple};
use crate::memory::zeros;
use crate::npy::{Descr, Kind, NpyFile, Numbers, source};
use crate::ranks::Part;

/// What pivots are in a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Int32;

/// A file of pivots, not yet read.
#[derive(Debug)]
pub(crate) struct PivotsInput {
    npy: NpyFile<Int32>,
    part: Part,
    n: usize,
}

/// The pivots of a file, read by ranges; each is checked on the way.
pub(crate) struct Pivots {
    path: PathBuf,
    source: Box<dyn Source<u32>>,
    /// Number of the first matrix.
    first: usize,
    n: usize,
}

impl Numbers for Int32 {
    fn from_header(descr: &Descr) -> std::result::Result<Self, String> {
        match descr {
            Descr::Plain { text, .. } if text == "<i4" => Ok(Self),
            Descr::Plain { text, kind: Kind::Integer, big_endian } => {
                let order = if *big_endian { "big-endian " } else { "" };
                Err(format!("holds {order}numbers of type {text}: convert the pivots with piv.astype('<i4')"))
            }
            _ => Err("holds no pivots: give the int32 array that `warplu lu --pivots` writes".to_owned()),
        }
    }

    fn size(self) -> usize {
        4
    }
}

impl PivotsInput {
    /// Those of the factors `lu`: (n) if those are (n, n), else (batch, n).
    pub(crate) fn open_header(path: &Path, lu: &Input) -> Result<Self> {
        let npy = NpyFile::<Int32>::open(path)?;
        let wanted = lu.shape_of(&[lu.rows]);
        if npy.shape != wanted {
            let (own, wanted, theirs) = (tuple(&npy.shape), tuple(&wanted), tuple(&lu.shape()));
            let fault = format!("has shape {own}, but {} has {theirs}", lu.path().display());
            return Err(Failure::input(path, format!("{fault}: give its pivots, of shape {wanted}")));
        }
        Ok(Self { npy, part: lu.part(), n: lu.rows })
    }

    /// Makes the pivots ready to be read.
    pub(crate) fn open(self) -> Result<Pivots> {
        let Self { npy, part, n } = self;
        Ok(Pivots { path: npy.path.clone(), source: source(npy, part, n)?, first: part.first, n })
    }
}

impl Pivots {
    /// Those of matrix `index`.
    pub(crate) fn of(&self, index: usize) -> Result<Vec<u32>> {
        let mut own = zeros(self.n).map_err(|_| Failure::memory(&self.path, 4 * self.n))?;
        self.read(index * self.n, &mut own).map_err(warplu::Error::Io)?;
        Ok(own)
    }
}

impl Source<u32> for Pivots {
    fn read(&self, first: usize, to: &mut [u32]) -> io::Result<()> {
        self.source.read(first, to)?;
        // As bits: a negative number is large.
        let Some(at) = to.iter().position(|&pivot| pivot as usize >= self.n) else { return Ok(()) };
        let (matrix, k) = (self.first + (first + at) / self.n, (first + at) % self.n);
        let pivot = to[at].cast_signed();
        let fault = format!("matrix {matrix}: pivot {k} is {pivot}, but pivots are from 0 to {}", self.n - 1);
        Err(Failure::input(&self.path, fault + ": give those that belong to the factors (LAPACK's own minus 1)").into())
    }
}
