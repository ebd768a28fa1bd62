//! Preconditioning by blocks: one implicit step of chemistry and turbulent mixing in 48 x 48 cells of air, a plume of
//! exhaust among them.
//!
//! The matrix couples the 20 species of a cell by their chemistry, and each species with the four cells around by
//! mixing. Its entries are of 1e-14 to 1e14, so that an iterative method without a preconditioner gets nowhere; its
//! diagonal helps. The 20 x 20 blocks of the cells, factored once in one batch and applied by `Lu::solve_in_place`,
//! leave only the mixing to be found.
//!
//! `cargo run --release -p warplu-examples --bin block_jacobi`

use chemistry::kinetics::{jacobian, rates};
use chemistry::pollu::{NITROGEN, REFERENCE, SPECIES, constants, species};
use warplu::{Batch, BatchMut, Device, Error, Op};

const SIDE: usize = 48;
const CELLS: usize = SIDE * SIDE;
const BLOCK: usize = SPECIES * SPECIES;
/// A step of 5 minutes, cells of 250 m, an eddy diffusivity of 50 m^2/s.
const STEP: f64 = 5.0;
const MIXING: f64 = STEP * 60.0 * 50.0 / (250.0 * 250.0);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::best();
    let k = constants(298.0, 1.0);
    let y: Vec<f64> = (0..CELLS).flat_map(concentrations).collect();
    let cell = |y: &[f64], cell: usize| -> [f64; SPECIES] { std::array::from_fn(|i| y[cell * SPECIES + i]) };

    // (I - h J - h D) x = h (f(y) + D y): chemistry in the blocks, with what leaves a cell; mixing between them.
    let (mut blocks, mut b) = (vec![0.0; CELLS * BLOCK], mixed(&y));
    for (c, block) in blocks.chunks_exact_mut(BLOCK).enumerate() {
        let (f, jacobian) = (rates(&k, &cell(&y, c)), jacobian(&k, &cell(&y, c)));
        for i in 0..SPECIES {
            (0..SPECIES).for_each(|j| block[i * SPECIES + j] = f64::from(i == j) - STEP * jacobian[i][j]);
            block[i * SPECIES + i] += MIXING * neighbours(c).count() as f64;
            b[c * SPECIES + i] += STEP * f[i];
        }
    }
    let apply = |x: &[f64]| {
        let mut product = vec![0.0; x.len()];
        for (c, block) in blocks.chunks_exact(BLOCK).enumerate() {
            for (i, row) in block.chunks_exact(SPECIES).enumerate() {
                let own: f64 = row.iter().zip(&x[c * SPECIES..]).map(|(a, x)| a * x).sum();
                let others: f64 = neighbours(c).map(|other| x[other * SPECIES + i]).sum();
                product[c * SPECIES + i] = own - MIXING * others;
            }
        }
        product
    };
    println!("{} unknowns, {CELLS} blocks of {SPECIES} x {SPECIES}, on {device}", b.len());

    let report = |name: &str, (_, iterations, residual): &(Vec<f64>, usize, f64)| {
        println!("{name:<15} {iterations:>4} iterations, residual {residual:.1e}");
    };
    report("none:", &bicgstab(apply, |_| Ok(()), &b)?);
    let diagonal = |x: &mut [f64]| {
        let entry = |k: usize| blocks[k / SPECIES * BLOCK + k % SPECIES * (SPECIES + 1)];
        x.iter_mut().enumerate().for_each(|(k, x)| *x /= entry(k));
        Ok(())
    };
    let by_diagonal = bicgstab(apply, diagonal, &b)?;
    report("diagonal:", &by_diagonal);

    // Here is warplu.
    let lu = device.lu(&Batch::row_major(&blocks, CELLS, SPECIES, SPECIES)?)?.check()?;
    let by_blocks =
        |x: &mut [f64]| lu.solve_in_place(&mut BatchMut::row_major(x, CELLS, SPECIES, 1)?, Op::None).map(drop);
    let by_blocks = bicgstab(apply, by_blocks, &b)?;
    report("blocks:", &by_blocks);

    // Neither reactions nor mixing make or destroy nitrogen.
    let change = |x: &[f64]| x.iter().enumerate().map(|(k, x)| NITROGEN[k % SPECIES] * x).sum::<f64>();
    let imbalance = change(&by_blocks.0).abs() / change(&y);
    println!("nitrogen is balanced but for {imbalance:.1e}");
    let ok = by_blocks.2 < 1e-10 && by_blocks.1 <= 20 && by_diagonal.1 > 3 * by_blocks.1 && imbalance < 1e-9;
    if ok { Ok(()) } else { Err("blocks do not do what they should".into()) }
}

/// The air of the test problem after an hour, and exhaust in the middle.
fn concentrations(cell: usize) -> [f64; SPECIES] {
    let [row, column] = [cell / SIDE, cell % SIDE].map(|at| at as f64 - SIDE as f64 / 2.0);
    let exhaust = (-(row * row + column * column) / 8.0).exp();
    let mut y = REFERENCE;
    (y[species::NO], y[species::NO2]) = (y[species::NO] + 0.5 * exhaust, y[species::NO2] + 0.05 * exhaust);
    y
}

/// Up to four; nothing passes the outer boundary.
fn neighbours(cell: usize) -> impl Iterator<Item = usize> {
    let (row, column) = (cell / SIDE, cell % SIDE);
    let sides =
        [(row > 0, -(SIDE as isize)), (row + 1 < SIDE, SIDE as isize), (column > 0, -1), (column + 1 < SIDE, 1)];
    sides.into_iter().filter(|(is_there, _)| *is_there).map(move |(_, by)| cell.wrapping_add_signed(by))
}

/// What mixing brings to each cell, less what it takes away.
fn mixed(y: &[f64]) -> Vec<f64> {
    let at = |k: usize| {
        let differences = neighbours(k / SPECIES).map(|other| y[other * SPECIES + k % SPECIES] - y[k]);
        MIXING * differences.sum::<f64>()
    };
    (0..y.len()).map(at).collect()
}

/// BiCGSTAB (van der Vorst 1992), preconditioned from the right: the solution, iterations, and its relative residual.
fn bicgstab(
    apply: impl Fn(&[f64]) -> Vec<f64>,
    mut precondition: impl FnMut(&mut [f64]) -> Result<(), Error>,
    b: &[f64],
) -> Result<(Vec<f64>, usize, f64), Error> {
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let add = |x: &mut [f64], by: f64, y: &[f64]| x.iter_mut().zip(y).for_each(|(x, y)| *x += by * y);
    let mut solved = |x: &[f64]| {
        let mut x = x.to_vec();
        precondition(&mut x).map(|()| x)
    };
    let size = dot(b, b).sqrt();
    let (mut x, mut r, mut p, mut v) = (vec![0.0; b.len()], b.to_vec(), vec![0.0; b.len()], vec![0.0; b.len()]);
    let (mut rho, mut alpha, mut omega, mut iterations) = (1.0, 1.0, 1.0, 0);
    while dot(&r, &r).sqrt() > 1e-12 * size && iterations < 300 {
        let before = std::mem::replace(&mut rho, dot(b, &r));
        add(&mut p, -omega, &v);
        let beta = rho / before * (alpha / omega);
        p.iter_mut().zip(&r).for_each(|(p, r)| *p = r + beta * *p);
        let towards = solved(&p)?;
        v = apply(&towards);
        alpha = rho / dot(b, &v);
        add(&mut r, -alpha, &v);
        add(&mut x, alpha, &towards);
        let towards = solved(&r)?;
        let t = apply(&towards);
        omega = dot(&t, &r) / dot(&t, &t);
        add(&mut r, -omega, &t);
        add(&mut x, omega, &towards);
        iterations += 1;
    }
    // Not that of the recurrence, which drifts.
    let mut residual = apply(&x);
    add(&mut residual, -1.0, b);
    Ok((x, iterations, dot(&residual, &residual).sqrt() / size))
}

#[cfg(test)]
mod tests {
    #[test]
    fn runs() {
        super::main().unwrap();
    }
}
