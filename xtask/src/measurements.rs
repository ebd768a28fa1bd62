//! The JSON of benchmarks: `warplu-bench --json`, and that of other programs in the same schema.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use warplu_bench_schema::SCHEMA;
pub(crate) use warplu_bench_schema::{Library, Measurements, Place, Row};

use crate::error::Error;

/// LAPACK's test ratio from which on a result is wrong.
pub(crate) const WRONG: f64 = 30.0;

/// Reads files.
pub(crate) fn read_all(paths: &[PathBuf]) -> Result<Vec<Measurements>, Error> {
    paths.iter().map(|path| read(path)).collect()
}

/// Reads a file.
fn read(path: &Path) -> Result<Measurements, Error> {
    let text = fs::read_to_string(path).map_err(Error::io(path))?;
    parse(&text).map_err(|fault| Error::Measurements { path: path.to_path_buf(), fault })
}

/// The measurements in a text, or what is wrong with it.
fn parse(text: &str) -> Result<Measurements, String> {
    #[derive(Deserialize)]
    struct Version {
        schema: u32,
    }
    // First, for the rest may read differently in another schema.
    let Version { schema } = serde_json::from_str(text).map_err(|error| fault(text, &error))?;
    if schema != SCHEMA {
        return Err(format!("schema {schema} is not {SCHEMA}, the only one known here"));
    }
    let measurements: Measurements = serde_json::from_str(text).map_err(|error| fault(text, &error))?;
    if measurements.rows.is_empty() {
        return Err("no rows".to_owned());
    }
    for (index, row) in measurements.rows.iter().enumerate() {
        check(row).map_err(|fault| format!("row {index}: {fault}"))?;
    }
    Ok(measurements)
}

/// Names what other programs write for numbers that JSON does not have.
fn fault(text: &str, error: &serde_json::Error) -> String {
    let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
    let rest = line.get(error.column().saturating_sub(1)..).unwrap_or_default();
    let word = ["NaN", "Infinity", "-Infinity"].into_iter().find(|word| rest.starts_with(word) && error.is_syntax());
    match word {
        Some(word) => {
            format!("{word} is no number in JSON, write null, at line {} column {}", error.line(), error.column())
        }
        None if error.is_data() => error.to_string(),
        None => format!("not JSON: {error}"),
    }
}

/// What a chart could not show.
fn check(row: &Row) -> Result<(), String> {
    let median = row.seconds.map(|seconds| seconds.median);
    for (name, value) in [("seconds.median", median), ("gflops", row.gflops)] {
        // A JSON number is finite.
        if let Some(value) = value.filter(|value| *value <= 0.0) {
            return Err(format!("{name} is {value}, not above 0"));
        }
    }
    if median.is_none() && row.gflops.is_none() {
        return Err("neither seconds nor gflops".to_owned());
    }
    if row.n == 0 || row.batch == 0 {
        return Err(format!("n is {} and batch {}, both are to be above 0", row.n, row.batch));
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A row of a batch of 10 matrices: n, library, algorithm, milliseconds and GFLOP/s, 0 for none.
    pub(crate) fn row(library: &str, algorithm: &str, n: u32, ms: f64, gflops: f64) -> String {
        let quoted = |text: &str| if text.is_empty() { "null".to_owned() } else { format!("\"{text}\"") };
        let seconds = format!("{{\"median\": {}, \"min\": null, \"max\": null, \"runs\": null}}", ms * 1e-3);
        let seconds = if ms == 0.0 { "null".to_owned() } else { seconds };
        let gflops = if gflops == 0.0 { "null".to_owned() } else { gflops.to_string() };
        format!(
            r#"{{"library": "{library}", "algorithm": {}, "op": "lu", "dtype": "f64", "n": {n}, "batch": 10, "rhs": 0,
            "layout": "column-major", "place": "device", "seconds": {seconds}, "gflops": {gflops}, "ratio": null}}"#,
            quoted(algorithm)
        )
    }

    /// A file of rows, of a figure or of none.
    pub(crate) fn file(figure: &str, rows: &[String]) -> Measurements {
        let figure = if figure.is_empty() { "null".to_owned() } else { format!("\"{figure}\"") };
        let head =
            r#""schema": 1, "title": null, "date": "2026-11-21T07:15:00Z", "gpu": "H200", "driver": "CUDA 13.0""#;
        parse(&format!("{{{head}, \"figure\": {figure}, \"rows\": [{}]}}", rows.join(","))).unwrap()
    }

    #[test]
    fn rows_are_read() {
        let file = file("p1-16", &[row("cublas", "", 33, 2.0, 5.0), row("paper", "A", 8192, 0.0, 667.0)]);
        assert_eq!((file.figure.as_deref(), file.gpu.as_deref()), (Some("p1-16"), Some("H200")));
        let [first, second] = &file.rows[..] else { panic!("{file:?}") };
        assert_eq!((first.library, first.seconds.unwrap().median, first.gflops), (Library::Cublas, 2e-3, Some(5.0)));
        assert!(second.seconds.is_none());
        assert_eq!((first.layout.as_str(), first.place), ("column-major", Place::Device));
    }

    #[test]
    fn faults_are_named() {
        let rows = |row: &str| format!("{{\"schema\": 1, \"rows\": [{row}]}}");
        let good = row("warplu", "", 8, 1.0, 1.0);
        for (text, expected) in [
            ("n, ms".to_owned(), "not JSON"),
            (String::new(), "not JSON"),
            ("{\"rows\": []}".to_owned(), "missing field `schema`"),
            ("{\"schema\": 2, \"rows\": 0}".to_owned(), "schema 2 is not 1"),
            (rows(""), "no rows"),
            (rows(&good.replace("0.001", "NaN")), "NaN is no number in JSON, write null, at line 2"),
            (rows(&good.replace("0.001", "null")), "expected f64"),
            (rows(&good.replace("0.001", "1e999")), "out of range"),
            (rows(&format!("{good}, {}", good.replace("0.001", "-1"))), "row 1: seconds.median is -1, not above 0"),
            (rows(&row("warplu", "", 8, 0.0, 0.0)), "row 0: neither seconds nor gflops"),
            (rows(&row("warplu", "", 0, 1.0, 1.0)), "row 0: n is 0"),
            (rows(&row("essl", "", 8, 1.0, 1.0)), "unknown variant `essl`"),
        ] {
            let fault = parse(&text).unwrap_err();
            assert!(fault.contains(expected), "{text}: {fault}");
        }
    }
}
