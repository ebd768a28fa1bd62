//! The published algorithms, with their options.

use std::sync::{Mutex, PoisonError};

use warplu::Algorithm;
use warplu::extend::Other;

/// A published algorithm: an [`Algorithm`], as which a device is given it.
///
/// As text it is its name, and after a colon the options that differ from their defaults, which the associated
/// constants are.
///
/// ```
/// use papers::{Interchange, Published};
/// use warplu::Algorithm;
/// let algorithm: Published = "left-looking:nb=10,interchange=grouped".parse()?;
/// assert_eq!(algorithm, Published::LeftLooking { nb: 10, interchange: Interchange::Grouped });
/// assert_eq!(Algorithm::from(algorithm).name(), "left-looking");
/// assert_eq!(Published::BORDERING.to_string(), "bordering:block=auto");
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Published {
    /// Batched LU, left-looking by panels: a block a matrix, a thread a row, the panel in shared memory, the whole
    /// factorization in one launch. n as far as a panel fits in shared memory. (Journal of Software 34, 2023.)
    LeftLooking {
        /// Columns of a panel: 8, 10, 14, 16, 18, 24 or 32.
        nb: u32,
        /// How rows outside the panel are interchanged.
        interchange: Interchange,
    },
    /// The right-looking counterpart of [`LeftLooking`](Self::LeftLooking); its interchanges cannot be delayed.
    RightLooking {
        /// Columns of a panel: 8, 10, 14, 16, 18, 24 or 32.
        nb: u32,
        /// How rows outside the panel are interchanged: not [`Interchange::Delayed`].
        interchange: Interchange,
    },
    /// Batched inversion from LU: X U = I, then X L = U^-1, panel by panel, rows in registers and blocks of U and L in
    /// shared memory, then columns permuted. n as far as a panel fits in shared memory. (Journal of Software 34, 2023.)
    /// A call that factors first does so by [`LEFT_LOOKING`](Self::LEFT_LOOKING).
    Corrected {
        /// Columns of a panel: 8, 14, 16, 20, 24 or 28.
        nb: u32,
        /// When columns are corrected in the first step, for U.
        upper: Correction,
        /// When columns are corrected in the second step, for L.
        lower: Correction,
        /// How threads and shared memory are allocated.
        allocation: Allocation,
        /// How columns are permuted at the end.
        columns: Columns,
    },
    /// Gaussian elimination of the augmented system (A B), column by column, a launch a column, then back substitution.
    Elimination {
        /// Who eliminates what.
        strategy: Strategy,
        /// Threads of a block: 64, 128, 256, 512 or 1024.
        threads: u32,
        /// Whether rows are interchanged, as in LU with partial pivoting. Without, a leading block that is singular
        /// ends the elimination with [`Status::Singular`](warplu::Status::Singular).
        pivoting: bool,
    },
    /// Right-looking LU with partial pivoting column by column: a thread an element of the trailing matrix, in square
    /// tiles that stage the pivot row and the column of L in shared memory; then forward and backward substitution.
    ElementWise {
        /// Rows and columns of a tile: 8, 16 or 32; or `None`: 8 for n <= 512, 32 for n >= 8192, else 16.
        tile: Option<u32>,
    },
    /// Inversion of a symmetric (complex: Hermitian) matrix by bordering: the inverse of the leading block grows by a
    /// row, as in the paper, or by a block of rows, in products of matrices. Only the upper triangle is read. Rows are
    /// interchanged within a block at most: a leading block that is singular, of those that end where a block of rows
    /// does, ends it with [`Status::Singular`](warplu::Status::Singular) of that order, and one that is nearly so costs
    /// accuracy: positive definite matrices have none. (Computer Engineering and Design 36(8), 2015.)
    Bordering {
        /// Rows of a block: 1, 32, 64, 96, 128, 192 or 256; or `None`: 128, or 1 where there are no matrix instructions
        /// for more, which are those of compute capability 9.0.
        block: Option<u32>,
    },
}

/// How a block LU interchanges the rows outside its panel.
///
/// ```
/// use papers::{Interchange, Published};
/// let delayed = Published::LeftLooking { nb: 14, interchange: Interchange::Delayed };
/// assert_eq!(delayed, Published::LEFT_LOOKING);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interchange {
    /// One interchange after the other, a thread a column.
    Sequential,
    /// Groups of threads inside a warp take a column each and make all its interchanges together.
    Grouped,
    /// As [`Grouped`](Self::Grouped) left of the panel; right of it only when a later panel is loaded.
    Delayed,
}

/// When columns outside the current panel are corrected for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Correction {
    /// After each panel, all remaining columns (right-looking).
    Timely,
    /// Before each panel, its own columns for all finished ones (left-looking).
    Delayed,
}

/// How an inversion's threads and shared memory are allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Allocation {
    /// One launch for all panels, with what the largest needs.
    Static,
    /// A launch a panel, each with what it needs.
    Dynamic,
}

/// How the columns of an inverse are permuted at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Columns {
    /// One interchange after the other, in place.
    Swap,
    /// Each column is written to where it belongs.
    Gather,
}

/// Who eliminates what in [`Published::Elimination`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// A thread a row.
    Rows,
    /// A thread a row, with its factor in a register and the pivot row in shared memory.
    RowsShared,
    /// A block a row, threads over its columns.
    Columns,
    /// A block a row, with its factor in a register and the pivot row in shared memory.
    ColumnsShared,
}

impl Published {
    /// [`LeftLooking`](Self::LeftLooking) as its paper found it best.
    pub const LEFT_LOOKING: Self = Self::LeftLooking { nb: 14, interchange: Interchange::Delayed };
    /// [`RightLooking`](Self::RightLooking) with the same panel.
    pub const RIGHT_LOOKING: Self = Self::RightLooking { nb: 14, interchange: Interchange::Grouped };
    /// [`Corrected`](Self::Corrected) as its paper found it best.
    pub const CORRECTED: Self = Self::Corrected {
        nb: 16,
        upper: Correction::Delayed,
        lower: Correction::Delayed,
        allocation: Allocation::Dynamic,
        columns: Columns::Gather,
    };
    /// [`Elimination`](Self::Elimination) with a block a row, pivoting.
    pub const ELIMINATION: Self = Self::Elimination { strategy: Strategy::Columns, threads: 256, pivoting: true };
    /// [`ElementWise`](Self::ElementWise) with its paper's tiles.
    pub const ELEMENT_WISE: Self = Self::ElementWise { tile: None };
    /// [`Bordering`](Self::Bordering) by the blocks that were measured to be best.
    pub const BORDERING: Self = Self::Bordering { block: None };

    /// The name, without options.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::LeftLooking { .. } => "left-looking",
            Self::RightLooking { .. } => "right-looking",
            Self::Corrected { .. } => "corrected",
            Self::Elimination { .. } => "elimination",
            Self::ElementWise { .. } => "element-wise",
            Self::Bordering { .. } => "bordering",
        }
    }
}

impl From<Published> for Algorithm {
    fn from(published: Published) -> Self {
        // Each is kept for good, and once: there are a few hundred at most.
        static KNOWN: Mutex<Vec<&'static Published>> = Mutex::new(Vec::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.iter().find(|other| ***other == published).copied();
        Self::Other(Other::new(found.unwrap_or_else(|| {
            let new: &'static Published = Box::leak(Box::new(published));
            known.push(new);
            new
        })))
    }
}
