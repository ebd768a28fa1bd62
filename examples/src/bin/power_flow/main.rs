//! Which lines may a power grid lose? A Newton power flow for each outage of the IEEE 118-bus system, all in one batch.
//!
//! Some outages cut buses off, whose equations then have no solution. Such Jacobians need no care: their status says
//! that they are singular, or, where rounding has left them just beside that, their reciprocal condition number; and the
//! others of the batch have the results that they would have alone. `grid.rs` has the grid and its equations.
//!
//! `cargo run --release -p warplu-examples --bin power_flow`

mod grid;

use std::error::Error;

use rayon::prelude::*;
use warplu::{Batch, Device, Norm, Op};

use crate::grid::{BASE, Branch, Flow, Unknown};

/// MW that the intact grid loses, as MATPOWER has it for its `case118`.
const LOSSES: f64 = 132.863;

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::best();
    let (buses, branches) = (grid::buses()?, grid::branches()?);
    let angles = (0..buses.len()).filter(|i| buses[*i].kind != "slack").map(|i| (i, true));
    let magnitudes = (0..buses.len()).filter(|i| buses[*i].kind == "PQ").map(|i| (i, false));
    let unknowns: Vec<Unknown> = angles.chain(magnitudes).collect();
    let outages = std::iter::once(None).chain((0..branches.len()).map(Some));
    let mut open: Vec<_> = outages.map(|outage| Flow::new(&buses, &branches, outage)).collect();
    let n = unknowns.len();
    println!("{} power flows with {n} unknowns on {device}", open.len());

    let (mut solved, mut unsolved) = (Vec::new(), Vec::new());
    for step in 0..10 {
        let batch = open.len();
        let (mut a, mut b) = (vec![0.0; batch * n * n], vec![0.0; batch * n]);
        let each = open.par_iter().zip(a.par_chunks_exact_mut(n * n)).zip(b.par_chunks_exact_mut(n));
        let missing: Vec<f64> = each.map(|((flow, a), b)| flow.equations(&buses, &unknowns, a, b)).collect();
        let a = Batch::row_major(&a, batch, n, n)?;
        let lu = device.lu(&a)?;
        let conditions = lu.rcond(&a.norms(Norm::One)?)?;
        let x = lu.solve(&Batch::row_major(&b, batch, n, 1)?, Op::None)?.x;
        let (singular, nearly) = (lu.status().bad().count(), conditions.below(1e-12).count());
        println!("step {step}: {batch} Jacobians, {singular} singular, {nearly} nearly so");
        for (index, mut flow) in std::mem::take(&mut open).into_iter().enumerate() {
            if missing[index] < 1e-9 {
                solved.push(flow);
            } else if conditions.rcond[index] > 1e-12 {
                flow.step(&unknowns, x.matrix(index));
                open.push(flow);
            } else {
                unsolved.push(flow); // of a singular matrix it is 0
            }
        }
        if open.is_empty() {
            break;
        }
    }
    unsolved.append(&mut open); // no convergence

    let intact = solved.iter().find(|flow| flow.outage.is_none()).ok_or("no solution of the intact grid")?;
    let losses = BASE * (0..buses.len()).map(|i| intact.power(i).re).sum::<f64>();
    println!("losses of the intact grid: {losses:.3} MW");
    // Archived with three digits, and with a few other set points.
    let off: f64 = buses.iter().zip(&intact.voltage).map(|(bus, v)| (v.norm() - bus.solved_voltage).abs()).sum();
    let off = off / buses.len() as f64;
    println!("its voltages: {off:.4} off the archived ones, on average");
    let lowest = |flow: &&Flow| (flow.lowest_voltage() * 1e9) as i64;
    let worst = solved.iter().min_by_key(lowest).ok_or("no solution")?;
    let line = |k: usize| name(&branches[k]);
    println!(
        "lowest voltage: {:.3}, without line {}",
        worst.lowest_voltage(),
        worst.outage.map_or(String::new(), line)
    );
    let mut unsolved: Vec<_> = unsolved.iter().filter_map(|flow| flow.outage).collect();
    unsolved.sort_unstable();
    println!("no solution without line {}", unsolved.iter().map(|k| line(*k)).collect::<Vec<_>>().join(", "));

    if !((losses - LOSSES).abs() < 1e-2 && off < 1e-3) {
        return Err("the intact grid is not as it is in the literature".into());
    }
    if unsolved != (0..branches.len()).filter(|k| !grid::is_connected(&branches, *k)).collect::<Vec<_>>() {
        return Err("outages without a solution are not those that cut buses off".into());
    }
    Ok(())
}

fn name([from, to, ..]: &Branch) -> String {
    format!("{from}-{to}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn runs() {
        super::main().unwrap();
    }
}
