//! Elements that the published kernels move to and from device memory, against their paper's expressions
//! (Journal of Software 34, 2023), for panels that divide the order.

use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::ScalarKind;
use papers::kernels::inverse::TriangleArgs;
use papers::kernels::inverse::columns::ColumnsArgs;
use papers::kernels::lu::{BlockLuArgs, interchange};
use papers::kernels::table;
use simt::Pod;
use simt::cpu::{Buffer, Memory};
use simt::global::Global;

use crate::common::batch::{array, launch_as};

const N: u32 = 96;
/// Columns of panels.
const PANELS: [u32; 3] = [8, 16, 24];

/// A matrix, its factors' place, room for an inverse, pivots and status in the emulator.
struct Machine {
    memory: Memory,
    lu: Buffer,
    w: Buffer,
    pivots: Buffer,
    status: Buffer,
}

impl Machine {
    /// With a matrix whose pivots lie anywhere.
    fn new() -> Self {
        let memory = Memory::new();
        let bytes = (N * N * 8) as usize;
        let (lu, w) = (memory.allocate(bytes), memory.allocate(bytes));
        let (pivots, status) = (memory.allocate(4 * N as usize), memory.allocate(4));
        let mut x = 1_u64;
        let numbers = (0..N * N).flat_map(|_| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((x >> 11) as f64 / (1_u64 << 53) as f64 - 0.5).to_le_bytes()
        });
        lu.write(0, &numbers.collect::<Vec<_>>()).unwrap();
        Self { memory, lu, w, pivots, status }
    }

    /// Global loads and stores of a launch over all of the matrix.
    fn moved<A: Copy + Send + Sync + 'static>(&self, kernel: &str, args: A) -> f64 {
        let entry = table::named(kernel, ScalarKind::F64).unwrap();
        let shape = entry.shape(&Problem { n: N, batch: 1, rhs: 1 });
        let traffic = launch_as(&self.memory, entry, shape, (N, 5), args);
        (traffic.global_loads + traffic.global_stores) as f64
    }

    fn factor(&self, kernel: &str, nb: u32, interchange: u32) -> f64 {
        let args = BlockLuArgs {
            lu: matrices::<f64>(&self.lu),
            pivots: array(&self.pivots),
            status: array(&self.status),
            first: 0,
            end: 1,
            n: N,
            interchange,
        };
        self.moved(&format!("{kernel}_nb{nb}"), args)
    }

    fn triangle(&self, kernel: &str, nb: u32) -> f64 {
        let args = TriangleArgs {
            lu: matrices::<f64>(&self.lu),
            w: matrices(&self.w),
            lu_status: array(&self.status),
            status: array(&self.status),
            first: 0,
            end: 1,
            n: N,
            panel: 0,
            panel_end: N / nb,
        };
        self.moved(&format!("{kernel}_nb{nb}"), args)
    }
}

/// The column-major matrix in a buffer.
fn matrices<T: Pod>(buffer: &Buffer) -> Matrices<T> {
    // SAFETY: null is for absent pointers.
    let pointers = unsafe { Global::new(0) };
    Matrices { base: array(buffer), pointers, batch_stride: i64::from(N * N), row_stride: 1, col_stride: i64::from(N) }
}

/// Asserts that a count is the paper's expression, or up to `spared` elements less, within 1 per cent.
#[track_caller]
fn assert_about(what: &str, moved: f64, paper: f64, spared: f64) {
    let margin = 0.01 * paper;
    assert!(moved < paper + margin && moved > paper - spared - margin, "{what}: {moved} elements, the paper's {paper}");
}

#[test]
fn block_lu_moves_what_the_paper_says() {
    let n = f64::from(N);
    for width in PANELS {
        let nb = f64::from(width);
        let left = n.powi(3) / (2.0 * nb) + 5.5 * n * n - 4.0 * nb * n;
        let right = 2.0 * n.powi(3) / (3.0 * nb) + 5.0 * n * n - 11.0 / 3.0 * nb * n;
        let delayed_saves = 2.0 * n * n - 2.0 * nb * n;
        let moved = |kernel, how| Machine::new().factor(kernel, width, how);
        for (kernel, paper) in [("left_looking", left), ("right_looking", right)] {
            let what = format!("{kernel}, nb = {nb}");
            assert_about(&what, moved(kernel, interchange::SEQUENTIAL), paper, 0.0);
            // A row that several interchanges of a panel move is stored once.
            assert_about(&what, moved(kernel, interchange::GROUPED), paper, 2.0 * n * nb);
        }
        let moved = moved("left_looking", interchange::DELAYED);
        assert_about(&format!("delayed, nb = {nb}"), moved, left - delayed_saves, 2.0 * n * nb);
    }
}

#[test]
fn inversion_moves_what_the_paper_says() {
    let n = f64::from(N);
    for width in PANELS {
        let nb = f64::from(width);
        let machine = Machine::new();
        machine.factor("left_looking", 8, interchange::DELAYED);
        // The paper counts half of W more, which these kernels know to be zero, and diagonal blocks as a whole.
        let (zeros, blocks) = (0.5 * n * n, n * nb);
        let upper = [
            ("upper_delayed", n.powi(3) / (6.0 * nb) + 0.75 * n * n + 7.0 / 12.0 * nb * n, blocks / 2.0),
            ("upper_timely", n.powi(3) / (3.0 * nb) + 1.5 * n * n + 2.0 / 3.0 * nb * n, zeros + blocks),
        ];
        let lower = [
            ("lower_delayed", n.powi(3) / (2.0 * nb) + 2.0 * n * n, zeros),
            ("lower_timely", n.powi(3) / nb + 1.5 * n * n, zeros),
        ];
        for (kernel, paper, spared) in upper.into_iter().chain(lower) {
            let moved = machine.triangle(kernel, width);
            assert_about(&format!("{kernel}, nb = {nb}"), moved, paper, spared);
        }
    }
}

#[test]
fn gathering_columns_moves_half_of_what_swapping_does() {
    let n = f64::from(N);
    let machine = Machine::new();
    machine.factor("left_looking", 8, interchange::DELAYED);
    let columns = |kernel| {
        let (x, inverse) = (matrices::<f64>(&machine.lu), matrices(&machine.w));
        let inverse = if kernel == "columns_swap" { x } else { inverse };
        let (pivots, status) = (array(&machine.pivots), array(&machine.status));
        machine.moved(kernel, ColumnsArgs { x, inverse, pivots, status, first: 0, end: 1, n: N })
    };
    // Each warp reads the pivots.
    assert_about("gather", columns("columns_gather"), 2.0 * n * n + n + n * n / 32.0, 0.0);
    // Each row's thread reads them.
    assert_about("swap", columns("columns_swap"), 4.0 * n * n + n * n, 10.0 * n);
}
