//! The report of a run.

use std::path::Path;

use rayon::prelude::*;
use serde::{Serialize, Serializer};
use warplu::{Pivoting, Status, c64};

use crate::bads::Bads;
use crate::conditions::IllConditioned;
use crate::failure::{self, Failure};
use crate::growth::Growth;
use crate::memory::zeros;
use crate::output::Output;
use crate::ranks;
use crate::refine::Refined;

/// Most matrices whose accuracy is measured.
const SAMPLE: usize = 64;
/// Most multiplications that measuring may take, as the sum of the cubes of the orders.
const WORK: u64 = 20_000_000_000;
/// Matrices that are held while the accuracy of one is measured.
const HELD: usize = 10;

/// What `--report` writes.
#[derive(Debug, Serialize)]
pub(crate) struct Report<'a> {
    pub(crate) version: &'static str,
    pub(crate) op: &'static str,
    /// The file of the matrices.
    pub(crate) input: String,
    pub(crate) outputs: Vec<String>,
    pub(crate) dtype: &'static str,
    /// The order, or the largest of an archive's.
    pub(crate) n: usize,
    pub(crate) batch: usize,
    /// On several ranks, each that one of them has.
    pub(crate) device: String,
    /// How many there are, if several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ranks: Option<usize>,
    /// How pivots were chosen, if not the largest of each column.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_text")]
    pub(crate) pivoting: Option<Pivoting>,
    /// Of reading, computing and writing.
    pub(crate) seconds: f64,
    #[serde(serialize_with = "bad")]
    pub(crate) bad: &'a Bads<'a>,
    /// The largest of LAPACK's test ratios over a sample of the good matrices, if there are any.
    pub(crate) max_ratio: Option<f64>,
    /// Of condition numbers, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rcond: Option<&'a IllConditioned>,
    /// Of pivots, where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) growth: Option<Growth>,
    /// Of solutions by factors in single precision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refined: Option<&'a Refined>,
}

/// A matrix that is singular, not positive definite or not finite.
#[derive(Debug, Serialize)]
struct Bad<'a> {
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    status: i32,
}

/// There may be many: none is kept.
fn bad<S: Serializer>(bads: &Bads<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    let one = |(index, status): (usize, Status)| Bad { index, name: bads.name(index), status: status.code() };
    serializer.collect_seq(bads.iter().map(one))
}

fn as_text<S: Serializer>(pivoting: &Option<Pivoting>, serializer: S) -> Result<S::Ok, S::Error> {
    match pivoting {
        Some(pivoting) => serializer.collect_str(pivoting),
        None => serializer.serialize_none(),
    }
}

impl Report<'_> {
    pub(crate) fn save(&self, file: &Output) -> failure::Result<()> {
        file.write(|mut out| {
            serde_json::to_writer(&mut out, self)?;
            writeln!(out)
        })
    }
}

/// The largest ratio over a sample of the good matrices, spread over the batch, of which each rank measures its own.
/// `path` is that of the file, for messages.
pub(crate) fn max_ratio(
    path: &Path,
    n: usize,
    bads: &Bads<'_>,
    ratio: &(dyn Fn(usize) -> failure::Result<f64> + Sync),
) -> failure::Result<Option<f64>> {
    let affordable = WORK / (n as u64).saturating_pow(3).max(1);
    let count = bads.goods().min(SAMPLE).min(affordable as usize);
    if count == 0 || n == 0 {
        return Ok(None);
    }
    let sample = bads.sample_of_goods(count);
    // What multiplies the matrices cannot be refused memory: whether it is there is asked before.
    let numbers = HELD * sample.len().min(rayon::current_num_threads()) * n * n;
    drop(zeros::<c64>(numbers).map_err(|_| Failure::memory(path, numbers * size_of::<c64>()))?);
    let worst = worst(&sample, ratio)?;
    Ok(ranks::gather(&[worst])?.into_iter().flatten().reduce(f64::max))
}

/// The largest ratio of a sample. Through a pointer, so that rayon's machinery is compiled once, and not for each type
/// and command.
fn worst(sample: &[usize], ratio: &(dyn Fn(usize) -> failure::Result<f64> + Sync)) -> failure::Result<f64> {
    // JSON has no NaN: a ratio that is one must not hide among the good.
    let finite = |ratio: f64| if ratio.is_finite() { ratio } else { f64::MAX };
    let ratios = sample.par_iter().map(|&b| ratio(b).map(finite));
    ratios.try_reduce(|| 0.0, |x, y| Ok(x.max(y)))
}
