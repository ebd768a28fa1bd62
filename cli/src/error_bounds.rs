//! `--ferr` and `--berr`: error bounds beside solutions.

use std::path::PathBuf;

use warplu::out_of_core::Sink;
use warplu::{Batch, Element, Lu, Op, RealOf, Statuses};

use crate::dtype::Dtype;
use crate::failure::{Failure, Result};
use crate::input::Input;
use crate::npy::NpySink;
use crate::output::Output;

/// Options of the verb that can tell errors.
#[derive(clap::Args, Debug)]
pub(crate) struct BoundArgs {
    /// Also write a bound on the forward error of each solution, relative to its largest element, after improving the
    /// solutions (as LAPACK's xGERFS): of the shape of B without its rows, of the real type of B. Not for float16
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

    /// That there are bounds for this type.
    pub(crate) fn check(&self, a: &Input) -> Result<()> {
        if a.dtype() == Dtype::F16 && self.paths().iter().any(Option::is_some) {
            let fault = "holds float16, to which solutions are rounded in the end: for error bounds convert it, e.g. \
                         a.astype('float32')";
            return Err(Failure::input(a.path(), fault));
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

    /// Writes the solutions of the systems from number `first` on, by their factors, and their errors.
    pub(crate) fn solve(
        &self,
        (first, a, lu): (usize, &Batch<'_, T>, &Lu<T>),
        b: &Batch<'_, T>,
        to: &NpySink<T>,
    ) -> warplu::Result<Statuses> {
        let (n, batch, rhs) = (lu.n(), lu.batch(), b.cols());
        let mut x = wide(&lu.solve(b, Op::None)?.x.view());
        let (a, b) = (wide(a), wide(b));
        let (a, b) = (Batch::row_major(&a, batch, n, n)?, Batch::row_major(&b, batch, n, rhs)?);
        let bounds = lu.refine(&a, &b, &mut warplu::BatchMut::row_major(&mut x, batch, n, rhs)?, Op::None)?;
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

/// The matrices in the type of the arithmetic, in C order.
fn wide<T: Element>(a: &Batch<'_, T>) -> Vec<T::Scalar> {
    let (batch, rows, cols) = (a.batch(), a.rows(), a.cols());
    let all = (0..batch).flat_map(|b| (0..rows).flat_map(move |i| (0..cols).map(move |j| (b, i, j))));
    all.map(|(b, i, j)| a.get(b, i, j).widen()).collect()
}
