//! The report of a run.

use std::path::Path;

use rayon::prelude::*;
use serde::{Serialize, Serializer};
use warplu::{Status, c64};

use crate::conditions::IllConditioned;
use crate::failure::{self, Failure};
use crate::memory::zeros;
use crate::output::Output;
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
    pub(crate) device: String,
    /// Of reading, computing and writing.
    pub(crate) seconds: f64,
    #[serde(serialize_with = "bad")]
    pub(crate) bad: Bads<'a>,
    /// The largest of LAPACK's test ratios over a sample of the good matrices, if there are any.
    pub(crate) max_ratio: Option<f64>,
    /// Of condition numbers, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rcond: Option<&'a IllConditioned>,
    /// Of solutions by factors in single precision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refined: Option<&'a Refined>,
}

/// The matrices that are singular, not positive definite or not finite.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bads<'a> {
    /// Of all matrices.
    pub(crate) status: &'a [Status],
    /// Their names, in an archive.
    pub(crate) names: Option<&'a [String]>,
}

/// One of them.
#[derive(Debug, Serialize)]
struct Bad<'a> {
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    status: i32,
}

/// There may be many: none is kept.
fn bad<S: Serializer>(bads: &Bads<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    let bad = bads.status.iter().enumerate().filter(|(_, status)| !status.is_ok());
    serializer.collect_seq(bad.map(|(index, status)| {
        let name = bads.names.map(|names| names[index].as_str());
        Bad { index, name, status: status.code() }
    }))
}

impl Report<'_> {
    pub(crate) fn save(&self, file: &Output) -> failure::Result<()> {
        file.write(|mut out| {
            serde_json::to_writer(&mut out, self)?;
            writeln!(out)
        })
    }
}

/// The largest ratio over a sample of the good matrices, spread over the batch. `path` is that of the file, for
/// messages.
pub(crate) fn max_ratio(
    path: &Path,
    n: usize,
    status: &[Status],
    ratio: impl Fn(usize) -> failure::Result<f64> + Sync,
) -> failure::Result<Option<f64>> {
    let good = || (0..status.len()).filter(|&b| status[b].is_ok());
    let goods = good().count();
    let affordable = WORK / (n as u64).saturating_pow(3).max(1);
    let count = goods.min(SAMPLE).min(affordable as usize);
    if count == 0 || n == 0 {
        return Ok(None);
    }
    // What multiplies the matrices cannot be refused memory: whether it is there is asked before.
    let numbers = HELD * count.min(rayon::current_num_threads()) * n * n;
    drop(zeros::<c64>(numbers).map_err(|_| Failure::memory(path, numbers * size_of::<c64>()))?);
    let mut wanted = (0..count).map(|i| i * goods / count).peekable();
    let sample: Vec<_> = good().enumerate().filter_map(|(at, b)| wanted.next_if_eq(&at).map(|_| b)).collect();
    // JSON has no NaN: a ratio that is one must not hide among the good.
    let finite = |ratio: f64| if ratio.is_finite() { ratio } else { f64::MAX };
    let ratios = sample.into_par_iter().map(|b| ratio(b).map(finite));
    ratios.try_reduce(|| 0.0, |x, y| Ok(x.max(y))).map(Some)
}
