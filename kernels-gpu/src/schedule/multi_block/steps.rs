//! The steps of an operation, in order, for whoever launches them.

use super::args::{COLUMNS_BY_PIVOT, NAN_WHERE_FAILED, PIVOT_ROWS, ROWS_BY_PIVOT, UNIT_DIAGONAL, UNIT_MATRIX, UPPER};
use super::{COLUMNS, triangle};
use crate::shape::round_up;

/// Where a step is enqueued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// With most of the work.
    Main,
    /// Beside it: panels, and what they wait for.
    Panels,
}

/// A mark in one lane that the other one waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A block of panels is factored; those of even and odd number take turns.
    Block(u32),
    /// The columns right of the next block are updated.
    Update,
}

/// A kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// [`pack`](super::pack::pack) of the matrix.
    Pack,
    /// [`panel`](super::panel::panel) of so many candidates.
    Panel,
    /// [`triangle`](super::triangle::triangle).
    Triangle,
    /// [`update`](super::update::update).
    Update,
    /// [`unpack`](super::unpack::unpack).
    Unpack,
}

/// What a kernel works on: the fields of [`StepArgs`](super::StepArgs) of these names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Part {
    pub column: u32,
    pub width: u32,
    pub begin: u32,
    pub end_column: u32,
    pub begin_row: u32,
    pub end_row: u32,
    pub list: u32,
    pub next_list: u32,
    pub flags: u32,
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A launch.
    Launch(Lane, Kernel, Part),
    /// Sets a mark.
    Set(Lane, Mark),
    /// Waits for the mark that was set last.
    Wait(Lane, Mark),
}

/// How an operation is divided.
#[derive(Clone, Copy, Debug)]
pub struct Division {
    /// Order of the matrices.
    pub n: u32,
    /// Columns of a panel.
    pub panel: u32,
    /// Columns of a block of panels: a multiple of those of a panel and of [`COLUMNS`].
    pub block: u32,
}

impl Division {
    /// PA = LU, and L^-1 P of the columns from [`Self::first_rhs`] to `end`.
    #[must_use]
    pub fn factor(&self, end: u32) -> Vec<Step> {
        let (n, block) = (self.n, self.block);
        let mut steps = vec![Step::Set(Lane::Main, Mark::Update), Step::Wait(Lane::Panels, Mark::Update)];
        self.panels(0, self.width(0), &mut steps);
        for (o, k) in (0..n).step_by(block as usize).enumerate() {
            let (o, next) = (o as u32, k + self.width(k));
            steps.push(Step::Set(Lane::Panels, Mark::Block(o % 2)));
            let mut rest = self.first_rhs();
            if next < n {
                steps.push(Step::Wait(Lane::Panels, Mark::Update));
                rest = round_up(next + self.width(next), COLUMNS);
                self.apply(Lane::Panels, (k, next - k), (next, rest), &mut steps);
                self.panels(next, self.width(next), &mut steps);
            }
            steps.push(Step::Wait(Lane::Main, Mark::Block(o % 2)));
            self.apply(Lane::Main, (k, next - k), (rest, end), &mut steps);
            steps.push(Step::Set(Lane::Main, Mark::Update));
        }
        steps
    }

    /// The first column of right-hand sides.
    #[must_use]
    pub fn first_rhs(&self) -> u32 {
        round_up(self.n, COLUMNS)
    }

    /// Columns of the block that begins at column `k`.
    fn width(&self, k: u32) -> u32 {
        self.block.min(self.n - k)
    }

    /// The list of candidates when `columns` columns are done: those between blocks outlast the next block.
    fn list(&self, columns: u32) -> u32 {
        if columns.is_multiple_of(self.block) { 2 + columns / self.block % 2 } else { columns.div_ceil(self.panel) % 2 }
    }

    /// Factors the columns `k..k + width`, up to date, in all candidates.
    fn panels(&self, k: u32, width: u32, steps: &mut Vec<Step>) {
        if width > triangle::MAX_WIDTH {
            let left = half(width);
            self.panels(k, left, steps);
            self.apply(Lane::Panels, (k, left), (k + left, round_up(k + width, COLUMNS)), steps);
            self.panels(k + left, width - left, steps);
            return;
        }
        for column in (k..k + width).step_by(self.panel as usize) {
            let next = (column + self.panel).min(k + width);
            let (list, next_list) = (self.list(column), self.list(next));
            let part =
                Part { column, begin: k, begin_row: column, end_row: self.n, list, next_list, ..Part::default() };
            steps.push(Step::Launch(Lane::Panels, Kernel::Panel, part));
        }
    }

    /// Applies the factored columns `k..k + width` to the columns `begin..end`: U12 = L11^-1 A12, A22 -= L21 U12.
    fn apply(&self, lane: Lane, (k, width): (u32, u32), (begin, end_column): (u32, u32), steps: &mut Vec<Step>) {
        let rows = Part { begin_row: k + width, end_row: self.n, list: self.list(k + width), ..Part::default() };
        let part = Part { column: k, width, begin, end_column, flags: UNIT_DIAGONAL, ..rows };
        solve(lane, part, steps);
    }

    /// L^-1 of the columns `begin..end_column`, whose rows are those of the pivots. `flags`: [`UNIT_DIAGONAL`] or not.
    ///
    /// Of a unit matrix, the columns that are still zero are left out.
    #[must_use]
    pub fn solve_lower(&self, begin: u32, end_column: u32, flags: u32) -> Vec<Step> {
        let mut steps = Vec::new();
        for column in (0..self.n).step_by(self.block as usize) {
            let next = column + self.width(column);
            let end_column =
                if flags & UNIT_MATRIX == 0 { end_column } else { end_column.min(begin + round_up(next, COLUMNS)) };
            let rows = Part { begin_row: next, end_row: self.n, list: PIVOT_ROWS, ..Part::default() };
            let flags = flags & UNIT_DIAGONAL;
            solve(Lane::Main, Part { column, width: next - column, begin, end_column, flags, ..rows }, &mut steps);
        }
        steps
    }

    /// U^-1 of the columns `begin..end_column`, likewise.
    #[must_use]
    pub fn solve_upper(&self, begin: u32, end_column: u32, flags: u32) -> Vec<Step> {
        let mut steps = Vec::new();
        for column in (0..self.n).step_by(self.block as usize).rev() {
            let rows = Part { begin_row: 0, end_row: column, list: PIVOT_ROWS, ..Part::default() };
            let flags = UPPER | flags & UNIT_DIAGONAL;
            let part = Part { column, width: self.width(column), begin, end_column, flags, ..rows };
            solve(Lane::Main, part, &mut steps);
        }
        steps
    }
}

/// The first part of so many columns that are too many for one triangle.
fn half(width: u32) -> u32 {
    round_up(width / 2, triangle::MAX_WIDTH)
}

/// Solves with the triangle of a part, and subtracts its product from the other rows of the part.
fn solve(lane: Lane, part: Part, steps: &mut Vec<Step>) {
    if part.begin == part.end_column {
        return;
    }
    let Part { column, width, .. } = part;
    if width > triangle::MAX_WIDTH {
        let (left, middle) = (half(width), column + half(width));
        let of_left = Part { width: left, begin_row: middle, end_row: column + width, list: PIVOT_ROWS, ..part };
        let of_right = Part { column: middle, width: width - left, begin_row: column, end_row: middle, ..of_left };
        let (first, second) = if part.flags & UPPER == 0 { (of_left, of_right) } else { (of_right, of_left) };
        solve(lane, first, steps);
        solve(lane, Part { end_row: second.begin_row, ..second }, steps);
    } else {
        steps.push(Step::Launch(lane, Kernel::Triangle, part));
    }
    if part.begin_row < part.end_row {
        steps.push(Step::Launch(lane, Kernel::Update, part));
    }
}

/// The columns of the workspace that a matrix, or the right-hand sides, are packed to or unpacked from.
#[must_use]
pub fn copy(begin: u32, columns: u32, flags: u32) -> Part {
    Part { begin, end_column: begin + columns, flags, next_list: 2, ..Part::default() }
}

/// Flags of [`copy`] for factors from the workspace.
pub const FACTORS: u32 = ROWS_BY_PIVOT;
/// For solutions of A X = B.
pub const SOLUTIONS: u32 = ROWS_BY_PIVOT | NAN_WHERE_FAILED;
/// For inverses that were solved for column by column, whose right residual is small.
pub const INVERSES: u32 = SOLUTIONS | COLUMNS_BY_PIVOT;
