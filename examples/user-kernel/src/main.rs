//! Stiff chemistry in many cells, by the linearly implicit Euler method: each step solves (I - h J) d = h f(y) in every
//! cell. An own kernel writes the matrices and right-hand sides, warplu factors and solves them in place, another
//! kernel adds the steps, all in one stream and in the same buffers.
//!
//! `cargo run`: on a GPU if there is one. Without, the kernels run in the emulator, and warplu on the CPU.

use chemistry_kernels::{Advance, Newton, SPECIES, advance, newton};
use simt::global::Global;
use warplu::resident::{DeviceBatch, DeviceBatchMut, Grid, InPlace, LuPlan, LuSolvePlan, Module, Operands, Size, of};
use warplu::{Device, Error, Op};

/// What `build.rs` made of the kernels.
const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/kernels.ptx"));

const CELLS: usize = 200;
const STEPS: usize = 60;
/// Seconds.
const END: f64 = 40.0;

fn main() -> Result<(), Error> {
    let device = Device::best();
    println!("working on {device}");
    let stream = device.stream()?;
    // SAFETY: the PTX of the kernels' own source.
    let module = unsafe { Module::load(&device, PTX)? };
    let (newton, advance) = (module.kernel("newton", newton)?, module.kernel("advance", advance)?);
    let grid = Grid::covering(CELLS, 128)?;

    // The rates of the first cell are Robertson's, the others' faster.
    let rates: Vec<f64> = (0..CELLS).flat_map(|c| [0.04, 3e7, 1e4].map(|k| k * (1.0 + c as f64 / 1000.0))).collect();
    let (mut y, rates) = (device.upload(&[1.0_f64, 0.0, 0.0].repeat(CELLS))?, device.upload(&rates)?);
    let mut matrices = device.buffer::<f64>(CELLS * SPECIES * SPECIES)?;
    let mut step = device.buffer::<f64>(CELLS * SPECIES)?;
    let (mut factored, mut solved) = (device.buffer::<i32>(CELLS)?, device.buffer::<i32>(CELLS)?);
    let mut pivots = device.pivots(CELLS, SPECIES)?;
    let factor = LuPlan::<f64>::new(&device, Size::order(SPECIES).batch(CELLS))?;
    let solve = LuSolvePlan::<f64>::new(&device, Size::order(SPECIES).batch(CELLS))?;

    // Steps that grow with the time.
    let time = |k: usize| END * (k as f64 / STEPS as f64).powi(4);
    for k in 0..STEPS {
        let (cells, h) = (CELLS as u64, time(k + 1) - time(k));
        // SAFETY: the buffers have so many cells, and are the operands.
        unsafe {
            let args = Newton {
                y: Global::new(y.address()),
                rates: Global::new(rates.address()),
                matrices: Global::new(matrices.address()),
                rhs: Global::new(step.address()),
                cells,
                h,
            };
            let operands = Operands::new().reads(&y).reads(&rates).writes(&mut matrices).writes(&mut step);
            newton.launch(&stream, grid, args, operands)?;
        }
        let mut lu = DeviceBatchMut::row_major(&mut matrices, CELLS, SPECIES, SPECIES)?;
        factor.run(&stream, of::Lu { a: InPlace, lu: &mut lu, pivots: &mut pivots, status: &mut factored })?;
        let lu = DeviceBatch::row_major(&matrices, CELLS, SPECIES, SPECIES)?;
        let mut x = DeviceBatchMut::row_major(&mut step, CELLS, SPECIES, 1)?;
        solve.run(
            &stream,
            of::LuSolve {
                lu: &lu,
                pivots: &pivots,
                lu_status: &factored,
                op: Op::None,
                b: InPlace,
                x: &mut x,
                status: &mut solved,
            },
        )?;
        // SAFETY: as above.
        unsafe {
            let (from, status) = (Global::new(step.address()), Global::new(solved.address()));
            let args = Advance { y: Global::new(y.address()), step: from, status, cells };
            let operands = Operands::new().reads(&step).reads(&solved).writes(&mut y);
            advance.launch(&stream, grid, args, operands)?;
        }
    }

    // The copy waits for the stream's work on the buffer.
    let y = y.to_vec()?;
    println!("after {END} s the first cell has {:.4} {:.3e} {:.4}", y[0], y[1], y[2]);
    assert!((y[0] - 0.7158).abs() < 0.005, "Robertson's first species is 0.7158 then");
    let lost = y.chunks(SPECIES).map(|cell| (cell.iter().sum::<f64>() - 1.0).abs()).fold(0.0, f64::max);
    assert!(lost < 1e-10, "a cell has lost {lost:e}");
    Ok(())
}
