//! The steps of operations by many blocks: every element is updated by every column in turn, however the two lanes
//! overlap.

#![cfg(not(target_arch = "nvptx64"))]

use kernels_gpu::schedule::multi_block::COLUMNS;
use kernels_gpu::schedule::multi_block::args::{LISTS, PIVOT_ROWS, UNIT_DIAGONAL, UNIT_MATRIX, UPPER};
use kernels_gpu::schedule::multi_block::slab::division::Slabs;
use kernels_gpu::schedule::multi_block::steps::{Division, Kernel, Lane, Mark, Part, Step};

/// How far each element is.
struct State {
    division: Division,
    /// The columns of the matrix below which, or in a solution above which, it has been updated by all: shape (n,
    /// columns).
    done: Vec<Vec<u32>>,
    /// The columns after which each list of candidates was written.
    lists: [u32; LISTS as usize],
    /// The column that candidates are offered for, of a panel that is factored column by column.
    offered: Option<u32>,
}

impl State {
    fn new(division: Division, columns: u32) -> Self {
        let rows = division.n as usize;
        Self { division, done: vec![vec![0; columns as usize]; rows], lists: [0; LISTS as usize], offered: None }
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
            Kernel::Column => {
                let panel = (begin, end_column - begin);
                assert!(panel.0.is_multiple_of(COLUMNS) && (1..=COLUMNS).contains(&panel.1), "{panel:?}");
                assert_eq!((self.lists[list as usize], begin_row), (begin, begin));
                assert_ne!(list, next_list);
                assert_eq!(self.offered.take(), (column > begin).then(|| column - 1));
                if column > begin {
                    self.advance((column - 1, end_row), (column - 1, end_column), column - 1, column);
                }
                if column < end_column {
                    self.offered = Some(column);
                } else {
                    self.lists[next_list as usize] = end_column;
                }
            }
            Kernel::Slab => {
                assert_eq!(self.lists[list as usize], column);
                assert_ne!(list, next_list);
                self.lists[next_list as usize] = end_column;
                self.advance((column, self.division.n), (column, end_column), column, end_column);
            }
            Kernel::Triangle => self.advance((column, column + width), (begin, end_column), from, to),
            Kernel::Update => {
                assert!(list == PIVOT_ROWS || self.lists[list as usize] == column + width);
                self.advance((begin_row, end_row), (begin, end_column), from, to);
            }
            Kernel::Diagonal => self.advance((column, column + width), (column, end_column), column, column + width),
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

/// Orders; columns of a panel by a cluster, of a block of panels, and of a slab.
const DIVISIONS: [(u32, u32, u32, u32); 10] = [
    (1, 8, 32, 0),
    (33, 32, 32, 0),
    (100, 32, 64, 0),
    (300, 16, 128, 0),
    (513, 32, 256, 0),
    (600, 8, 192, 0),
    (1000, 32, 384, 0),
    (33, 32, 128, 64),
    (300, 32, 128, 96),
    (1500, 32, 256, 256), // so many rows that slabs begin later
];

/// With slabs of so many columns.
fn division((n, panel, block, columns): (u32, u32, u32, u32)) -> Division {
    let slabs = Slabs { lane_rows: [1, 0, 0], shared_bytes: 232_448, columns, ..Slabs::NONE };
    Division { n, panel, cluster_rows: u32::MAX, block, triangle: 128, slabs }
}

/// Runs the factorization beside some right-hand sides, and the solution with U.
fn check(division: Division) {
    let (n, end) = (division.n, division.first_rhs() + 32);
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

#[test]
fn every_element_is_updated_by_every_column() {
    for sizes in DIVISIONS {
        check(division(sizes));
    }
}

/// Where there are no clusters, or too many rows for those that there are, and where triangles are narrow.
#[test]
fn every_element_is_updated_by_every_column_by_itself() {
    for (n, block) in [(1, 32), (31, 32), (32, 64), (33, 32), (65, 128), (300, 96), (513, 128), (1000, 256)] {
        for (panel, cluster_rows, triangle) in [(32, 0, 128), (32, 0, 32), (8, n / 2, 64), (16, 200, 128)] {
            check(Division { cluster_rows, triangle, ..division((n, panel, block, 0)) });
        }
    }
    check(Division { cluster_rows: 600, ..division((1500, 32, 256, 256)) });
}

/// Those above the diagonal are, by every row before theirs.
#[test]
fn every_element_above_the_diagonal_is_updated() {
    for (n, block, triangle) in [(1, 128, 128), (33, 32, 32), (300, 128, 64), (513, 256, 128), (1000, 256, 64)] {
        let division = Division { triangle, ..division((n, 8, block, 0)) };
        for (first, together) in [(Lane::Main, 0), (Lane::Main, 8), (Lane::Panels, 8), (Lane::Panels, u64::MAX)] {
            let mut state = State::new(division, division.first_rhs());
            state.run(&division.cholesky(together), first);
            for (i, row) in (0..).zip(&state.done) {
                assert!(row[i as usize..n as usize].iter().all(|&done| done > i), "n = {n}, row {i}");
            }
        }
    }
}

/// A launch a column, one more a panel, and three pairs of others to bring the panels of 128 columns up to date.
#[test]
fn launches_of_columns() {
    let division = Division { cluster_rows: 0, ..division((128, 32, 128, 0)) };
    let count = |kernel| {
        let is_one = |step: &&Step| matches!(**step, Step::Launch(_, of, _) if of == kernel);
        division.factor(128).iter().filter(is_one).count()
    };
    assert_eq!([Kernel::Column, Kernel::Triangle, Kernel::Update].map(count), [4 * 33, 3, 3]);
}

#[test]
fn zeros_of_a_unit_matrix_are_left_out() {
    let division = division((600, 32, 128, 0));
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
