//! The report of a run.

use std::io::{self, Write};

use rayon::prelude::*;
use serde::Serialize;
use warplu::Status;

/// Most matrices whose accuracy is measured.
const SAMPLE: usize = 64;
/// Most multiplications that measuring may take, as the sum of the cubes of the orders.
const WORK: u64 = 20_000_000_000;

/// What `--report` writes.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) op: &'static str,
    pub(crate) dtype: &'static str,
    pub(crate) n: usize,
    pub(crate) batch: usize,
    pub(crate) device: String,
    /// Of the computation, from host memory to host memory.
    pub(crate) seconds: f64,
    pub(crate) bad: Vec<Bad>,
    /// The largest of LAPACK's test ratios over a sample of the good matrices, if there are any.
    pub(crate) max_ratio: Option<f64>,
}

/// A matrix that is singular or not finite.
#[derive(Debug, Serialize)]
pub(crate) struct Bad {
    pub(crate) index: usize,
    pub(crate) status: i32,
}

impl Report {
    pub(crate) fn write(&self, mut out: impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut out, self)?;
        writeln!(out)
    }
}

/// The largest ratio over a sample of the good matrices, spread over the batch.
pub(crate) fn max_ratio(
    n: usize,
    status: &[Status],
    ratio: impl Fn(usize) -> warplu::Result<f64> + Sync,
) -> warplu::Result<Option<f64>> {
    let good: Vec<_> = (0..status.len()).filter(|&b| status[b].is_ok()).collect();
    let affordable = WORK / (n as u64).saturating_pow(3).max(1);
    let count = good.len().min(SAMPLE).min(affordable as usize);
    if count == 0 || n == 0 {
        return Ok(None);
    }
    let sample: Vec<_> = (0..count).map(|i| good[i * good.len() / count]).collect();
    // JSON has no NaN: a ratio that is one must not hide among the good.
    let finite = |ratio: f64| if ratio.is_finite() { ratio } else { f64::MAX };
    let ratios = sample.into_par_iter().map(|b| ratio(b).map(finite));
    ratios.try_reduce(|| 0.0, |x, y| Ok(x.max(y))).map(Some)
}
