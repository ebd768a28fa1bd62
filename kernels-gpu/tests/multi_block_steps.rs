//! The steps of operations by many blocks: every element is updated by every column in turn, however the two lanes
//! overlap.

#![cfg(not(target_arch = "nvptx64"))]

use kernels_gpu::schedule::multi_block::args::{LISTS, PIVOT_ROWS, UNIT_DIAGONAL, UNIT_MATRIX, UPPER};
use kernels_gpu::schedule::multi_block::steps::{Division, Kernel, Lane, Mark, Part, Step};

/// How far each element is.
struct State {
    division: Division,
    /// The columns of the matrix below which, or in a solution above which, it has been updated by all: shape (n,
    /// columns).
    done: Vec<Vec<u32>>,
    /// The columns after which each list of candidates was written.
    lists: [u32; LISTS as usize],
}

impl State {
    fn new(division: Division, columns: u32) -> Self {
        let rows = division.n as usize;
        Self { division, done: vec![vec![0; columns as usize]; rows], lists: [0; LISTS as usize] }
    }

    /// Elements that were at `from` are at `to`.
    fn advance(&mut self, rows: (u32, u32), columns: (u32, u32), from: u32, to: u32) {
        for row in &mut self.done[rows.0 as usize..rows.1 as usize] {
            for done in &mut row[columns.0 as usize..columns.1 as usize] {
                assert_eq!(*done, from, "before {rows:?} x {columns:?} are at {to}");
                *done = to;
            }
        }
    }

    fn launch(&mut self, kernel: Kernel, part: Part) {
        let Part { column, width, begin, end_column, begin_row, end_row, list, next_list, flags } = part;
        let (from, to) = if flags & UPPER == 0 { (column, column + width) } else { (column + width, column) };
        match kernel {
            Kernel::Panel => {
                let next = (column + self.division.panel).min(self.division.n);
                assert_eq!(self.lists[list as usize], column);
                assert_ne!(list, next_list);
                self.lists[next_list as usize] = next;
                // Its columns are up to date but for the block's own, in the candidates and in the block's pivot rows.
                self.advance((begin, self.division.n), (column, next), begin, next);
            }
            Kernel::Triangle => self.advance((column, column + width), (begin, end_column), from, to),
            Kernel::Update => {
                assert!(list == PIVOT_ROWS || self.lists[list as usize] == column + width);
                self.advance((begin_row, end_row), (begin, end_column), from, to);
            }
            Kernel::Pack | Kernel::Unpack => unreachable!("not a part of these operations"),
        }
    }

    /// Runs one lane as long as it need not wait for the other, and then the other one.
    fn run(&mut self, steps: &[Step], first: Lane) {
        let lane = |step: &Step| match *step {
            Step::Launch(lane, ..) | Step::Set(lane, _) | Step::Wait(lane, _) => lane,
        };
        let mut is_done = vec![false; steps.len()];
        let mut now = first;
        while let Some(any) = is_done.iter().position(|done| !done) {
            let own = steps.iter().enumerate().find(|&(i, step)| !is_done[i] && lane(step) == now).map(|(i, _)| i);
            let waits_for = own.and_then(|i| match steps[i] {
                Step::Wait(_, mark) => last_set(&steps[..i], mark).filter(|&set| !is_done[set]),
                _ => None,
            });
            match own {
                Some(i) if waits_for.is_none() => {
                    if let Step::Launch(_, kernel, part) = steps[i] {
                        self.launch(kernel, part);
                    }
                    is_done[i] = true;
                    now = if now == first { now } else { first };
                }
                _ => {
                    let other = lane(&steps[any]);
                    assert!(other != now || own.is_none(), "the lanes wait for each other");
                    now = if now == Lane::Main { Lane::Panels } else { Lane::Main };
                }
            }
        }
    }
}

fn last_set(steps: &[Step], mark: Mark) -> Option<usize> {
    steps.iter().rposition(|step| matches!(*step, Step::Set(_, set) if set == mark))
}

const DIVISIONS: [(u32, u32, u32); 7] =
    [(1, 8, 32), (33, 32, 32), (100, 32, 64), (300, 16, 128), (513, 32, 256), (600, 8, 192), (1000, 32, 384)];

#[test]
fn every_element_is_updated_by_every_column() {
    for (n, panel, block) in DIVISIONS {
        let division = Division { n, panel, block };
        let end = division.first_rhs() + 32;
        for first in [Lane::Main, Lane::Panels] {
            let mut state = State::new(division, end);
            state.run(&division.factor(end), first);
            for (i, row) in (0..).zip(&mut state.done) {
                let (matrix, rhs) = row.split_at_mut(division.first_rhs() as usize);
                assert!((0..n).zip(matrix).all(|(j, done)| *done > i.min(j)), "n = {n}, row {i}");
                assert!(rhs.iter().all(|&done| done > i), "n = {n}, row {i}");
                rhs.fill(n);
            }
            state.run(&division.solve_upper(division.first_rhs(), end, 0), first);
            for (i, row) in (0..).zip(&state.done) {
                assert!(row[division.first_rhs() as usize..].iter().all(|&done| done <= i), "n = {n}, row {i}");
            }
        }
    }
}

#[test]
fn zeros_of_a_unit_matrix_are_left_out() {
    let division = Division { n: 600, panel: 32, block: 128 };
    let first = division.first_rhs();
    let all = division.solve_lower(first, 2 * first, UNIT_DIAGONAL);
    let few = division.solve_lower(first, 2 * first, UNIT_DIAGONAL | UNIT_MATRIX);
    assert_eq!(all.len(), few.len());
    for (all, few) in all.iter().zip(&few) {
        let (Step::Launch(_, _, all), Step::Launch(_, _, few)) = (all, few) else { panic!("a mark") };
        assert_eq!(Part { end_column: all.end_column, ..*few }, *all);
        // Column j begins with row j.
        assert_eq!(few.end_column, (first + (few.column + few.width).next_multiple_of(32)).min(all.end_column));
    }
}
