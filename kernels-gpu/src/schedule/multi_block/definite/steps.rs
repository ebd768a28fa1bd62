//! The steps of the factorization, in order.

use crate::schedule::multi_block::args::PIVOT_ROWS;
use crate::schedule::multi_block::definite::diagonal;
use crate::schedule::multi_block::steps::{Division, Kernel, Lane, Mark, Part, Step};

impl Division {
    /// A = U^H U, in blocks of `block` rows, a multiple of the columns of a triangle. While the rows below the next block
    /// are updated by one, that is factored beside them.
    ///
    /// Up to `together` tiles of 32 columns beside a block on the diagonal, what factors that solves for them, too: each
    /// tile factors the block anew.
    #[must_use]
    pub fn cholesky(&self, together: u64) -> Vec<Step> {
        let mut steps = vec![Step::Set(Lane::Main, Mark::Update), Step::Wait(Lane::Panels, Mark::Update)];
        let mut block = (0, self.block.min(self.n));
        self.factor_definite(block, together, &mut steps);
        for number in 0.. {
            let mark = Mark::Block(number % 2);
            steps.push(Step::Set(Lane::Panels, mark));
            let next = (block.1 < self.n).then(|| (block.1, (block.1 + self.block).min(self.n)));
            if let Some(next) = next {
                steps.push(Step::Wait(Lane::Panels, Mark::Update));
                self.update_definite(Lane::Panels, block, next, &mut steps);
                self.factor_definite(next, together, &mut steps);
            }
            steps.push(Step::Wait(Lane::Main, mark));
            let Some(next) = next else { break };
            self.update_definite(Lane::Main, block, (next.1, self.n), &mut steps);
            steps.push(Step::Set(Lane::Main, Mark::Update));
            block = next;
        }
        steps
    }

    /// The rows of U from `begin` to `end`, which are up to date.
    fn factor_definite(&self, (begin, end): (u32, u32), together: u64, steps: &mut Vec<Step>) {
        for column in (begin..end).step_by(self.triangle as usize) {
            let next = (column + self.triangle).min(end);
            let part = Part { column, width: next - column, begin: next, end_column: next, ..Part::default() };
            let beside = Part { end_column: if next < self.n { self.first_rhs() } else { next }, ..part };
            if next == self.n || diagonal::tiles(beside.end_column - next) <= together {
                steps.push(Step::Launch(Lane::Panels, Kernel::Diagonal, beside));
            } else {
                steps.push(Step::Launch(Lane::Panels, Kernel::Diagonal, part));
                steps.push(Step::Launch(Lane::Panels, Kernel::Triangle, beside));
            }
            self.update_definite(Lane::Panels, (column, next), (next, end), steps);
        }
    }

    /// Updates the rows `begin..end` by those of U from `column` to `next`.
    fn update_definite(&self, lane: Lane, (column, next): (u32, u32), (begin, end): (u32, u32), steps: &mut Vec<Step>) {
        if begin < end {
            let rows = Part { begin_row: begin, end_row: end, list: PIVOT_ROWS, ..Part::default() };
            let part = Part { column, width: next - column, begin, end_column: self.first_rhs(), ..rows };
            steps.push(Step::Launch(lane, Kernel::Update, part));
        }
    }
}
