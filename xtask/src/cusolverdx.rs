//! What cuSOLVERDx takes beside cuBLAS's `getrfBatched`. It is a library of device code, so `warplu-bench` cannot open
//! it.

use std::fs;

use serde::Deserialize;

use crate::error::Error;
use crate::process;

/// Measurements that were made once.
#[derive(Debug, Deserialize)]
pub(crate) struct Ratios {
    rows: Vec<Row>,
}

/// Times of one type and order, by ascending order; only their ratios count.
#[derive(Debug, Deserialize)]
struct Row {
    dtype: String,
    n: u32,
    cublas_getrf: f64,
    lu: f64,
    solve: f64,
}

impl Ratios {
    /// Reads bench/cusolverdx.json.
    pub(crate) fn read() -> Result<Self, Error> {
        let path = process::root().join("bench/cusolverdx.json");
        let text = fs::read_to_string(&path).map_err(Error::io(&path))?;
        serde_json::from_str(&text).map_err(|error| Error::Measurements { path, fault: error.to_string() })
    }

    /// The time for `op` (lu, or solve with one right-hand side) over that of cuBLAS's LU, linearly between the
    /// measured orders; none beyond them.
    pub(crate) fn at(&self, op: &str, dtype: &str, n: u32) -> Option<f64> {
        let rows = || self.rows.iter().filter(|row| row.dtype == dtype);
        let below = rows().rfind(|row| row.n <= n)?;
        let above = rows().find(|row| row.n >= n)?;
        let ratio = |row: &Row| if op == "lu" { row.lu } else { row.solve } / row.cublas_getrf;
        let part = if above.n == below.n { 0.0 } else { f64::from(n - below.n) / f64::from(above.n - below.n) };
        Some(ratio(below) + part * (ratio(above) - ratio(below)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_interpolated() {
        let ratios = Ratios::read().unwrap();
        let at = |n| ratios.at("lu", "f32", n);
        assert!((at(64).unwrap() - 0.898 / 2.01).abs() < 1e-12);
        let middle = f64::midpoint(at(48).unwrap(), at(64).unwrap());
        assert!((at(56).unwrap() - middle).abs() < 1e-12);
        assert_eq!((at(8), at(191)), (None, None));
        assert!(ratios.at("solve", "c64", 33).unwrap() > ratios.at("lu", "c64", 33).unwrap());
    }
}
