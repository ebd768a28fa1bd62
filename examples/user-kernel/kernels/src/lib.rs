//! What an implicit time step of stiff chemistry needs beside LU: a cell's matrix I - h J, its right-hand side, and the
//! step itself.
//!
//! The reactions are Robertson's, with rates of each cell's own: y1 -> y2, y2 + y2 -> y3 + y2, y2 + y3 -> y1 + y3.
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_gpu_kernel))]
#![allow(clippy::needless_range_loop, reason = "rows and columns are what the formulas have")]

use simt::global::Global;
use simt::{block, thread};

/// Species of a cell.
pub const SPECIES: usize = 3;

/// The argument of [`newton`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Newton {
    pub y: Global<f64>,        // shape (cells, 3)
    pub rates: Global<f64>,    // shape (cells, 3)
    pub matrices: Global<f64>, // shape (cells, 3, 3), C order
    pub rhs: Global<f64>,      // shape (cells, 3)
    pub cells: u64,
    pub h: f64,
}

/// The argument of [`advance`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Advance {
    pub y: Global<f64>,      // shape (cells, 3)
    pub step: Global<f64>,   // shape (cells, 3)
    pub status: Global<i32>, // shape (cells), warplu's
    pub cells: u64,
}

simt::kernels! {
    /// Writes I - h J and h f(y) of each cell, a thread a cell.
    pub fn newton(args: Newton) {
        let Some(cell) = cell(args.cells) else { return };
        let (y, k) = (args.y.offset(3 * cell), args.rates.offset(3 * cell));
        let (y2, y3) = (y.load(1), y.load(2));
        let (decay, pair, back) = (k.load(0), k.load(1) * y2, k.load(2));
        let f1 = back * y2 * y3 - decay * y.load(0);
        let f3 = pair * y2;
        let jacobian = [
            [-decay, back * y3, back * y2],
            [decay, -back * y3 - 2.0 * pair, -back * y2],
            [0.0, 2.0 * pair, 0.0],
        ];
        let (matrix, rhs) = (args.matrices.offset(9 * cell), args.rhs.offset(3 * cell));
        for i in 0..3 {
            for j in 0..3 {
                let one = if i == j { 1.0 } else { 0.0 };
                matrix.store((3 * i + j) as i64, one - args.h * jacobian[i][j]);
            }
        }
        rhs.store(0, args.h * f1);
        rhs.store(1, args.h * (-f1 - f3));
        rhs.store(2, args.h * f3);
    }

    /// Adds its step to each cell whose system was solved, a thread a cell.
    pub fn advance(args: Advance) {
        let Some(cell) = cell(args.cells) else { return };
        if args.status.load(cell) == 0 {
            for i in 3 * cell..3 * cell + 3 {
                args.y.store(i, args.y.load(i) + args.step.load(i));
            }
        }
    }
}

/// The cell of this thread; there are more threads than cells.
fn cell(cells: u64) -> Option<i64> {
    let cell = u64::from(block::index()) * u64::from(block::dim()) + u64::from(thread::index());
    (cell < cells).then_some(cell as i64)
}
