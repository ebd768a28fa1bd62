//! Elements that the published kernels move to and from device memory, against their paper's expressions
//! (Journal of Software 34, 2023), for panels that divide the order.

#![cfg(all(feature = "papers", not(target_arch = "nvptx64")))]

#[path = "common/mod.rs"]
#[allow(dead_code)]
mod common;

use common::batch::{array, launch_as};
use kernels_gpu::entry::{Family, Variant};
use kernels_gpu::papers::inverse::TriangleArgs;
use kernels_gpu::papers::inverse::columns::ColumnsArgs;
use kernels_gpu::papers::lu::{BlockLuArgs, interchange};
use kernels_gpu::table;
use numbers::matrix::Matrices;
use numbers::problem::Problem;
use numbers::scalar::ScalarKind;
use simt::Pod;
use simt::cpu::{Buffer, Memory};
use simt::global::Global;

const N: u32 = 96;
const PANELS: [(u32, Variant); 3] =
    [(8, Variant::Panels { width: 8 }), (16, Variant::Panels { width: 16 }), (24, Variant::Panels { width: 24 })];

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
    fn moved<A: Copy + Send + Sync + 'static>(&self, family: Family, variant: Variant, args: A) -> f64 {
        let entry = table::find(family, variant, ScalarKind::F64).unwrap();
        let shape = entry.shape(&Problem { n: N, batch: 1, rhs: 1 });
        let traffic = launch_as(&self.memory, entry, shape, (N, 5), args);
        (traffic.global_loads + traffic.global_stores) as f64
    }

    fn factor(&self, family: Family, variant: Variant, interchange: u32) -> f64 {
        let args = BlockLuArgs {
            lu: matrices::<f64>(&self.lu),
            pivots: array(&self.pivots),
            status: array(&self.status),
            first: 0,
            end: 1,
            n: N,
            interchange,
        };
        self.moved(family, variant, args)
    }

    fn triangle(&self, family: Family, variant: Variant, nb: u32) -> f64 {
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
        self.moved(family, variant, args)
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
    for (width, variant) in PANELS {
        let nb = f64::from(width);
        let left = n.powi(3) / (2.0 * nb) + 5.5 * n * n - 4.0 * nb * n;
        let right = 2.0 * n.powi(3) / (3.0 * nb) + 5.0 * n * n - 11.0 / 3.0 * nb * n;
        let delayed_saves = 2.0 * n * n - 2.0 * nb * n;
        let moved = |family, how| Machine::new().factor(family, variant, how);
        for (family, paper) in [(Family::LeftLooking, left), (Family::RightLooking, right)] {
            let what = format!("{}, nb = {nb}", family.name());
            assert_about(&what, moved(family, interchange::SEQUENTIAL), paper, 0.0);
            // A row that several interchanges of a panel move is stored once.
            assert_about(&what, moved(family, interchange::GROUPED), paper, 2.0 * n * nb);
        }
        let moved = moved(Family::LeftLooking, interchange::DELAYED);
        assert_about(&format!("delayed, nb = {nb}"), moved, left - delayed_saves, 2.0 * n * nb);
    }
}

#[test]
fn inversion_moves_what_the_paper_says() {
    let n = f64::from(N);
    for (width, variant) in PANELS {
        let nb = f64::from(width);
        let machine = Machine::new();
        machine.factor(Family::LeftLooking, Variant::Panels { width: 8 }, interchange::DELAYED);
        // The paper counts half of W more, which these kernels know to be zero, and diagonal blocks as a whole.
        let (zeros, blocks) = (0.5 * n * n, n * nb);
        let upper = [
            (Family::UpperDelayed, n.powi(3) / (6.0 * nb) + 0.75 * n * n + 7.0 / 12.0 * nb * n, blocks / 2.0),
            (Family::UpperTimely, n.powi(3) / (3.0 * nb) + 1.5 * n * n + 2.0 / 3.0 * nb * n, zeros + blocks),
        ];
        let lower = [
            (Family::LowerDelayed, n.powi(3) / (2.0 * nb) + 2.0 * n * n, zeros),
            (Family::LowerTimely, n.powi(3) / nb + 1.5 * n * n, zeros),
        ];
        for (family, paper, spared) in upper.into_iter().chain(lower) {
            let moved = machine.triangle(family, variant, width);
            assert_about(&format!("{}, nb = {nb}", family.name()), moved, paper, spared);
        }
    }
}

#[test]
fn gathering_columns_moves_half_of_what_swapping_does() {
    let n = f64::from(N);
    let machine = Machine::new();
    machine.factor(Family::LeftLooking, Variant::Panels { width: 8 }, interchange::DELAYED);
    let columns = |variant| {
        let (x, inverse) = (matrices::<f64>(&machine.lu), matrices(&machine.w));
        let inverse = if variant == Variant::Swap { x } else { inverse };
        let (pivots, status) = (array(&machine.pivots), array(&machine.status));
        machine.moved(Family::Columns, variant, ColumnsArgs { x, inverse, pivots, status, first: 0, end: 1, n: N })
    };
    // Each warp reads the pivots.
    assert_about("gather", columns(Variant::Gather), 2.0 * n * n + n + n * n / 32.0, 0.0);
    // Each row's thread reads them.
    assert_about("swap", columns(Variant::Swap), 4.0 * n * n + n * n, 10.0 * n);
}
