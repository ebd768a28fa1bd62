//! One chart of how warplu compares with the best of the other libraries.

use std::collections::BTreeMap;

use super::axis;
use super::chart::Chart;
use super::quantity::{Line, Quantity};
use crate::comparison::{self, Speedup};
use crate::error::Error;
use crate::measurements::{Library, Measurements};

/// That of a type, with the name of its file.
pub(super) fn chart(files: &[Measurements], dtype: &str, log: bool) -> Result<(String, Chart), Error> {
    let speedups = comparison::speedups(files, dtype)?;
    let line = |(op, points): &(&str, Vec<Speedup>)| Line {
        label: label(op).to_owned(),
        library: Library::Warplu,
        variant: (*op).to_owned(),
        points: points.iter().map(|point| (point.n.into(), point.times)).collect(),
    };
    let mut origins: Vec<_> = files.iter().map(Measurements::origin).collect();
    origins.sort();
    origins.dedup();
    let chart = Chart {
        title: format!("warplu over the fastest other library, {dtype}"),
        subtitle: batches(&speedups),
        y_label: Quantity::Speedup.label(),
        log,
        one: true,
        lines: speedups.iter().map(line).collect(),
        bound: None,
        caption: format!("cuBLAS, MAGMA, cuSOLVER or cuSOLVERDx (estimate); {}", origins.join("; ")),
    };
    Ok((format!("speedup-{dtype}.svg"), chart))
}

fn label(op: &str) -> &str {
    match op {
        "lu" => "LU",
        "inv" => "inverse",
        other => other,
    }
}

/// How many matrices of which orders.
fn batches(speedups: &[(&str, Vec<Speedup>)]) -> String {
    let mut batches: BTreeMap<u64, (u32, u32)> = BTreeMap::new();
    for point in speedups.iter().flat_map(|(_, points)| points) {
        let (least, most) = batches.entry(point.batch).or_insert((point.n, point.n));
        (*least, *most) = ((*least).min(point.n), (*most).max(point.n));
    }
    let mut batches: Vec<_> = batches.into_iter().collect();
    batches.sort_by_key(|(_, orders)| *orders);
    let words = batches.into_iter().map(|(batch, (least, most))| {
        let orders = if least == most { least.to_string() } else { format!("{least} to {most}") };
        format!("{} of order {orders}", axis::label(batch as f64))
    });
    format!("matrices in device memory: {}", words.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurements::tests::{file, row};

    #[test]
    fn a_line_an_operation() {
        let lu = [row("warplu", "auto", 8, 1.0, 1.0), row("cublas", "getrf", 8, 2.0, 1.0)];
        let solve = lu.clone().map(|row| row.replace("\"lu\"", "\"solve\""));
        let (name, chart) = chart(&[file("", &[lu, solve].concat())], "f64", false).unwrap();
        assert_eq!(name, "speedup-f64.svg");
        let lines: Vec<_> = chart.lines.iter().map(|line| (line.label.as_str(), line.points[0])).collect();
        assert_eq!(lines, [("LU", (8.0, 2.0)), ("solve", (8.0, 2.0))]);
        assert_eq!(chart.subtitle, "matrices in device memory: 10 of order 8");
    }
}
