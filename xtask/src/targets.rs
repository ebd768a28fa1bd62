//! `cargo xtask targets`: warplu beside the best of the other libraries, and beside what the hardware allows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::cpu_targets;
use crate::cusolverdx::Ratios;
use crate::error::Error;
use crate::floor::{Limits, floor, mean};
use crate::measurements::{self, Library, Measurements, Row, WRONG};

/// The operations, in the order of the tables.
const OPS: [&str; 3] = ["lu", "inv", "solve"];
const DTYPES: [&str; 5] = ["f16", "f32", "f64", "c32", "c64"];
/// The orders of the means.
const ORDERS: std::ops::RangeInclusive<u32> = 33..=190;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// JSON of `warplu bench` and of bench/peers.py; several are merged
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Compare what was measured on a CPU; bandwidth and flops are to be those of it
    #[arg(long, requires_all = ["bandwidth", "gemm_f32", "gemm_f64"])]
    cpu: bool,
    #[command(flatten)]
    limits: Limits,
}

/// What rows that can be compared have in common: indices of operation and type, order, batch and right-hand sides.
type Key = (usize, usize, u32, u64, u32);

/// A case of which warplu and another library were measured.
#[derive(Debug)]
struct Line {
    key: Key,
    ours: f64,
    peer: (String, f64),
    floor: f64,
}

pub(crate) fn run(args: &Args) -> Result<(), Error> {
    let measured = measurements::read_all(&args.files)?;
    if args.cpu {
        return cpu_targets::run(&args.files, &measured, &args.limits);
    }
    let rows: Vec<Row> = measured.into_iter().flat_map(|file| file.rows).collect();
    let lines = lines(&rows, &Ratios::read()?, &args.limits);
    if lines.is_empty() {
        return Err(Error::NoPeers);
    }
    say!("{}\n{}", tables(&lines), means(&lines).trim_end());
    Ok(())
}

/// The lines of all cases, sorted.
fn lines(rows: &[Row], ratios: &Ratios, limits: &Limits) -> Vec<Line> {
    let mut cases: BTreeMap<Key, Vec<&Row>> = BTreeMap::new();
    let is_right = |row: &&Row| row.ratio.is_none_or(|ratio| ratio < WRONG);
    for row in rows.iter().filter(is_right).filter(|row| row.place.as_deref() == Some("device")) {
        if let Some(key) = key(row) {
            cases.entry(key).or_default().push(row);
        }
    }
    let line = |(&key, case): (&Key, &Vec<&Row>)| {
        let auto = |row: &&&Row| row.library == Library::Warplu && row.algorithm.as_deref() == Some("auto");
        let ours = case.iter().filter(auto).filter_map(|row| seconds(row)).min_by(f64::total_cmp)?;
        // A factorization has no right-hand sides.
        let lu = cases.get(&(0, key.1, key.2, key.3, 0)).map_or(&[][..], Vec::as_slice);
        let peers = peers(OPS[key.0], case, lu, ratios);
        let peer = peers.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
        let floor = key.3 as f64 * floor(OPS[key.0], DTYPES[key.1], key.2, key.4, limits);
        Some(Line { key, ours, peer, floor })
    };
    cases.iter().filter_map(line).collect()
}

fn key(row: &Row) -> Option<Key> {
    let index = |names: &[&str], name: &str| names.iter().position(|known| *known == name);
    Some((index(&OPS, &row.op)?, index(&DTYPES, &row.dtype)?, row.n, row.batch, row.rhs))
}

fn seconds(row: &Row) -> Option<f64> {
    row.seconds.map(|seconds| seconds.median)
}

/// The other libraries' ways to do a case, with their seconds; `lu` are the factorizations of the same matrices.
fn peers(op: &str, case: &[&Row], lu: &[&Row], ratios: &Ratios) -> Vec<(String, f64)> {
    let mut peers: Vec<_> = case.iter().filter_map(|row| Some((peer_name(row)?.to_owned(), seconds(row)?))).collect();
    let cublas = |rows: &[&Row], algorithm: &str| {
        let row = rows.iter().find(|row| row.library == Library::Cublas && row.algorithm.as_deref() == Some(algorithm));
        row.and_then(|row| seconds(row))
    };
    let getrf = cublas(lu, "getrf");
    match op {
        "lu" | "solve" => peers.extend(case.first().zip(getrf).and_then(|(row, getrf)| {
            // It was measured with one right-hand side.
            let ratio = ratios.at(op, &row.dtype, row.n).filter(|_| row.rhs <= 1)?;
            Some(("cuSOLVERDx (estimate)".to_owned(), getrf * ratio))
        })),
        _ => {
            // Whoever inverts may take the factors from another library.
            let inverse = cublas(case, "getrf+getri");
            let others = peers_of_lu(lu, ratios).into_iter();
            peers.extend(others.filter_map(|(name, factors)| {
                let getri = inverse? - getrf?;
                (getri > 0.0).then(|| (format!("{name} + cuBLAS getri"), factors + getri))
            }));
        }
    }
    peers
}

fn peers_of_lu(lu: &[&Row], ratios: &Ratios) -> Vec<(String, f64)> {
    peers("lu", lu, lu, ratios).into_iter().filter(|(name, _)| name != "cuBLAS").collect()
}

fn peer_name(row: &Row) -> Option<&'static str> {
    match row.library {
        Library::Cublas if row.algorithm.as_deref() == Some("matinv") => Some("cuBLAS matinv"),
        Library::Cublas | Library::Cusolver | Library::Magma => Some(row.library.name()),
        Library::Torch => Some("cuSOLVER"),
        Library::Warplu | Library::Serial | Library::Paper => None,
        Library::Faer | Library::Nalgebra | Library::Openblas | Library::Mkl => None,
    }
}

/// Of a point: its order and batch, and how many times as fast as the fastest other library warplu is there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Speedup {
    pub(crate) n: u32,
    pub(crate) batch: u64,
    pub(crate) times: f64,
}

/// Each operation's speed-ups in a type, by ascending order; an error where there are none.
pub(crate) fn speedups(files: &[Measurements], dtype: &str) -> Result<Vec<(&'static str, Vec<Speedup>)>, Error> {
    let rows: Vec<Row> = files.iter().flat_map(|file| file.rows.iter().cloned()).collect();
    let lines = lines(&rows, &Ratios::read()?, &Limits::H200);
    let of = |(index, op): (usize, &'static str)| {
        let lines = lines.iter().filter(|line| line.key.0 == index && DTYPES[line.key.1] == dtype);
        let speedup = |line: &Line| Speedup { n: line.key.2, batch: line.key.3, times: line.peer.1 / line.ours };
        (op, lines.map(speedup).collect::<Vec<_>>())
    };
    let speedups: Vec<_> = OPS.into_iter().enumerate().map(of).filter(|(_, points)| !points.is_empty()).collect();
    if speedups.is_empty() { Err(Error::NoPeers) } else { Ok(speedups) }
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

/// A table of each operation: a row for each order, three columns for each type.
fn tables(lines: &[Line]) -> String {
    let mut text = String::new();
    for (index, op) in OPS.into_iter().enumerate() {
        let of: Vec<_> = lines.iter().filter(|line| line.key.0 == index).collect();
        let dtypes: BTreeSet<_> = of.iter().map(|line| line.key.1).collect();
        let cases: BTreeSet<_> = of.iter().map(|line| (line.key.2, line.key.3, line.key.4)).collect();
        if of.is_empty() {
            continue;
        }
        let heads = dtypes.iter().map(|&dtype| format!(" {0} ms | {0} speed-up | {0} over floor |", DTYPES[dtype]));
        text += &format!("| {op}: n | batch |{}\n", heads.collect::<String>());
        text += &format!("|{}\n", "---|".repeat(2 + 3 * dtypes.len()));
        for (n, batch, rhs) in cases {
            let cells = dtypes.iter().map(|&dtype| {
                let line = of.iter().find(|line| line.key == (index, dtype, n, batch, rhs));
                line.map_or(" | | |".to_owned(), |line| {
                    let Line { ours, peer: (name, theirs), floor, .. } = line;
                    format!(" {:.4} | {:.2} {} | {:.2} |", ours * 1e3, theirs / ours, mark(name), ours / floor)
                })
            });
            text += &format!("| {n} | {batch} |{}\n", cells.collect::<String>());
        }
        text += "\n";
    }
    let legend = MARKS.map(|(name, letter)| format!("{letter}: {name}")).join(", ");
    text + &format!("{legend}; +: its factors, and cuBLAS getri\n")
}

/// Geometric means over the orders that count, of each operation: of speed-ups, and of times over floors.
fn means(lines: &[Line]) -> String {
    let (first, last) = (ORDERS.start(), ORDERS.end());
    let dtypes: BTreeSet<_> = lines.iter().map(|line| line.key.1).collect();
    let heads = dtypes.iter().map(|&dtype| format!(" {} |", DTYPES[dtype])).collect::<String>();
    let mut text = format!("| geometric means, n = {first}..{last} |{heads} all | all over floor |\n");
    text += &format!("|{}\n", "---|".repeat(3 + dtypes.len()));
    for (index, op) in OPS.into_iter().enumerate() {
        let of: Vec<_> = lines.iter().filter(|line| line.key.0 == index && ORDERS.contains(&line.key.2)).collect();
        if of.is_empty() {
            continue;
        }
        let speedup = |line: &Line| line.peer.1 / line.ours;
        let cells = dtypes.iter().map(|&dtype| {
            let mean = mean(of.iter().filter(|line| line.key.1 == dtype).map(|line| speedup(line)));
            mean.map_or(" |".to_owned(), |mean| format!(" {mean:.2} |"))
        });
        let cells = cells.collect::<String>();
        let all = mean(of.iter().map(|line| speedup(line))).unwrap_or(f64::NAN);
        let over = mean(of.iter().map(|line| line.ours / line.floor)).unwrap_or(f64::NAN);
        text += &format!("| {op} |{cells} {all:.2} | {over:.2} |\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurements::tests::{file, row};

    fn lines_of(rows: &[String]) -> Vec<Line> {
        lines(&file("", rows).rows, &Ratios::read().unwrap(), &Limits::H200)
    }

    #[test]
    fn the_best_peer_is_the_fastest() {
        let rows = [row("warplu", "auto", 190, 2.0, 1.0), row("warplu", "kernel:getrf_global", 190, 1.0, 1.0)];
        let peers = [row("cublas", "getrf", 190, 8.0, 1.0), row("magma", "", 190, 6.0, 1.0)];
        let found = lines_of(&[rows.to_vec(), peers.to_vec()].concat());
        let [line] = &found[..] else { panic!("{found:?}") };
        assert_eq!(line.peer, ("MAGMA".to_owned(), 6e-3));
        let (tables, means) = (tables(&found), means(&found));
        assert!(
            tables.contains("| lu: n | batch | f64 ms |") && tables.contains("| 190 | 10 | 2.0000 | 3.00 M |"),
            "{tables}"
        );
        assert!(means.contains("| lu | 3.00 | 3.00 |"), "{means}");
        assert!(lines_of(&rows).is_empty());
        let speedups = speedups(&[file("", &[rows.to_vec(), peers.to_vec()].concat())], "f64").unwrap();
        assert_eq!(speedups, [("lu", vec![Speedup { n: 190, batch: 10, times: 6e-3 / 2e-3 }])]);
    }

    #[test]
    fn cusolverdx_is_estimated_from_getrf() {
        let rows = [row("warplu", "auto", 64, 1.0, 1.0), row("cublas", "getrf", 64, 2.54, 1.0)];
        let found = lines_of(&rows);
        assert_eq!(found[0].peer.0, "cuSOLVERDx (estimate)");
        assert!((found[0].peer.1 - 1.49e-3).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn an_inverse_may_take_the_fastest_factors() {
        let inv = |row: String| row.replace("\"lu\"", "\"inv\"");
        let rows = [
            inv(row("warplu", "auto", 190, 5.0, 1.0)),
            inv(row("cublas", "getrf+getri", 190, 10.0, 1.0)),
            row("cublas", "getrf", 190, 4.0, 1.0),
            row("magma", "", 190, 3.0, 1.0),
        ];
        let found = lines_of(&rows);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].peer.0.as_str(), mark(&found[0].peer.0).as_str()), ("MAGMA + cuBLAS getri", "M+"));
        assert!((found[0].peer.1 - 9e-3).abs() < 1e-12);
    }
}
