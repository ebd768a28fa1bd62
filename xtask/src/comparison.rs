//! warplu beside the fastest of the other libraries, case by case.

use std::collections::BTreeMap;

use crate::cusolverdx::Ratios;
use crate::error::Error;
use crate::measurements::{Library, Measurements, Place, Row, WRONG};

/// The operations, in the order of tables.
pub(crate) const OPS: [&str; 5] = ["lu", "inv", "solve", "lu-inv", "lu-solve"];
/// The types, likewise.
pub(crate) const DTYPES: [&str; 5] = ["f16", "f32", "f64", "c32", "c64"];

/// The fewest matrices of which cuSOLVERDx is as far from cuBLAS as in the batches of 10,000 that were measured, with one
/// right-hand side each.
const DX_BATCH: u64 = 1000;

/// What rows that can be compared have in common: indices of operation and type, order, batch and right-hand sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Case {
    pub(crate) op: usize,
    pub(crate) dtype: usize,
    pub(crate) n: u32,
    pub(crate) batch: u64,
    pub(crate) rhs: u32,
}

/// A case of which warplu and another library were measured.
#[derive(Debug)]
pub(crate) struct Comparison {
    pub(crate) case: Case,
    /// Seconds of warplu's own choice, for many matrices or for few.
    pub(crate) ours: f64,
    /// The fastest other library, and its seconds.
    pub(crate) peer: (String, f64),
}

impl Comparison {
    /// How many times as fast as the other library warplu is.
    pub(crate) fn speedup(&self) -> f64 {
        self.peer.1 / self.ours
    }
}

/// The comparisons of rows from the same memory, sorted by case.
pub(crate) fn compare<'a>(rows: impl IntoIterator<Item = &'a Row>, ratios: &Ratios) -> Vec<Comparison> {
    let mut cases: BTreeMap<Case, Vec<&Row>> = BTreeMap::new();
    for row in rows.into_iter().filter(|row| row.ratio.is_none_or(|ratio| ratio < WRONG)) {
        if let Some(case) = case(row) {
            cases.entry(case).or_default().push(row);
        }
    }
    let compare = |(&case, rows): (&Case, &Vec<&Row>)| {
        let is_choice = |row: &&&Row| {
            row.library == Library::Warplu && matches!(row.algorithm.as_deref(), Some("auto" | "latency"))
        };
        let ours = rows.iter().filter(is_choice).filter_map(|row| seconds(row)).min_by(f64::total_cmp)?;
        let others = |case: Case| cases.get(&case).map_or(&[][..], Vec::as_slice);
        // A factorization has no right-hand sides.
        let mut peers = peers(OPS[case.op], rows, others(Case { op: 0, rhs: 0, ..case }), ratios);
        if case.batch > 1 {
            peers.extend(one_by_one(others(Case { batch: 1, ..case }), case.batch));
        }
        let peer = peers.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(Comparison { case, ours, peer })
    };
    cases.iter().filter_map(compare).collect()
}

/// The rows measured in the memory of a GPU.
pub(crate) fn on_device(files: &[Measurements]) -> impl Iterator<Item = &Row> {
    files.iter().flat_map(|file| &file.rows).filter(|row| row.place == Place::Device)
}

fn case(row: &Row) -> Option<Case> {
    let index = |names: &[&str], name: &str| names.iter().position(|known| *known == name);
    let (op, dtype) = (index(&OPS, &row.op)?, index(&DTYPES, &row.dtype)?);
    Some(Case { op, dtype, n: row.n, batch: row.batch, rhs: row.rhs })
}

fn seconds(row: &Row) -> Option<f64> {
    row.seconds.map(|seconds| seconds.median)
}

/// cuSOLVER on so many matrices, which it does not take as a batch: so many times its time of one.
fn one_by_one(one: &[&Row], batch: u64) -> Option<(String, f64)> {
    let seconds = one.iter().filter(|row| row.library == Library::Cusolver).filter_map(|row| seconds(row));
    seconds.min_by(f64::total_cmp).map(|seconds| ("cuSOLVER".to_owned(), seconds * batch as f64))
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
            let is_alike = row.rhs <= 1 && row.batch >= DX_BATCH;
            let ratio = ratios.at(op, &row.dtype, row.n).filter(|_| is_alike)?;
            Some(("cuSOLVERDx (estimate)".to_owned(), getrf * ratio))
        })),
        "inv" => {
            // Whoever inverts may take the factors from another library.
            let inverse = cublas(case, "getrf+getri");
            let others = peers_of_lu(lu, ratios).into_iter();
            peers.extend(others.filter_map(|(name, factors)| {
                let getri = inverse? - getrf?;
                (getri > 0.0).then(|| (format!("{name} + cuBLAS getri"), factors + getri))
            }));
        }
        _ => {}
    }
    peers
}

fn peers_of_lu(lu: &[&Row], ratios: &Ratios) -> Vec<(String, f64)> {
    peers("lu", lu, lu, ratios).into_iter().filter(|(name, _)| name != "cuBLAS").collect()
}

fn peer_name(row: &Row) -> Option<&'static str> {
    match row.library {
        Library::Cublas if row.algorithm.as_deref() == Some("matinv") => Some("cuBLAS matinv"),
        Library::Torch if row.place == Place::Device => Some("cuSOLVER"),
        Library::Cublas | Library::Cusolver | Library::Magma | Library::Torch => Some(row.library.title()),
        Library::Faer | Library::Nalgebra | Library::Openblas | Library::Mkl => None,
        Library::Warplu | Library::Serial | Library::Paper => None,
    }
}

/// Of a point: its order and batch, and how many times as fast as the fastest other library warplu is there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Speedup {
    pub(crate) n: u32,
    pub(crate) batch: u64,
    pub(crate) times: f64,
}

/// Each operation's speed-ups in a type, on a GPU's memory, by ascending order; an error where there are none.
pub(crate) fn speedups(files: &[Measurements], dtype: &str) -> Result<Vec<(&'static str, Vec<Speedup>)>, Error> {
    let compared = compare(on_device(files), &Ratios::read()?);
    let of = |(index, op): (usize, &'static str)| {
        let points = compared.iter().filter(|point| point.case.op == index && DTYPES[point.case.dtype] == dtype);
        let speedup = |point: &Comparison| Speedup { n: point.case.n, batch: point.case.batch, times: point.speedup() };
        (op, points.map(speedup).collect::<Vec<_>>())
    };
    let speedups: Vec<_> = OPS.into_iter().enumerate().map(of).filter(|(_, points)| !points.is_empty()).collect();
    if speedups.is_empty() { Err(Error::NoPeers) } else { Ok(speedups) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurements::tests::{file, row};

    fn compared(rows: &[String]) -> Vec<Comparison> {
        compare(on_device(&[file("", rows)]), &Ratios::read().unwrap())
    }

    #[test]
    fn the_best_peer_is_the_fastest() {
        let rows = [row("warplu", "auto", 190, 2.0, 1.0), row("warplu", "kernel:getrf_global", 190, 1.0, 1.0)];
        let peers = [row("cublas", "getrf", 190, 8.0, 1.0), row("magma", "", 190, 6.0, 1.0)];
        let all = [rows.to_vec(), peers.to_vec()].concat();
        let found = compared(&all);
        let [point] = &found[..] else { panic!("{found:?}") };
        assert_eq!(point.peer, ("MAGMA".to_owned(), 6e-3));
        assert!(compared(&rows).is_empty());
        let speedups = speedups(&[file("", &all)], "f64").unwrap();
        assert_eq!(speedups, [("lu", vec![Speedup { n: 190, batch: 10, times: 6e-3 / 2e-3 }])]);
    }

    #[test]
    fn cusolverdx_is_estimated_from_getrf() {
        let few = [row("warplu", "auto", 64, 1.0, 1.0), row("cublas", "getrf", 64, 2.54, 1.0)];
        assert_eq!(compared(&few)[0].peer.0, "cuBLAS");
        let many = few.map(|row| row.replace("\"batch\": 10", "\"batch\": 10000"));
        let found = compared(&many);
        assert_eq!(found[0].peer.0, "cuSOLVERDx (estimate)");
        assert!((found[0].peer.1 - 1.49e-3).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn cusolver_takes_matrices_one_by_one() {
        let one = row("cusolver", "getrf", 1024, 0.5, 1.0).replace("\"batch\": 10", "\"batch\": 1");
        let found = compared(&[row("warplu", "auto", 1024, 1.0, 1.0), one, row("cublas", "getrf", 1024, 90.0, 1.0)]);
        assert_eq!((found.len(), found[0].peer.0.as_str(), found[0].case.batch), (1, "cuSOLVER", 10));
        assert!((found[0].speedup() - 5.0).abs() < 1e-9, "{found:?}");
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
        let found = compared(&rows);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].peer.0, "MAGMA + cuBLAS getri");
        assert!((found[0].peer.1 - 9e-3).abs() < 1e-12);
    }
}
