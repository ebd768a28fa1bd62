//! `--ferr` and `--berr`: error bounds beside solutions.

use std::path::PathBuf;

use warplu::out_of_core::Sink;
use warplu::{Batch, BatchMut, Element, RealOf, Statuses, Structure};

use crate::dtype::Dtype;
use crate::failure::{Failure, Result};
use crate::input::Input;
use crate::known::{Known, wide};
use crate::npy::NpySink;
use crate::output::Output;

/// Options of the verb that can tell errors.
#[derive(clap::Args, Debug)]
pub(crate) struct BoundArgs {
    /// Also write a bound on the forward error of each solution, relative to its largest element, after improving the
    /// solutions (as LAPACK's xGERFS and xPORFS): of the shape of B without its rows, of the real type of B. Not for float16
    #[arg(long, value_name = "FERR.npy")]
    ferr: Option<PathBuf>,
    /// Also write the component-wise backward error of each solution, likewise
    #[arg(long, value_name = "BERR.npy")]
    berr: Option<PathBuf>,
}

/// Error bounds on their way to files, of which there is one at least.
#[derive(Debug)]
pub(crate) struct BoundSinks<T: Element> {
    ferr: Option<NpySink<RealOf<T>>>,
    berr: Option<NpySink<RealOf<T>>>,
}

impl BoundArgs {
    /// Where they go, if they are asked for.
    pub(crate) fn paths(&self) -> [Option<&PathBuf>; 2] {
        [self.ferr.as_ref(), self.berr.as_ref()]
    }

    /// That there are bounds for this type, and for matrices of which this is known.
    pub(crate) fn check(&self, a: &Input, structure: Structure) -> Result<()> {
        if self.paths() == [None; 2] {
            return Ok(());
        }
        if a.dtype() == Dtype::F16 {
            let fault = "holds float16, to which solutions are rounded in the end: for error bounds convert it, e.g. \
                         a.astype('float32')";
            return Err(Failure::input(a.path(), fault));
        }
        if matches!(structure, Structure::Triangular(_)) {
            let remedy = "leave them out, or --structure";
            return Err(Failure::Usage(format!("--ferr and --berr are not for triangular matrices: {remedy}")));
        }
        Ok(())
    }
}

impl<T: Element> BoundSinks<T> {
    /// For the right-hand sides `b`, if there is an output.
    pub(crate) fn new(outputs: [Option<Output>; 2], b: &Input) -> Result<Option<Self>> {
        if outputs.iter().all(Option::is_none) {
            return Ok(None);
        }
        let descr = if size_of::<RealOf<T>>() == size_of::<f32>() { "<f4" } else { "<f8" };
        let shape = b.shape_without_rows();
        let sink = |output: Option<Output>| output.map(|output| NpySink::new(output, descr, &shape)).transpose();
        let [ferr, berr] = outputs.map(sink);
        Ok(Some(Self { ferr: ferr?, berr: berr? }))
    }

    /// Writes the solutions of the systems from number `first` on, and their errors.
    pub(crate) fn solve(
        &self,
        first: usize,
        a: &Known<'_, '_, T>,
        b: &Batch<'_, T>,
        to: &NpySink<T>,
    ) -> warplu::Result<Statuses> {
        let (batch, n, rhs) = (b.batch(), b.rows(), b.cols());
        let mut x = wide(&a.solve(b)?.x.view());
        let sides = wide(b);
        let sides = Batch::row_major(&sides, batch, n, rhs)?;
        let bounds = a.refine(&sides, &mut BatchMut::row_major(&mut x, batch, n, rhs)?)?;
        to.write(first * n * rhs, &x.into_iter().map(T::narrow).collect::<Vec<_>>())?;
        for (sink, errors) in [(&self.ferr, &bounds.ferr), (&self.berr, &bounds.berr)] {
            if let Some(sink) = sink {
                sink.write(first * rhs, errors)?;
            }
        }
        Ok(bounds.status)
    }

    pub(crate) fn into_outputs(self) -> impl Iterator<Item = Output> {
        self.ferr.into_iter().chain(self.berr).map(NpySink::into_output)
    }
}
