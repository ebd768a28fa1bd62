//! Options that all of the verbs have, and lines that they print.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use warplu::{Algorithm, Device};

use crate::failure::{Failure, Result};
use crate::ranks;

/// Where to work.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct DeviceArgs {
    /// auto (a GPU if one answers, else the CPU), cpu, cuda, cuda:K (GPU number K), cuda:0,1 (these GPUs together),
    /// cuda:all, sim (the emulator of a GPU) or sim:N (N of them together)
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
    /// Most memory for chunks in flight (on a GPU, of its memory; on several, of each one's), in bytes, or with K, M or G; files are read and
    /// written chunk by chunk
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    memory: Option<usize>,
}

/// Options of every verb that reads and writes files.
#[derive(clap::Args, Debug)]
pub(crate) struct Common {
    #[command(flatten)]
    pub(crate) device: DeviceArgs,
    /// auto (warplu's own kernels), latency (those with the lowest latency for one matrix or few), a single kernel:
    /// kernel:getrf_in_registers_n32; or, in a program that is built with the feature papers, a published algorithm, with
    /// options: left-looking:nb=14,interchange=delayed, right-looking, corrected, elimination, element-wise, bordering
    #[arg(long, default_value = "auto", value_parser = algorithm)]
    pub(crate) algorithm: Algorithm,
    /// Write a report of the run, as JSON: which matrices are singular, how accurate the others are
    #[arg(long, value_name = "R.json")]
    pub(crate) report: Option<PathBuf>,
    /// Say nothing on stderr unless something is wrong
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// How a run that has written its outputs ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// Some matrices are singular or not finite.
    SomeBad,
}

impl DeviceArgs {
    pub(crate) fn open(&self) -> Result<Device> {
        let device = ranks::devices::by_name(&self.device)?;
        Ok(match self.memory {
            Some(bytes) => device.with_memory_limit(bytes),
            None => device,
        })
    }
}

/// "1 matrix", "2 matrices", "1 right-hand side".
pub(crate) fn count(number: usize, noun: &str) -> String {
    match (number, noun) {
        (1, _) => format!("1 {noun}"),
        (_, "matrix") => format!("{number} matrices"),
        _ => format!("{number} {noun}s"),
    }
}

/// A line on stderr; where nobody reads it, so be it.
pub(crate) fn tell(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// What went wrong first with a line on stdout.
static UNSAID: OnceLock<io::Error> = OnceLock::new();

/// A line on stdout; where nobody reads it, so be it. Other faults are kept for [`all_said`].
pub(crate) fn say(line: impl Display) {
    match writeln!(io::stdout(), "{line}") {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => drop(UNSAID.set(e)),
        _ => {}
    }
}

/// Fails if a line could not be written.
pub(crate) fn all_said() -> Result<()> {
    match UNSAID.get() {
        Some(e) => {
            let e = e.raw_os_error().map_or_else(|| e.kind().into(), io::Error::from_raw_os_error);
            Err(Failure::write(Path::new("stdout"), e))
        }
        None => Ok(()),
    }
}

/// One of warplu's own, or a published one.
fn algorithm(text: &str) -> warplu::Result<Algorithm> {
    #[cfg(feature = "papers")]
    return papers::parse(text);
    #[cfg(not(feature = "papers"))]
    text.parse()
}

fn parse_bytes(text: &str) -> std::result::Result<usize, String> {
    let (digits, shift) = match text.as_bytes().last().map(u8::to_ascii_uppercase) {
        Some(b'K') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let number: usize = digits.parse().map_err(|_| "give a number of bytes, such as 512M or 2G".to_owned())?;
    number.checked_mul(1 << shift).filter(|&bytes| bytes > 0).ok_or_else(|| "between 1 and 2^64 bytes".to_owned())
}
