//! `cargo xtask targets`: warplu beside the best of the other libraries, and beside what the hardware allows.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::comparison::{self, Comparison, DTYPES, OPS};
use crate::cpu_targets;
use crate::cusolverdx::Ratios;
use crate::error::Error;
use crate::floor::{Limits, floor, mean};
use crate::measurements;

/// The orders of the means.
const ORDERS: std::ops::RangeInclusive<u32> = 33..=190;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// JSON of `warplu-bench` and of bench/peers.py; several are merged
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Compare what was measured on a CPU; bandwidth and flops are to be those of it
    #[arg(long, requires_all = ["bandwidth", "gemm_f32", "gemm_f64"])]
    cpu: bool,
    #[command(flatten)]
    limits: Limits,
}

pub(crate) fn run(args: &Args) -> Result<(), Error> {
    let measured = measurements::read_all(&args.files)?;
    if args.cpu {
        return cpu_targets::run(&args.files, &measured, &args.limits);
    }
    let compared = comparison::compare(comparison::on_device(&measured), &Ratios::read()?);
    if compared.is_empty() {
        return Err(Error::NoPeers);
    }
    say!("{}\n{}", tables(&compared, &args.limits), means(&compared, &args.limits).trim_end());
    Ok(())
}

/// What the tables call the other libraries.
const MARKS: [(&str, &str); 5] =
    [("cuBLAS", "B"), ("cuBLAS matinv", "V"), ("MAGMA", "M"), ("cuSOLVER", "S"), ("cuSOLVERDx (estimate)", "X")];

/// A library's letter, with `+` where its factors go to cuBLAS for the inverse.
fn mark(peer: &str) -> String {
    let (name, plus) = peer.strip_suffix(" + cuBLAS getri").map_or((peer, ""), |name| (name, "+"));
    let letter = MARKS.iter().find(|(known, _)| *known == name).map_or(name, |(_, letter)| letter);
    format!("{letter}{plus}")
}

/// warplu's time over what the hardware allows.
fn over_floor(point: &Comparison, limits: &Limits) -> f64 {
    let case = point.case;
    point.ours / (case.batch as f64 * floor(OPS[case.op], DTYPES[case.dtype], case.n, case.rhs, limits))
}

/// A table of each operation and number of right-hand sides: a row for each order, three columns for each type.
fn tables(compared: &[Comparison], limits: &Limits) -> String {
    let mut text = String::new();
    let kinds: BTreeSet<_> = compared.iter().map(|point| (point.case.op, point.case.rhs)).collect();
    for kind in kinds {
        let of = || compared.iter().filter(|point| (point.case.op, point.case.rhs) == kind);
        let dtypes: BTreeSet<_> = of().map(|point| point.case.dtype).collect();
        let sizes: BTreeSet<_> = of().map(|point| (point.case.n, point.case.batch)).collect();
        let heads = dtypes.iter().map(|&dtype| format!(" {0} ms | {0} speed-up | {0} over floor |", DTYPES[dtype]));
        let sides = if kind.1 > 1 { format!(", {} right-hand sides", kind.1) } else { String::new() };
        text += &format!("| {}{sides}: n | batch |{}\n", OPS[kind.0], heads.collect::<String>());
        text += &format!("|{}\n", "---|".repeat(2 + 3 * dtypes.len()));
        for size in sizes {
            let cells = dtypes.iter().map(|&dtype| {
                let mut found = of().filter(|point| (point.case.n, point.case.batch) == size);
                found.find(|point| point.case.dtype == dtype).map_or(" | | |".to_owned(), |point| {
                    let (ms, letter) = (point.ours * 1e3, mark(&point.peer.0));
                    format!(" {ms:.4} | {:.2} {letter} | {:.2} |", point.speedup(), over_floor(point, limits))
                })
            });
            text += &format!("| {} | {} |{}\n", size.0, size.1, cells.collect::<String>());
        }
        text += "\n";
    }
    let legend = MARKS.map(|(name, letter)| format!("{letter}: {name}")).join(", ");
    text + &format!("{legend}; +: its factors, and cuBLAS getri\n")
}

/// Geometric means over the orders that count, of each operation: of speed-ups, and of times over floors.
fn means(compared: &[Comparison], limits: &Limits) -> String {
    let (first, last) = (ORDERS.start(), ORDERS.end());
    let dtypes: BTreeSet<_> = compared.iter().map(|point| point.case.dtype).collect();
    let heads = dtypes.iter().map(|&dtype| format!(" {} |", DTYPES[dtype])).collect::<String>();
    let mut text = format!("| geometric means, n = {first}..{last} |{heads} all | all over floor |\n");
    text += &format!("|{}\n", "---|".repeat(3 + dtypes.len()));
    for (index, op) in OPS.into_iter().enumerate() {
        let counts = |point: &&Comparison| point.case.op == index && ORDERS.contains(&point.case.n);
        let of: Vec<_> = compared.iter().filter(counts).collect();
        if of.is_empty() {
            continue;
        }
        let cells = dtypes.iter().map(|&dtype| {
            let points = of.iter().filter(|point| point.case.dtype == dtype);
            mean(points.map(|point| point.speedup())).map_or(" |".to_owned(), |mean| format!(" {mean:.2} |"))
        });
        let cells = cells.collect::<String>();
        let all = mean(of.iter().map(|point| point.speedup())).unwrap_or(f64::NAN);
        let over = mean(of.iter().map(|point| over_floor(point, limits))).unwrap_or(f64::NAN);
        text += &format!("| {op} |{cells} {all:.2} | {over:.2} |\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurements::tests::{file, row};

    #[test]
    fn tables_have_speedups_and_means() {
        let lu = [
            row("warplu", "auto", 190, 2.0, 1.0),
            row("cublas", "getrf", 190, 8.0, 1.0),
            row("magma", "", 190, 6.0, 1.0),
        ];
        let sides =
            |row: &String| row.replace("\"op\": \"lu\"", "\"op\": \"lu-solve\"").replace("\"rhs\": 0", "\"rhs\": 64");
        let rows = [lu.to_vec(), lu.iter().map(sides).collect()].concat();
        let compared = comparison::compare(comparison::on_device(&[file("", &rows)]), &Ratios::read().unwrap());
        let (tables, means) = (tables(&compared, &Limits::H200), means(&compared, &Limits::H200));
        for expected in
            ["| lu: n | batch | f64 ms |", "| 190 | 10 | 2.0000 | 3.00 M |", "| lu-solve, 64 right-hand sides: n |"]
        {
            assert!(tables.contains(expected), "{tables}");
        }
        assert!(means.contains("| lu | 3.00 | 3.00 |"), "{means}");
    }

    #[test]
    fn libraries_have_letters() {
        assert_eq!((mark("MAGMA + cuBLAS getri").as_str(), mark("cuBLAS matinv").as_str()), ("M+", "V"));
    }
}
