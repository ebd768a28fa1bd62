//! What a verb on files is about.

use std::path::PathBuf;

use warplu::Status;

use crate::bads::Bads;
use crate::common::count;
use crate::failure::Result;
use crate::input::Input;
use crate::npz::Archive;
use crate::ranks::Part;

/// The matrices of a file, of which this rank works on a part.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) path: PathBuf,
    /// The order, or the largest.
    pub(crate) n: usize,
    /// The order or orders, as messages have them.
    sizes: String,
    pub(crate) part: Part,
    pub(crate) dtype: &'static str,
    /// In an archive each has one.
    names: Option<Vec<String>>,
}

impl From<&Input> for Subject {
    fn from(a: &Input) -> Self {
        let (n, part, dtype) = (a.rows, a.part(), a.dtype().name());
        Self { path: a.path().to_owned(), n, sizes: format!("{n} x {n}"), part, dtype, names: None }
    }
}

impl From<&Archive> for Subject {
    fn from(a: &Archive) -> Self {
        let (names, shapes, dtype) = (a.names(), a.shapes(), a.dtype().name());
        let orders = || shapes.iter().map(|shape| shape[0]);
        let (least, n) = (orders().min().unwrap_or(0), orders().max().unwrap_or(0));
        let sizes = if least == n { format!("{n} x {n}") } else { format!("orders {least} to {n}") };
        Self { path: a.path().to_owned(), n, sizes, part: a.part(), dtype, names: Some(names) }
    }
}

impl Subject {
    /// How many matrices there are, of which sizes and type, as messages have it.
    pub(crate) fn summary(&self) -> String {
        format!("{} of {} ({})", count(self.part.of, "matrix"), self.sizes, self.dtype)
    }

    /// What kind of file has them, as messages have it.
    pub(crate) fn container(&self) -> &'static str {
        if self.names.is_some() { "the archive" } else { "the file" }
    }

    /// The bad ones. `status` is that of this rank's matrices; all ranks call it at the same time.
    pub(crate) fn bads<'a>(&'a self, status: &'a [Status]) -> Result<Bads<'a>> {
        Bads::of_all_ranks(status, self.part, self.names.as_deref())
    }
}
