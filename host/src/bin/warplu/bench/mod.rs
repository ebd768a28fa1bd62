//! `warplu bench`.

mod resident;
mod table;

use std::path::PathBuf;
use std::time::Instant;

use clap::builder::RangedU64ValueParser;
use kernels_gpu::scalar::ScalarKind;
use warplu::{Batch, Device, Element, Scalar, c64};

use self::table::{Row, Table, Times};
use crate::common::{DeviceArgs, Outcome};
use crate::dtype::{Dtype, with_element};
use crate::failure::{Failure, Result};
use crate::output::Output;

/// Measure the speed of each operation on random matrices
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(flatten)]
    device: DeviceArgs,
    /// Operations, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "lu,solve,inv,det")]
    op: Vec<Op>,
    /// Types, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', default_value = "f32,f64")]
    dtype: Vec<Dtype>,
    /// Orders, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "8,16,32,64,128")]
    n: Vec<u32>,
    /// Matrices
    #[arg(long, default_value_t = 1000)]
    batch: u32,
    /// Right-hand sides of each matrix, for solve
    #[arg(long, default_value_t = 1)]
    rhs: u32,
    /// Measurements
    #[arg(long, default_value_t = 10, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    reps: usize,
    /// Runs before the first measurement
    #[arg(long, default_value_t = 2)]
    warmup: usize,
    /// Write the table as JSON, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// An operation to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Op {
    Lu,
    Solve,
    Inv,
    Det,
}

/// What is measured.
#[derive(Clone, Copy, Debug)]
struct Case {
    op: Op,
    n: usize,
    batch: usize,
    rhs: usize,
}

/// How it is measured.
#[derive(Clone, Copy, Debug)]
struct Effort {
    reps: usize,
    warmup: usize,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let device = args.device.open()?;
    let json = args.json.as_ref().map(|path| Output::create(path)).transpose()?;
    let effort = Effort { reps: args.reps, warmup: args.warmup };
    let mut table = Table::new(&device);
    for &op in &args.op {
        for &dtype in &args.dtype {
            for &n in &args.n {
                let rhs = if op == Op::Solve { args.rhs as usize } else { 0 };
                let case = Case { op, n: n as usize, batch: args.batch as usize, rhs };
                table.push(with_element!(dtype, T => measure::<T>(&device, case, effort))?);
            }
        }
    }
    if let Some(mut file) = json {
        file.write(|out| table.write_json(out))?;
        file.commit()?;
    }
    Ok(Outcome::Done)
}

fn measure<T: Element>(device: &Device, case: Case, effort: Effort) -> Result<Row> {
    let Case { op, n, batch, rhs } = case;
    let a = random::<T>(&[batch, n, n], 1)?;
    let b = random::<T>(&[batch, n, rhs], 2)?;
    let (a_view, b_view) = (Batch::c_order(&a, batch, n, n)?, Batch::c_order(&b, batch, n, rhs)?);
    let once = || match op {
        Op::Lu => device.lu(&a_view).map(drop),
        Op::Solve => device.solve(&a_view, &b_view).map(drop),
        Op::Inv => device.invert(&a_view).map(drop),
        Op::Det => device.det(&a_view).map(drop),
    };
    for _ in 0..effort.warmup {
        once()?;
    }
    let seconds = (0..effort.reps).map(|_| time(once)).collect::<warplu::Result<Vec<_>>>()?;
    let host = Times::new(seconds, case, case.flops(T::Scalar::KIND));
    let resident = resident::measure::<T>(device, case, effort, &a, &b)?;
    let resident = resident.map(|seconds| Times::new(seconds, case, case.flops(T::Scalar::KIND)));
    Ok(Row { op: op.name(), dtype: T::NAME, n, batch, rhs, host, resident })
}

fn time(once: impl FnOnce() -> warplu::Result<()>) -> warplu::Result<f64> {
    let start = Instant::now();
    once()?;
    Ok(start.elapsed().as_secs_f64())
}

impl Op {
    fn name(self) -> &'static str {
        match self {
            Self::Lu => "lu",
            Self::Solve => "solve",
            Self::Inv => "inv",
            Self::Det => "det",
        }
    }
}

impl Case {
    /// Real floating-point operations, as LAPACK counts them, to leading order.
    fn flops(self, kind: ScalarKind) -> f64 {
        let (n, rhs) = (self.n as f64, self.rhs as f64);
        let each = match self.op {
            Op::Lu | Op::Det => 2.0 / 3.0 * n.powi(3),
            Op::Solve => 2.0 / 3.0 * n.powi(3) + 2.0 * n * n * rhs,
            Op::Inv => 2.0 * n.powi(3),
        };
        let complex = matches!(kind, ScalarKind::C32 | ScalarKind::C64);
        self.batch as f64 * each * if complex { 4.0 } else { 1.0 }
    }
}

/// Numbers between -1 and 1, the same in each run.
fn random<T: Element>(shape: &[usize; 3], seed: u64) -> Result<Vec<T>> {
    let too_large = || Failure::Usage("the matrices do not fit into memory: use a smaller --batch or --n".to_owned());
    let len = shape.iter().try_fold(1_usize, |len, &axis| len.checked_mul(axis)).ok_or_else(too_large)?;
    let mut numbers = Vec::new();
    numbers.try_reserve_exact(len).map_err(|_| too_large())?;
    let mut state = seed;
    let mut next = || {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    numbers.extend((0..len).map(|_| T::narrow(T::Scalar::from_c64(c64::new(next(), next())))));
    Ok(numbers)
}
