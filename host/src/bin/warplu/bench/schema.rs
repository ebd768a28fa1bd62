//! What was measured, as JSON (bench/README.md describes it).

use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use warplu::Device;

use super::case::{Case, Op, Order};
use super::machine;
use crate::commit::commit;
use crate::dtype::Dtype;
use crate::failure::Result;
use crate::output::Output;

/// The version of the schema.
const SCHEMA: u32 = 1;

/// A file of measurements.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Results {
    schema: u32,
    pub(crate) title: Option<String>,
    pub(crate) figure: Option<String>,
    /// When the measurements began, in UTC.
    date: String,
    gpu: Option<String>,
    driver: Option<String>,
    /// The tier of the GPU's kernels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tier: Option<u32>,
    toolchain: String,
    version: String,
    cpu: String,
    pub(crate) rows: Vec<Row>,
}

/// A measurement of a case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) library: Library,
    /// What the library was told to use, or the calls it took.
    pub(crate) algorithm: Option<String>,
    pub(crate) op: Op,
    pub(crate) dtype: Dtype,
    pub(crate) n: usize,
    /// Of a ragged batch: the least and the largest order, of which `n` is the latter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) orders: Option<(usize, usize)>,
    pub(crate) batch: usize,
    pub(crate) rhs: usize,
    pub(crate) layout: Order,
    pub(crate) place: Place,
    pub(crate) seconds: Seconds,
    /// `None` of a copy, and where the clock did not tick.
    pub(crate) gflops: Option<f64>,
    /// LAPACK's test ratio, the worse of the first and the last matrix; the largest number if it is not finite.
    pub(crate) ratio: Option<f64>,
    /// Of warplu's own kernels, those that ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) kernels: Vec<String>,
    /// Of a published number: the GPU that it is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) gpu: Option<String>,
}

/// Seconds of a run. Published ones may be known by one number only.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Seconds {
    pub(crate) median: f64,
    pub(crate) min: Option<f64>,
    pub(crate) max: Option<f64>,
    pub(crate) runs: Option<usize>,
}

/// Whose code ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Library {
    Warplu,
    Cublas,
    Cusolver,
    Magma,
    Torch,
    Faer,
    Nalgebra,
    Openblas,
    Mkl,
    /// A plain loop on the CPU.
    Serial,
    /// Published numbers.
    Paper,
}

/// Where the matrices are before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Place {
    Device,
    /// In host memory, the result in memory that the call makes.
    Host,
    /// In host memory, the result in memory that the caller has.
    Into,
    /// In page-locked host memory, input and result.
    Pinned,
}

impl Seconds {
    /// From the seconds of at least one run.
    pub(crate) fn new(mut runs: Vec<f64>) -> Self {
        runs.sort_by(f64::total_cmp);
        let median = f64::midpoint(runs[(runs.len() - 1) / 2], runs[runs.len() / 2]);
        Self { median, min: runs.first().copied(), max: runs.last().copied(), runs: Some(runs.len()) }
    }
}

impl Row {
    pub(crate) fn new(
        case: &Case,
        library: Library,
        algorithm: Option<String>,
        place: Place,
        seconds: Seconds,
    ) -> Self {
        let &Case { op, dtype, n, batch, rhs, layout, .. } = case;
        let gflops = Some(case.flops() / seconds.median / 1e9).filter(|gflops| gflops.is_normal());
        let (orders, ratio, kernels, gpu) = (None, None, Vec::new(), None);
        Self {
            library,
            algorithm,
            op,
            dtype,
            n,
            orders,
            batch,
            rhs,
            layout,
            place,
            seconds,
            gflops,
            ratio,
            kernels,
            gpu,
        }
    }
}

impl Results {
    /// A file without rows, of measurements on `device`.
    pub(crate) fn new(device: &Device) -> Self {
        Self {
            schema: SCHEMA,
            title: None,
            figure: None,
            date: machine::now(),
            gpu: device.gpu_name().map(ToOwned::to_owned),
            driver: device.driver_version().map(|version| format!("CUDA {version}")),
            tier: device.gpu_name().and(device.tier()),
            toolchain: machine::toolchain(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            cpu: machine::cpu(),
            rows: Vec::new(),
        }
    }

    /// Writes the file, in place of an older one.
    pub(crate) fn save(&self, path: &Path) -> Result<()> {
        let file = Output::create(path)?;
        file.write(|out| self.write(out))?;
        commit([file])
    }

    fn write(&self, mut out: impl Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut out, self)?;
        writeln!(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_ordered() {
        let seconds = Seconds::new(vec![3.0, 1.0, 2.0, 10.0]);
        assert_eq!((seconds.median, seconds.min, seconds.max, seconds.runs), (2.5, Some(1.0), Some(10.0), Some(4)));
        assert_eq!(Seconds::new(vec![4.0]).median, 4.0);
    }

    #[test]
    fn published_rows_are_read() {
        let row = r#"{"library": "paper", "algorithm": null, "op": "lu-inv", "dtype": "c32", "n": 33, "batch": 10000,
            "rhs": 0, "layout": "column-major", "place": "device", "gflops": 12.5, "ratio": null,
            "seconds": {"median": 1e-3, "min": null, "max": null, "runs": null}}"#;
        let row: Row = serde_json::from_str(row).unwrap();
        assert_eq!((row.library, row.op, row.dtype), (Library::Paper, Op::LuInv, Dtype::C32));
        assert_eq!((row.layout, row.place, row.seconds.runs), (Order::ColumnMajor, Place::Device, None));
    }
}
