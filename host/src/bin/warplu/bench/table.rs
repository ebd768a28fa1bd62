//! What was measured, as a table and as JSON.

use std::io::{self, Write};

use serde::Serialize;
use warplu::Device;

use super::Case;
use crate::common::say;

/// All measurements; each row is shown as soon as it is there.
#[derive(Debug, Serialize)]
pub(super) struct Table {
    version: &'static str,
    device: String,
    description: String,
    rows: Vec<Row>,
}

/// The measurements of a case.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) op: &'static str,
    pub(super) dtype: &'static str,
    pub(super) n: usize,
    pub(super) batch: usize,
    pub(super) rhs: usize,
    /// From host memory to host memory.
    pub(super) host: Times,
    /// From device memory to device memory.
    pub(super) resident: Option<Times>,
}

/// Seconds, and speed at their median.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Times {
    median: f64,
    min: f64,
    max: f64,
    gflops: f64,
    matrices_per_second: f64,
}

impl Times {
    /// From the seconds of at least one measurement.
    pub(super) fn new(mut seconds: Vec<f64>, case: Case, flops: f64) -> Self {
        seconds.sort_by(f64::total_cmp);
        let median = (seconds[(seconds.len() - 1) / 2] + seconds[seconds.len() / 2]) / 2.0;
        Self {
            median,
            min: seconds[0],
            max: seconds[seconds.len() - 1],
            gflops: flops / median / 1e9,
            matrices_per_second: case.batch as f64 / median,
        }
    }

    fn columns(&self) -> String {
        let Self { median, min, max, gflops, matrices_per_second } = self;
        let [median, min, max] = [median, min, max].map(|seconds| seconds * 1e3);
        format!("{median:>11.4} {min:>11.4} {max:>11.4} {gflops:>9.1} {matrices_per_second:>11.3e}")
    }
}

impl Table {
    pub(super) fn new(device: &Device) -> Self {
        let (device, description) = (device.to_string(), device.description());
        say(format_args!("{device}: {description}"));
        say("host: from host memory to host memory; resident: from device memory to device memory");
        let times = ["median ms", "min ms", "max ms", "GFLOP/s", "matrices/s"];
        let [median, min, max, gflops, matrices] = times;
        let times = format!("{median:>11} {min:>11} {max:>11} {gflops:>9} {matrices:>11}");
        say(format_args!("{:<5} {:<5} {:>5} {:>8} {:>5} {:<8} {times}", "op", "dtype", "n", "batch", "rhs", "where"));
        Self { version: env!("CARGO_PKG_VERSION"), device, description, rows: Vec::new() }
    }

    pub(super) fn push(&mut self, row: Row) {
        let Row { op, dtype, n, batch, rhs, host, resident } = &row;
        for (place, times) in [("host", Some(host)), ("resident", resident.as_ref())] {
            if let Some(times) = times {
                say(format_args!("{op:<5} {dtype:<5} {n:>5} {batch:>8} {rhs:>5} {place:<8} {}", times.columns()));
            }
        }
        self.rows.push(row);
    }

    pub(super) fn write_json(&self, mut out: impl Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut out, self)?;
        writeln!(out)
    }
}
