//! `cargo xtask targets --cpu`: warplu beside the fastest of the CPU's libraries, and beside what the CPU allows.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use crate::error::{Error, List};
use crate::floor::{Limits, floor, mean};
use crate::measurements::{Library, Measurements, Place, Row, WRONG};

const OPS: [&str; 6] = ["lu", "solve", "inv", "det", "lu-solve", "lu-inv"];
const DTYPES: [&str; 4] = ["f32", "f64", "c32", "c64"];
/// What the tables call the other libraries.
const MARKS: [(Library, char); 4] =
    [(Library::Faer, 'F'), (Library::Nalgebra, 'N'), (Library::Openblas, 'O'), (Library::Mkl, 'K')];
/// The orders of the means.
const RANGES: [RangeInclusive<u32>; 4] = [2..=4, 8..=64, 65..=128, 129..=1024];

/// A line of the tables: indices of operation and type, and how the matrices lie.
type Name = (usize, usize, String);
/// The cells of each line, by order.
type Lines<'a> = BTreeMap<Name, BTreeMap<u32, Cell<'a>>>;

/// What was measured of an order.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell<'a> {
    batch: u64,
    rhs: u32,
    /// The first that has it.
    file: &'a Path,
    /// Seconds of a matrix.
    ours: f64,
    peer: (char, f64),
    floor: f64,
}

pub(crate) fn run(files: &[PathBuf], measured: &[Measurements], limits: &Limits) -> Result<(), Error> {
    let files = files.iter().zip(measured);
    let lines = lines(files.flat_map(|(path, file)| file.rows.iter().map(move |row| (path.as_path(), row))), limits)?;
    if lines.is_empty() {
        return Err(Error::NoCpuPeers);
    }
    say!("{}\n{}", table(&lines), means(&lines).trim_end());
    Ok(())
}

/// Of rows and their files. An order may have one batch only: times of a matrix depend on it.
fn lines<'a>(rows: impl Iterator<Item = (&'a Path, &'a Row)>, limits: &Limits) -> Result<Lines<'a>, Error> {
    let mut cases: BTreeMap<_, (&Path, Vec<&Row>)> = BTreeMap::new();
    let on_cpu = |row: &Row| matches!(row.place, Place::Host | Place::Into);
    let is_right = |row: &Row| row.ratio.is_none_or(|ratio| ratio < WRONG);
    for (file, row) in rows.filter(|(_, row)| on_cpu(row) && is_right(row)) {
        if let Some(name) = name(row) {
            cases.entry((name, row.n, row.batch, row.rhs)).or_insert_with(|| (file, Vec::new())).1.push(row);
        }
    }
    let mut lines = Lines::new();
    for ((name, n, batch, rhs), (file, case)) in cases {
        let floor = floor(OPS[name.0], DTYPES[name.1], n, rhs, limits);
        let best = |library| fastest(&case, library).map(|seconds| seconds / batch as f64);
        let peers = MARKS.iter().filter_map(|&(library, mark)| Some((mark, best(library)?)));
        if let (Some(ours), Some(peer)) = (best(Library::Warplu), peers.min_by(|a, b| a.1.total_cmp(&b.1))) {
            let cell = Cell { batch, rhs, file, ours, peer, floor };
            let what = format!("{}, n = {n},", title(&name));
            if let Some(other) = lines.entry(name).or_default().insert(n, cell) {
                let row = |cell: Cell<'_>| format!("{}: batch {}, rhs {}", cell.file.display(), cell.batch, cell.rhs);
                return Err(Error::Clash { case: what, rows: List(vec![row(other), row(cell)]) });
            }
        }
    }
    Ok(lines)
}

fn name(row: &Row) -> Option<Name> {
    let op = OPS.iter().position(|op| *op == row.op)?;
    Some((op, DTYPES.iter().position(|dtype| *dtype == row.dtype)?, row.layout.clone()))
}

/// Seconds of a library's fastest way that pivots.
fn fastest(case: &[&Row], library: Library) -> Option<f64> {
    let pivots = |row: &&&Row| !row.algorithm.as_deref().is_some_and(|algorithm| algorithm.ends_with("no pivoting"));
    let rows = case.iter().filter(|row| row.library == library).filter(pivots);
    rows.filter_map(|row| Some(row.seconds?.median)).min_by(f64::total_cmp)
}

/// What a line is called.
fn title((op, dtype, layout): &Name) -> String {
    let layout = if layout == "c" { ", by rows" } else { "" };
    format!("{} {}{layout}", OPS[*op], DTYPES[*dtype])
}

/// A line for each operation and type, a column for each order.
fn table(lines: &Lines<'_>) -> String {
    let orders: BTreeSet<_> = lines.values().flat_map(BTreeMap::keys).collect();
    let heads = orders.iter().map(|n| format!(" n = {n} |")).collect::<String>();
    let mut text = format!("| us a matrix, speed-up, over floor |{heads}\n|{}\n", "---|".repeat(1 + orders.len()));
    for (name, cells) in lines {
        let cells = orders.iter().map(|n| cells.get(n).map_or(" |".to_owned(), cell)).collect::<String>();
        text += &format!("| {} |{cells}\n", title(name));
    }
    let legend = MARKS.map(|(library, mark)| format!("{mark}: {}", library.title())).join(", ");
    text + &format!("\n{legend}\n")
}

fn cell(cell: &Cell<'_>) -> String {
    let Cell { ours, peer: (mark, theirs), floor, .. } = cell;
    format!(" {:.3}, {:.2} {mark}, {:.1} |", ours * 1e6, theirs / ours, ours / floor)
}

/// Geometric means of speed-ups, and of times over floors, over ranges of orders.
fn means(lines: &Lines<'_>) -> String {
    let heads = RANGES.map(|range| format!(" n = {}..{} |", range.start(), range.end())).concat();
    let mut text = format!("| means: speed-up, over floor |{heads}\n|{}\n", "---|".repeat(1 + RANGES.len()));
    for (name, cells) in lines {
        let cells = RANGES.map(|range| {
            let of = |value: fn(&Cell<'_>) -> f64| mean(cells.range(range.clone()).map(|(_, cell)| value(cell)));
            let (speedup, over) = (of(|cell| cell.peer.1 / cell.ours), of(|cell| cell.ours / cell.floor));
            speedup.zip(over).map_or(" |".to_owned(), |(speedup, over)| format!(" {speedup:.2}, {over:.1} |"))
        });
        text += &format!("| {} |{}\n", title(name), cells.concat());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurements::tests::{file, row};

    /// Calls `check` with the lines of rows.
    fn with_lines(rows: &[String], check: impl FnOnce(Result<Lines<'_>, Error>)) {
        let rows: Vec<_> = rows.iter().map(|row| row.replace("\"device\"", "\"into\"")).collect();
        let file = file("", &rows);
        check(lines(file.rows.iter().map(|row| (Path::new("cpu.json"), row)), &Limits::H200));
    }

    #[test]
    fn the_fastest_that_pivots_counts() {
        let ours = [row("warplu", "auto", 8, 2.0, 1.0), row("warplu", "auto", 8, 1.0, 1.0)];
        let peers = [
            row("faer", "", 8, 4.0, 1.0),
            row("mkl", "getrf", 8, 5.0, 1.0),
            row("mkl", "batched", 8, 3.0, 1.0),
            row("mkl", "compact, no pivoting", 8, 0.1, 1.0),
            row("nalgebra", "LU", 8, 4.5, 1.0),
            row("nalgebra", "cofactors, no pivoting", 8, 0.2, 1.0),
        ];
        with_lines(&[ours.to_vec(), peers.to_vec()].concat(), |found| {
            let found = found.unwrap();
            let cell = found.values().next().and_then(|cells| cells.get(&8)).unwrap();
            assert_eq!((cell.batch, cell.peer.0), (10, 'K'));
            assert!((cell.ours - 1e-4).abs() < 1e-12 && (cell.peer.1 - 3e-4).abs() < 1e-12, "{cell:?}");
            let (table, means) = (table(&found), means(&found));
            assert!(table.contains("| lu f64 | 100.000, 3.00 K, "), "{table}");
            assert!(means.contains("| lu f64 | | 3.00, "), "{means}");
        });
        with_lines(&ours, |found| assert!(found.unwrap().is_empty()));
    }

    #[test]
    fn two_batches_of_an_order_are_an_error() {
        let few = |row: String| row.replace("\"batch\": 10", "\"batch\": 2");
        let rows = [row("warplu", "auto", 8, 1.0, 1.0), row("openblas", "getrf", 8, 2.0, 1.0)];
        with_lines(&[rows.to_vec(), rows.map(few).to_vec()].concat(), |found| {
            let error = found.unwrap_err().to_string();
            for part in ["lu f64, n = 8,", "cpu.json: batch 2, rhs 0", "cpu.json: batch 10, rhs 0"] {
                assert!(error.contains(part), "{error}");
            }
        });
    }
}
