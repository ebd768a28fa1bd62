//! What was measured, as a table on stdout.

use warplu::Device;

use super::schema::{Library, Place, Row, Seconds};
use crate::common::say;

/// The names of the columns.
pub(super) fn head(device: &Device) {
    say(format_args!("{device}: {}", device.description()));
    let [median, min, max, gflops, ratio] = ["median ms", "min ms", "max ms", "GFLOP/s", "ratio"];
    let case = format!("{:<8} {:<5} {:>5} {:>8} {:>5}", "op", "dtype", "n", "batch", "rhs");
    let times = format!("{median:>11} {min:>11} {max:>11} {gflops:>9} {ratio:>8}");
    say(format_args!("{case} {:<6} {times}  library", "place"));
}

/// A measurement, as soon as it is there.
pub(super) fn line(row: &Row) {
    let Row { op, dtype, n, batch, rhs, .. } = row;
    let case = format!("{:<8} {:<5} {n:>5} {batch:>8} {rhs:>5}", op.name(), dtype.name());
    let place = match row.place {
        Place::Device => "device",
        Place::Host => "host",
        Place::Into => "into",
        Place::Pinned => "pinned",
    };
    let Seconds { median, min, max, .. } = row.seconds;
    let [median, min, max] = [Some(median), min, max].map(|s| s.map_or("-".to_owned(), |s| format!("{:.4}", s * 1e3)));
    let gflops = row.gflops.map_or("-".to_owned(), |gflops| format!("{gflops:.1}"));
    let ratio = row.ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.3}"));
    let algorithm = row.algorithm.as_ref().map_or(String::new(), |algorithm| format!(" {algorithm}"));
    let times = format!("{median:>11} {min:>11} {max:>11} {gflops:>9} {ratio:>8}");
    say(format_args!("{case} {place:<6} {times}  {}{algorithm}", row.library.name()));
}

impl Library {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Warplu => "warplu",
            Self::Cublas => "cublas",
            Self::Cusolver => "cusolver",
            Self::Magma => "magma",
            Self::Torch => "torch",
            Self::Faer => "faer",
            Self::Nalgebra => "nalgebra",
            Self::Openblas => "openblas",
            Self::Mkl => "mkl",
            Self::Serial => "serial",
            Self::Paper => "paper",
        }
    }
}
