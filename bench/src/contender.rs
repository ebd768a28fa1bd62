//! What is measured: a library on a case.

use warplu::Element;
use warplu::resident::Stream;

use crate::failure::Result;
use crate::judge::Ends;

/// A library's way to do a case, ready to run.
pub(crate) trait Contender<T: Element> {
    /// Brings back the inputs that a run overwrites.
    fn restore(&mut self) -> Result<()>;

    /// Does the operation, or enqueues it.
    fn run(&mut self) -> Result<()>;

    /// What the last run made of the first and the last matrix.
    fn ends(&self) -> Result<Ends<T>>;

    /// Which of warplu's own kernels run.
    fn kernels(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Whether rows are exchanged for the sake of accuracy.
    fn pivots(&self) -> bool {
        true
    }

    /// Where the operation is enqueued, if it is.
    fn stream(&self) -> Option<&Stream>;
}

impl<T: Element> Contender<T> for Box<dyn Contender<T> + '_> {
    fn restore(&mut self) -> Result<()> {
        (**self).restore()
    }

    fn run(&mut self) -> Result<()> {
        (**self).run()
    }

    fn ends(&self) -> Result<Ends<T>> {
        (**self).ends()
    }

    fn kernels(&self) -> Vec<&'static str> {
        (**self).kernels()
    }

    fn pivots(&self) -> bool {
        (**self).pivots()
    }

    fn stream(&self) -> Option<&Stream> {
        (**self).stream()
    }
}
