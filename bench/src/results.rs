//! What was measured, and its file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use warplu::Device;
use warplu_bench_schema::{Library, Measurements, Place, Row, SCHEMA, Seconds};

use crate::case::Case;
use crate::failure::{Failure, Result};
use crate::machine;

/// A file without rows, of measurements on `device`.
pub(crate) fn begin(device: &Device) -> Measurements {
    Measurements {
        schema: SCHEMA,
        title: None,
        figure: None,
        date: Some(machine::now()),
        gpu: device.info().gpu_name().map(ToOwned::to_owned),
        driver: device.info().driver_version().map(|version| format!("CUDA {version}")),
        tier: device.info().gpu_name().and(device.info().tier()),
        toolchain: Some(machine::toolchain()),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        cpu: Some(machine::cpu()),
        rows: Vec::new(),
    }
}

/// The row of a case.
pub(crate) fn row(case: &Case, library: Library, algorithm: Option<String>, place: Place, seconds: Seconds) -> Row {
    let &Case { op, dtype, n, batch, rhs, layout, .. } = case;
    Row {
        library,
        algorithm,
        op: op.name().to_owned(),
        dtype: dtype.name().to_owned(),
        n: n as u32,
        orders: None,
        batch: batch as u64,
        rhs: rhs as u32,
        layout: layout.name().to_owned(),
        place,
        seconds: Some(seconds),
        gflops: gflops(case.flops(), seconds),
        ratio: None,
        kernels: Vec::new(),
        gpu: None,
    }
}

/// 10^9 operations a second; `None` of a copy, and where the clock did not tick.
pub(crate) fn gflops(flops: f64, seconds: Seconds) -> Option<f64> {
    Some(flops / seconds.median / 1e9).filter(|gflops| gflops.is_normal())
}

/// The file that `--json` names.
#[derive(Debug)]
pub(crate) struct Output(PathBuf);

impl Output {
    /// Fails if the file cannot be written: before the work, not after it.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let output = Self(path.to_owned());
        let tried = match output.is_replaceable() {
            true => output.beside().and_then(|(new, _)| fs::remove_file(new)),
            false => output.special().map(drop),
        };
        tried.map_err(|e| output.failure(e))?;
        Ok(output)
    }

    /// Whether it can be written again and again: not so a pipe or a device.
    pub(crate) fn is_replaceable(&self) -> bool {
        self.0 != Path::new("-") && fs::metadata(&self.0).map_or(true, |found| found.is_file())
    }

    /// Writes it, in place of an older one.
    pub(crate) fn save(&self, results: &Measurements) -> Result<()> {
        let saved = match self.is_replaceable() {
            // Whoever reads it finds the old one or the new one, whole.
            true => self.beside().and_then(|(new, file)| {
                write(&file, results)?;
                fs::rename(new, self.place())
            }),
            false => self.special().and_then(|to| write(to, results)),
        };
        saved.map_err(|e| self.failure(e))
    }

    /// A new file in the same folder, and its name.
    fn beside(&self) -> io::Result<(PathBuf, File)> {
        let place = self.place();
        let mut name = place.file_name().ok_or(io::ErrorKind::IsADirectory)?.to_owned();
        name.push(".new");
        let new = place.with_file_name(name);
        Ok((new.clone(), File::create(new)?))
    }

    /// Where its name leads, if it is a link.
    fn place(&self) -> PathBuf {
        fs::canonicalize(&self.0).unwrap_or_else(|_| self.0.clone())
    }

    /// What cannot be replaced.
    fn special(&self) -> io::Result<Box<dyn Write>> {
        if self.0 == Path::new("-") {
            return Ok(Box::new(io::stdout()));
        }
        Ok(Box::new(OpenOptions::new().write(true).open(&self.0)?))
    }

    fn failure(&self, source: io::Error) -> Failure {
        Failure::Write { path: self.0.clone(), source }
    }
}

fn write(to: impl Write, results: &Measurements) -> io::Result<()> {
    let mut to = BufWriter::new(to);
    serde_json::to_writer_pretty(&mut to, results)?;
    writeln!(to)?;
    to.flush()
}
