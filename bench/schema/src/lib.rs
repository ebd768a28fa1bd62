//! The JSON of measurements, as bench/README.md describes it: `warplu-bench` writes it, and so do other programs;
//! `cargo xtask` reads it.

use serde::{Deserialize, Serialize};

/// The version of the schema.
pub const SCHEMA: u32 = 1;

/// What one program measured on one machine: a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measurements {
    /// [`SCHEMA`], or the version that a file was written in.
    pub schema: u32,
    /// What a chart of them is called.
    pub title: Option<String>,
    /// The figure of a paper that they are of, such as p1-10.
    pub figure: Option<String>,
    /// When the measurements began, in UTC, such as 2026-11-21T07:15:00Z.
    pub date: Option<String>,
    /// The GPU's name.
    pub gpu: Option<String>,
    /// The driver of the GPU.
    pub driver: Option<String>,
    /// The tier of the GPU's kernels: the compute capability that they ask for at most, times 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<u32>,
    /// The compilers of the host's code and of the kernels.
    pub toolchain: Option<String>,
    /// The version of the program.
    pub version: Option<String>,
    /// The processor, and the threads that are used of it.
    pub cpu: Option<String>,
    /// What was measured, in this order.
    pub rows: Vec<Row>,
}

/// A measurement: an operation on a batch, by one algorithm of one library.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// Whose code ran.
    pub library: Library,
    /// What the library was told to use, or the calls it took.
    pub algorithm: Option<String>,
    /// The operation, by its name on the command line of `warplu-bench`: lu, solve and so on.
    pub op: String,
    /// The type of the numbers: f16, f32, f64, c32 or c64.
    pub dtype: String,
    /// The order of the matrices.
    pub n: u32,
    /// Of a ragged batch: the least and the largest order, of which `n` is the latter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orders: Option<(u32, u32)>,
    /// How many matrices.
    pub batch: u64,
    /// Right-hand sides of each; 0 where the operation has none.
    pub rhs: u32,
    /// How the matrices lie in memory: column-major or c.
    pub layout: String,
    /// Where they are.
    pub place: Place,
    /// How long it took; `None` where only the speed is known.
    pub seconds: Option<Seconds>,
    /// 10^9 operations a second; `None` of a copy, and where the clock did not tick.
    pub gflops: Option<f64>,
    /// LAPACK's test ratio, the worse of the first and the last matrix; the largest number if it is not finite.
    pub ratio: Option<f64>,
    /// Of warplu's own kernels, those that ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kernels: Vec<String>,
    /// The GPU where it is not the file's: that of a published number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
}

/// Seconds of the whole batch, over several runs. Published ones may be known by one number only.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Seconds {
    /// The middle one.
    pub median: f64,
    /// The shortest run.
    pub min: Option<f64>,
    /// The longest run.
    pub max: Option<f64>,
    /// How many runs.
    pub runs: Option<usize>,
}

/// Whose code ran; charts list them in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Library {
    /// This one.
    Warplu,
    /// NVIDIA's cuBLAS.
    Cublas,
    /// NVIDIA's cuSOLVER.
    Cusolver,
    /// MAGMA, through PyTorch.
    Magma,
    /// PyTorch, with what it chooses.
    Torch,
    /// faer.
    Faer,
    /// nalgebra.
    Nalgebra,
    /// OpenBLAS.
    Openblas,
    /// Intel's MKL.
    Mkl,
    /// A plain loop on the CPU.
    Serial,
    /// Published numbers.
    Paper,
}

/// Where the matrices are before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// In the memory of the device.
    Device,
    /// In host memory, the result in memory that the call makes.
    Host,
    /// In host memory, the result in memory that the caller has.
    Into,
    /// In page-locked host memory, input and result.
    Pinned,
}

impl Measurements {
    /// GPU, driver and day.
    #[must_use]
    pub fn origin(&self) -> String {
        let day = self.date.as_ref().and_then(|date| date.split('T').next());
        let parts = [self.gpu.as_deref(), self.driver.as_deref(), day];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

impl Seconds {
    /// From the seconds of at least one run.
    #[must_use]
    pub fn of(mut runs: Vec<f64>) -> Self {
        runs.sort_by(f64::total_cmp);
        let median = f64::midpoint(runs[(runs.len() - 1) / 2], runs[runs.len() / 2]);
        Self { median, min: runs.first().copied(), max: runs.last().copied(), runs: Some(runs.len()) }
    }
}

impl Library {
    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
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

    /// Its name as its makers write it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Cublas => "cuBLAS",
            Self::Cusolver => "cuSOLVER",
            Self::Magma => "MAGMA",
            Self::Torch => "PyTorch",
            Self::Openblas => "OpenBLAS",
            Self::Mkl => "MKL",
            Self::Serial => "serial CPU",
            Self::Warplu | Self::Faer | Self::Nalgebra | Self::Paper => self.name(),
        }
    }
}

impl Place {
    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Host => "host",
            Self::Into => "into",
            Self::Pinned => "pinned",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_ordered() {
        let seconds = Seconds::of(vec![3.0, 1.0, 2.0, 10.0]);
        assert_eq!((seconds.median, seconds.min, seconds.max, seconds.runs), (2.5, Some(1.0), Some(10.0), Some(4)));
        assert_eq!(Seconds::of(vec![4.0]).median, 4.0);
    }
}
