//! The steps of an operation, in order, for whoever launches them.

use super::COLUMNS;
use super::args::{
    COLUMNS_BY_PIVOT, HERMITIAN, NAN_WHERE_FAILED, PIVOT_ROWS, ROWS_BY_PIVOT, SIDES, UNIT_DIAGONAL, UNIT_MATRIX, UPPER,
};
use super::panel::catch_up::BLOCK_COLUMNS;
use super::slab::division::Slabs;
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
    /// [`slab`](super::slab::slab).
    Slab,
    /// [`panel`](super::panel::panel) of so many candidates.
    Panel,
    /// [`column`](fn@super::column::column) of a panel.
    Column,
    /// [`diagonal`](super::definite::diagonal::diagonal).
    Diagonal,
    /// [`triangle`](super::triangle::triangle).
    Triangle,
    /// [`update`](super::update::update), or that of [definite matrices](super::definite::update::update).
    Update,
    /// [`unpack`](super::unpack::unpack), or that of [definite matrices](super::definite::unpack::unpack).
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
    /// Columns of a panel that a cluster factors.
    pub panel: u32,
    /// Candidates that a cluster has lanes for at most. Where there are more, panels have [`COLUMNS`], and are factored
    /// column by column.
    pub cluster_rows: u32,
    /// Columns of a block of panels: a multiple of those of a panel and of [`COLUMNS`].
    pub block: u32,
    /// Columns of a triangle at most: a multiple of [`COLUMNS`].
    pub triangle: u32,
    /// Slabs, where candidates are few enough for them.
    pub slabs: Slabs,
}

/// Columns that are factored before what is right of them is updated, except for the next block.
#[derive(Clone, Copy)]
struct Block {
    /// The first one.
    k: u32,
    /// How many they are.
    width: u32,
    /// How many such blocks are left of it.
    number: u32,
}

impl Block {
    /// The column after the last.
    fn end(self) -> u32 {
        self.k + self.width
    }

    /// The list of candidates before it is factored: each outlasts the next one.
    fn list(self) -> u32 {
        2 + self.number % 2
    }

    /// The same afterwards.
    fn next_list(self) -> u32 {
        2 + (self.number + 1) % 2
    }
}

impl Division {
    /// PA = LU, and L^-1 P of the columns from [`Self::first_rhs`] to `end`.
    #[must_use]
    pub fn factor(&self, end: u32) -> Vec<Step> {
        let mut steps = vec![Step::Set(Lane::Main, Mark::Update), Step::Wait(Lane::Panels, Mark::Update)];
        let mut block = self.block(0, 0);
        self.factor_block(block, &mut steps);
        loop {
            let mark = Mark::Block(block.number % 2);
            steps.push(Step::Set(Lane::Panels, mark));
            let next = (block.end() < self.n).then(|| self.block(block.end(), block.number + 1));
            let mut rest = self.first_rhs();
            if let Some(next) = next {
                steps.push(Step::Wait(Lane::Panels, Mark::Update));
                rest = round_up(next.end(), COLUMNS);
                self.apply(Lane::Panels, block, (next.k, rest), &mut steps);
                self.factor_block(next, &mut steps);
            }
            steps.push(Step::Wait(Lane::Main, mark));
            self.apply(Lane::Main, block, (rest, end), &mut steps);
            steps.push(Step::Set(Lane::Main, Mark::Update));
            let Some(next) = next else { return steps };
            block = next;
        }
    }

    /// The first column of right-hand sides.
    #[must_use]
    pub fn first_rhs(&self) -> u32 {
        round_up(self.n, COLUMNS)
    }

    /// The block that begins at column `k`, after so many others.
    fn block(&self, k: u32, number: u32) -> Block {
        let left = self.n - k;
        let width = match self.slabs.width(left) {
            0 => self.width(k),
            slab => slab.min(left),
        };
        Block { k, width, number }
    }

    /// Columns of the block of panels that begins at column `k`.
    fn width(&self, k: u32) -> u32 {
        self.block.min(self.n - k)
    }

    /// Factors a block, which is up to date, in all candidates.
    fn factor_block(&self, block: Block, steps: &mut Vec<Step>) {
        let Block { k, width, .. } = block;
        let lists = (block.list(), block.next_list());
        if self.slabs.width(self.n - k) == 0 {
            self.panels((k, width), lists, self.n - k > self.cluster_rows, steps);
            return;
        }
        let (list, next_list) = lists;
        let rows = Part { begin_row: k, end_row: self.n, list, next_list, ..Part::default() };
        steps.push(Step::Launch(Lane::Panels, Kernel::Slab, Part { column: k, end_column: k + width, ..rows }));
    }

    /// The columns `k..k + width`, panel after panel; the lists of candidates before and after.
    fn panels(&self, (k, width): (u32, u32), (list, next_list): (u32, u32), by_columns: bool, steps: &mut Vec<Step>) {
        // Clusters apply the panels before; columns are brought up to date between panels.
        let (panel, together) = if by_columns { (COLUMNS, COLUMNS) } else { (self.panel, BLOCK_COLUMNS) };
        let within = |column: u32| column / panel % 2;
        let end_column = k + width;
        if width > together {
            let (left, middle) = (half(width, together), k + half(width, together));
            self.panels((k, left), (list, within(middle)), by_columns, steps);
            let rows = Part { begin_row: middle, end_row: self.n, list: within(middle), ..Part::default() };
            let part = Part { column: k, width: left, begin: middle, flags: UNIT_DIAGONAL, ..rows };
            self.solve(Lane::Panels, Part { end_column: round_up(end_column, COLUMNS), ..part }, steps);
            self.panels((middle, width - left), (within(middle), next_list), by_columns, steps);
            return;
        }
        let rows = Part { begin: k, begin_row: k, end_row: self.n, list, next_list, ..Part::default() };
        if by_columns {
            let launch = |column| Step::Launch(Lane::Panels, Kernel::Column, Part { column, end_column, ..rows });
            steps.extend((k..=end_column).map(launch));
            return;
        }
        for column in (k..end_column).step_by(panel as usize) {
            let next = column + panel;
            let part = Part {
                column,
                begin_row: column,
                list: if column == k { list } else { within(column) },
                next_list: if next >= end_column { next_list } else { within(next) },
                ..rows
            };
            steps.push(Step::Launch(Lane::Panels, Kernel::Panel, part));
        }
    }

    /// Applies a factored block to the columns `begin..end_column`: U12 = L11^-1 A12, A22 -= L21 U12.
    fn apply(&self, lane: Lane, block: Block, (begin, end_column): (u32, u32), steps: &mut Vec<Step>) {
        let rows = Part { begin_row: block.end(), end_row: self.n, list: block.next_list(), ..Part::default() };
        let part = Part { column: block.k, width: block.width, begin, end_column, flags: UNIT_DIAGONAL, ..rows };
        self.solve(lane, part, steps);
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
            self.solve(Lane::Main, Part { column, width: next - column, begin, end_column, flags, ..rows }, &mut steps);
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
            self.solve(Lane::Main, part, &mut steps);
        }
        steps
    }

    /// Solves with the triangle of a part, and subtracts its product from the other rows of the part.
    fn solve(&self, lane: Lane, part: Part, steps: &mut Vec<Step>) {
        if part.begin == part.end_column {
            return;
        }
        let Part { column, width, .. } = part;
        if width > self.triangle {
            let (left, middle) = (half(width, self.triangle), column + half(width, self.triangle));
            let of_left = Part { width: left, begin_row: middle, end_row: column + width, list: PIVOT_ROWS, ..part };
            let of_right = Part { column: middle, width: width - left, begin_row: column, end_row: middle, ..of_left };
            let (first, second) = if part.flags & UPPER == 0 { (of_left, of_right) } else { (of_right, of_left) };
            self.solve(lane, first, steps);
            self.solve(lane, Part { end_row: second.begin_row, ..second }, steps);
        } else {
            steps.push(Step::Launch(lane, Kernel::Triangle, part));
        }
        if part.begin_row < part.end_row {
            steps.push(Step::Launch(lane, Kernel::Update, part));
        }
    }
}

/// The first part of `width` columns, of which at most so many are for one launch, in whole times that.
fn half(width: u32, most: u32) -> u32 {
    round_up(width / 2, most)
}

/// The columns of the workspace that a matrix, or the right-hand sides, are packed to or unpacked from.
#[must_use]
pub fn copy(begin: u32, columns: u32, flags: u32) -> Part {
    Part { begin, end_column: begin + columns, flags, next_list: 2, ..Part::default() }
}

/// That to which definite matrices are packed, from their upper triangles; the list of pivot rows is that of all rows.
#[must_use]
pub fn copy_definite(n: u32) -> Part {
    Part { next_list: PIVOT_ROWS, ..copy(0, n, HERMITIAN) }
}

/// Flags of [`copy`] for factors from the workspace.
pub const FACTORS: u32 = ROWS_BY_PIVOT;
/// For solutions of A X = B.
pub const SOLUTIONS: u32 = ROWS_BY_PIVOT | NAN_WHERE_FAILED | SIDES;
/// For inverses that were solved for column by column, whose right residual is small.
pub const INVERSES: u32 = ROWS_BY_PIVOT | NAN_WHERE_FAILED | COLUMNS_BY_PIVOT;
/// For solutions of A^T X = B, of which rows stay where they are.
pub const TRANSPOSED_SOLUTIONS: u32 = NAN_WHERE_FAILED | SIDES;
