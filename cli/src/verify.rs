//! `warplu verify`.

use std::time::Instant;

use clap::builder::{PossibleValuesParser, RangedU64ValueParser};
use warplu::verify::{self, Options};

use crate::common::{DeviceArgs, Outcome, say};
use crate::failure::{Failure, Result};

/// Check every operation, type and kernel of a device, of several each by itself, against LAPACK's test ratios
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(flatten)]
    device: DeviceArgs,
    /// Check a spread of the orders instead of all of them
    #[arg(long)]
    quick: bool,
    /// Check these orders, separated by commas: from 1 to 16384
    #[arg(long, value_delimiter = ',', value_parser = RangedU64ValueParser::<usize>::new().range(1..=16_384))]
    n: Option<Vec<usize>>,
    /// Check these types only, separated by commas
    #[arg(long, value_delimiter = ',', value_parser = PossibleValuesParser::new(verify::TYPES))]
    dtype: Option<Vec<String>>,
    /// Where the random matrices start
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let device = args.device.open()?;
    let options = Options { quick: args.quick, sizes: args.n.clone(), types: args.dtype.clone(), seed: args.seed };
    let (mut failed, mut all, start) = (0, 0, Instant::now());
    // Of several devices, each has kernels of its own.
    for one in device.devices() {
        say(format_args!("{one}: {}", one.info()));
        let summary = verify::run(&one, &options, |row| say(row))?;
        (failed, all) = (failed + summary.failures().count(), all + summary.rows.len());
        #[cfg(feature = "papers")]
        papers::verify(&one, &options, |row| {
            say(&row);
            (failed, all) = (failed + usize::from(!row.passed()), all + 1);
        });
    }
    if failed > 0 {
        return Err(Failure::Verify { failed, all, device: device.to_string() });
    }
    say(format_args!("{all} checks passed in {:.1} s", start.elapsed().as_secs_f64()));
    Ok(Outcome::Done)
}
