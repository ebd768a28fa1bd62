//! `--pivoting`, and `--growth` of pivots beside factors.

use std::path::PathBuf;

use serde::Serialize;
use warplu::out_of_core::Sink;
use warplu::{Batch, Element, Lu, Pivoting, Real, RealOf};

use crate::conditions::real_descr;
use crate::failure::Result;
use crate::input::Input;
use crate::npy::NpySink;
use crate::output::Output;
use crate::ranks::{self, Part};

/// An option of the verbs that factor.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct PivotingArgs {
    /// partial (rows are interchanged, so that the largest element of each column is its pivot), none (pivots are on
    /// the diagonal: for matrices that need no interchanges, such as diagonally dominant ones) or boosted:T (likewise,
    /// and a pivot below T times the largest element of its matrix is replaced by one of that size: for
    /// preconditioners, with T such as 1e-8)
    #[arg(long, default_value = "partial")]
    pub(crate) pivoting: Pivoting,
}

/// An option of the verb that writes factors.
#[derive(clap::Args, Debug)]
pub(crate) struct GrowthArgs {
    /// Also write how much larger the elements of U are than those of A, largest to largest, NaN of a bad matrix: shape
    /// () or (batch), of the real type of A, float32 for float16; of an archive, an archive
    #[arg(long, value_name = "GROWTH.npy")]
    growth: Option<PathBuf>,
}

/// The growth of each matrix's pivots on its way to a file.
#[derive(Debug)]
pub(crate) struct GrowthSink<T: Element> {
    sink: NpySink<RealOf<T>>,
    part: Part,
    largest: Option<Growth>,
}

/// What the report says of growth: the largest of a matrix that is not bad.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Growth {
    max: f64,
    index: usize,
}

impl GrowthArgs {
    /// Where it goes, if it is asked for.
    pub(crate) fn path(&self) -> Option<&PathBuf> {
        self.growth.as_ref()
    }
}

impl<T: Element> GrowthSink<T> {
    /// Of the matrices `a`, if there is an output.
    pub(crate) fn new(output: Option<Output>, a: &Input) -> Result<Option<Self>> {
        let Some(output) = output else { return Ok(None) };
        let sink = NpySink::new(output, real_descr::<T>(), &a.shape_of(&[]))?;
        Ok(Some(Self { sink, part: a.part(), largest: None }))
    }

    /// Writes that of the matrices `a` from number `first` on, from their factors.
    pub(crate) fn take(&mut self, first: usize, a: &Batch<'_, T>, lu: &Lu<T>) -> warplu::Result<()> {
        let growth = lu.growth(a)?;
        self.sink.write(first, &growth)?;
        let found = Growth::of(self.part.first + first, &growth);
        self.largest = Growth::largest(self.largest.into_iter().chain(found));
        Ok(())
    }

    pub(crate) fn into_parts(self) -> (Output, Option<Growth>) {
        (self.sink.into_output(), self.largest)
    }
}

impl Growth {
    /// The largest of matrices from number `first` on.
    pub(crate) fn of<R: Real>(first: usize, growth: &[R]) -> Option<Self> {
        let all = growth.iter().enumerate().map(|(b, growth)| Self { max: growth.to_f64(), index: first + b });
        Self::largest(all.filter(|growth| !growth.max.is_nan()))
    }

    fn largest(all: impl Iterator<Item = Self>) -> Option<Self> {
        // JSON has no infinity.
        all.map(|growth| Self { max: growth.max.min(f64::MAX), ..growth }).max_by(|x, y| {
            // The first of several.
            x.max.total_cmp(&y.max).then(y.index.cmp(&x.index))
        })
    }

    /// The largest of all ranks; they call it at the same time.
    pub(crate) fn of_all_ranks(own: Option<Self>) -> Result<Option<Self>> {
        let own = own.map(|growth| [growth.max.to_bits(), growth.index as u64]);
        let all = ranks::gather(own.as_slice())?.into_iter().flatten();
        Ok(Self::largest(all.map(|[max, index]| Self { max: f64::from_bits(max), index: index as usize })))
    }
}
