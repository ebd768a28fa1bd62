//! How the work on one matrix is cut up and done.

use super::lanes::Isa;
use crate::parallel;

/// Results differ by rounding only, and not at all by `parallel`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Params {
    /// Columns that are factored without products of matrices.
    pub(super) panel: usize,
    /// Unknowns of a triangular system that are substituted without products of matrices.
    pub(super) block: usize,
    /// Whether products are added up before they are subtracted, where solutions are wanted rather than factors. One by
    /// one, each would be rounded to what it is subtracted from, and those of complex numbers twice.
    pub(super) apart: bool,
    /// Whether parts of one matrix are worked on by many threads.
    pub(super) parallel: bool,
    /// The instructions.
    pub(super) isa: Isa,
}

impl Default for Params {
    fn default() -> Self {
        Self { panel: 16, block: 16, apart: false, parallel: false, isa: Isa::detect() }
    }
}

impl Params {
    /// Where a triangle of order n is cut in two.
    pub(super) fn half(self, n: usize) -> usize {
        n.div_ceil(2).next_multiple_of(self.block.max(1)).min(n - 1)
    }

    /// Does two things, at once where there are threads for it.
    pub(super) fn join(self, a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
        if self.parallel {
            parallel::both(a, b);
        } else {
            a();
            b();
        }
    }
}
