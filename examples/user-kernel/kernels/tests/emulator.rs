//! The kernels in the emulator, and what it says of others that are wrong.

use chemistry_kernels::{Advance, Newton, SPECIES, advance, newton};
use simt::cpu::{Fault, FaultKind, Launch, Memory, run};
use simt::global::Global;
use simt::{block, thread};

const CELLS: usize = 100;

fn launch(kernel: &str) -> Launch<'_> {
    Launch { kernel, grid: 4, cluster: 1, block: 32, shared_bytes: 0, seed: 7 }
}

/// Runs a kernel that advances cells, for what it leaves in y, or its fault.
fn advanced(kernel: impl Fn(Advance) + Sync) -> Result<Vec<f64>, Fault> {
    let memory = Memory::new();
    let (y, step) = (memory.upload(&[1.0; CELLS * SPECIES]), memory.upload(&[0.5; CELLS * SPECIES]));
    let status: Vec<i32> = (0..CELLS as i32).map(|cell| cell % 2).collect();
    let status = memory.upload(&status);
    // SAFETY: the arrays have so many cells; what a kernel does wrong with them the emulator says.
    let args = unsafe {
        let (y, step) = (Global::new(y.address()), Global::new(step.address()));
        Advance { y, step, status: Global::new(status.address()), cells: CELLS as u64 }
    };
    run(&memory, &launch("advance"), || kernel(args))?;
    Ok(y.to_vec())
}

#[test]
fn matrices_are_those_of_robertson() {
    let memory = Memory::new();
    let y: Vec<f64> = (0..CELLS).flat_map(|cell| [1.0, 0.01 * cell as f64, 0.5]).collect();
    let rates = [0.04, 3e7, 1e4].repeat(CELLS);
    let (y_buffer, rates_buffer) = (memory.upload(&y), memory.upload(&rates));
    let (matrices, rhs) = (memory.allocate(8 * 9 * CELLS), memory.allocate(8 * 3 * CELLS));
    let h = 1e-3;
    // SAFETY: the arrays have so many cells.
    let args = unsafe {
        Newton {
            y: Global::new(y_buffer.address()),
            rates: Global::new(rates_buffer.address()),
            matrices: Global::new(matrices.address()),
            rhs: Global::new(rhs.address()),
            cells: CELLS as u64,
            h,
        }
    };
    // SAFETY: as it is written for, a thread a cell.
    run(&memory, &launch("newton"), || unsafe { newton(args) }).unwrap();
    let (matrices, rhs) = (matrices.to_vec::<f64>(), rhs.to_vec::<f64>());
    for cell in 0..CELLS {
        let y2 = y[3 * cell + 1];
        let sums = |column: usize| (0..3).map(|row| matrices[9 * cell + 3 * row + column]).sum::<f64>();
        // Nothing is lost: the columns of J and f(y) add up to zero, and so those of I - h J to one.
        assert!((0..3).all(|column| (sums(column) - 1.0).abs() < 1e-9), "cell {cell}");
        assert!(rhs[3 * cell..][..3].iter().sum::<f64>().abs() < 1e-9);
        assert_eq!(matrices[9 * cell], 1.0 + h * 0.04);
        assert!((matrices[9 * cell + 7] + h * 6e7 * y2).abs() < 1e-9 * (1.0 + h * 6e7 * y2));
    }
}

#[test]
fn cells_advance_where_their_system_was_solved() {
    // SAFETY: as it is written for, a thread a cell.
    let y = advanced(|args| unsafe { advance(args) }).unwrap();
    let expected = |i: usize| if (i / SPECIES).is_multiple_of(2) { 1.5 } else { 1.0 };
    assert!(y.iter().enumerate().all(|(i, &y)| y == expected(i)), "{y:?}");
}

/// A kernel that forgets which block it is in: all blocks advance the first cells.
#[test]
fn a_race_is_caught() {
    let fault = advanced(|args| {
        let cell = i64::from(thread::index());
        args.y.store(cell, args.y.load(cell) + args.step.load(cell));
    })
    .unwrap_err();
    assert_eq!((fault.kind, fault.site.file.as_str()), (FaultKind::Race, file!()), "{fault}");
    assert!(fault.other.is_some_and(|other| other.block != fault.site.block));
}

/// A kernel that forgets that the last block has more threads than there are cells.
#[test]
fn an_access_out_of_bounds_is_caught() {
    let fault = advanced(|args| {
        let cell = i64::from(block::index() * block::dim() + thread::index());
        args.y.store(3 * cell, 0.0);
    })
    .unwrap_err();
    assert_eq!(fault.kind, FaultKind::OutOfBounds, "{fault}");
}
