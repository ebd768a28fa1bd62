//! What a chart shows over the order: a value of each row, or how many times as fast as another library warplu is.

use std::collections::{BTreeMap, BTreeSet};

use super::group::{Group, Series};
use crate::floor::{Limits, ceiling};
use crate::measurements::{Library, Place, Row};

/// Speed-ups that are still legible in one chart.
const MOST: usize = 12;

/// What to put on the y axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Quantity {
    /// 10^12 operations a second
    Tflops,
    /// 10^9 operations a second
    Gflops,
    /// Milliseconds for the batch
    Ms,
    /// Times of the other libraries over those of warplu
    Speedup,
    /// The error, as LAPACK's test ratio
    Ratio,
}

/// The points of a series, ready to be drawn.
#[derive(Debug, PartialEq)]
pub(super) struct Line {
    pub(super) label: String,
    /// The library of the rows, of speed-ups the other.
    pub(super) library: Library,
    /// What sets lines of one library apart by colour; nothing where the library's own colour will do.
    pub(super) variant: String,
    /// Order and value.
    pub(super) points: Vec<(f64, f64)>,
}

/// What the hardware allows.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) label: &'static str,
    /// Order and value.
    pub(super) points: Vec<(f64, f64)>,
}

impl Quantity {
    /// Of a group: milliseconds where they are all that some rows have, and in figures over a wide range of orders.
    pub(super) fn of(group: &Group) -> Self {
        let rows = || group.series.iter().flat_map(|series| series.rows.values());
        let timed = rows().filter(|row| row.seconds.is_some()).count();
        let counted = rows().filter(|row| row.gflops.is_some()).count();
        let (least, most) = (rows().map(|row| row.n).min(), rows().map(|row| row.n).max());
        let wide = group.key.figure.is_some() && most >= least.map(|n| n.saturating_mul(16));
        if timed > counted || (wide && timed == counted) { Self::Ms } else { Self::Tflops }
    }

    /// The last part of a file's name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Tflops => "tflops",
            Self::Gflops => "gflops",
            Self::Ms => "ms",
            Self::Speedup => "speedup",
            Self::Ratio => "ratio",
        }
    }

    /// What an axis says.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Tflops => "speed (TFLOP/s)",
            Self::Gflops => "speed (GFLOP/s)",
            Self::Ms => "time of the batch (ms)",
            Self::Speedup => "speed-up (times)",
            Self::Ratio => "error (LAPACK test ratio)",
        }
    }

    /// The lines of each chart, none empty: all in one, but for speed-ups one a library where they are many.
    pub(super) fn charts(self, group: &Group) -> Vec<Vec<Line>> {
        let lines = self.lines(group);
        if self != Self::Speedup || lines.len() <= MOST {
            return [lines].into_iter().filter(|lines| !lines.is_empty()).collect();
        }
        let mut charts: BTreeMap<Library, Vec<Line>> = BTreeMap::new();
        lines.into_iter().for_each(|line| charts.entry(line.library).or_default().push(line));
        charts.into_values().collect()
    }

    /// Of speeds of warplu's own kernels on an H200, whose limits are known.
    pub(super) fn bound(self, group: &Group) -> Option<Bound> {
        let unit = match self {
            Self::Tflops => 1e-12,
            Self::Gflops => 1e-9,
            Self::Ms | Self::Speedup | Self::Ratio => return None,
        };
        if group.key.figure.is_some() || !group.gpus.iter().eq(["NVIDIA H200"]) {
            return None;
        }
        let auto = |row: &&Row| {
            let auto = row.library == Library::Warplu && row.algorithm.as_deref() == Some("auto");
            auto && row.place == Place::Device && row.gflops.is_some()
        };
        let rows = group.series.iter().flat_map(|series| series.rows.values()).filter(auto);
        let ceiling = |row: &Row| (row.n, ceiling(&row.op, &row.dtype, row.n, row.rhs, &Limits::H200) * unit);
        let points: BTreeMap<u32, f64> = rows.map(ceiling).collect();
        let points = points.into_iter().map(|(n, value)| (n.into(), value)).collect::<Vec<_>>();
        (points.len() > 1).then_some(Bound { label: "bound by a copy and a matrix product", points })
    }

    fn lines(self, group: &Group) -> Vec<Line> {
        let value = |row: &Row| match self {
            Self::Tflops => row.gflops.map(|gflops| gflops * 1e-3),
            Self::Gflops => row.gflops,
            Self::Ms => row.seconds.map(|seconds| seconds.median * 1e3),
            Self::Ratio => row.ratio,
            Self::Speedup => None,
        };
        let lines = group.series.iter().map(|series| Line {
            label: series.label.clone(),
            library: series.library,
            // The algorithms of warplu and of papers are what some charts are about.
            variant: match series.library {
                Library::Warplu | Library::Paper => series.who.clone(),
                _ => String::new(),
            },
            points: series.rows.values().filter_map(|row| Some((row.n.into(), value(row)?))).collect(),
        });
        let lines: Vec<_> = if self == Self::Speedup { speedups(group) } else { lines.collect() };
        lines.into_iter().filter(|line| !line.points.is_empty()).collect()
    }
}

/// Each series of warplu over each other library, at the orders that both have.
fn speedups(group: &Group) -> Vec<Line> {
    let mut others: BTreeMap<(Library, &str), Vec<&Series>> = BTreeMap::new();
    for series in group.series.iter().filter(|series| series.library != Library::Warplu) {
        others.entry((series.library, &series.name)).or_default().push(series);
    }
    let own: BTreeSet<_> =
        group.series.iter().filter(|series| series.library == Library::Warplu).map(|series| &series.who).collect();
    let mut lines = Vec::new();
    for warplu in group.series.iter().filter(|series| series.library == Library::Warplu) {
        for ((library, name), others) in &others {
            let other = if let [other] = others[..] { other.label.clone() } else { format!("the fastest of {name}") };
            let at = |(n, row): (&u32, &Row)| Some((f64::from(*n), speedup(row, others)?));
            lines.push(Line {
                label: format!("{} over {other}", warplu.label),
                library: *library,
                variant: if own.len() > 1 { warplu.who.clone() } else { String::new() },
                points: warplu.rows.iter().filter_map(at).collect(),
            });
        }
    }
    lines
}

/// Of a row over the fastest of some series on the same problem.
fn speedup(row: &Row, others: &[&Series]) -> Option<f64> {
    let comparable = |other: &&Row| {
        let anywhere = [Library::Serial, Library::Paper].contains(&other.library);
        (other.batch, other.rhs) == (row.batch, row.rhs) && (anywhere || other.place == row.place)
    };
    let others = others.iter().filter_map(|series| series.rows.get(&row.n)).filter(comparable);
    let speedup = |other: &Row| match (row.seconds, other.seconds, row.gflops, other.gflops) {
        (Some(own), Some(other), ..) => Some(other.median / own.median),
        (.., Some(own), Some(other)) => Some(own / other),
        _ => None,
    };
    others.filter_map(speedup).min_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::super::group::groups;
    use super::*;
    use crate::measurements::tests::{file, row};

    fn group(figure: &str, rows: &[String]) -> Group {
        groups(&[file(figure, rows)]).remove(0)
    }

    #[test]
    fn speedups_where_both_have_the_point() {
        let cusolver = row("cusolver", "", 16, 8.0, 1.0).replace("device", "host");
        let paper = [row("paper", "A", 16, 0.0, 4.0), row("paper", "B", 16, 0.0, 5.0)];
        let paper = paper.map(|row| row.replace("\"op\"", "\"gpu\": \"T4\", \"op\""));
        let rows = [
            row("warplu", "", 8, 1.0, 10.0),
            row("warplu", "", 16, 2.0, 10.0),
            row("warplu", "old", 8, 4.0, 2.5),
            row("cublas", "getrf", 8, 3.0, 1.0),
            row("cublas", "batched", 8, 2.0, 1.0),
            row("cublas", "getrf", 32, 3.0, 1.0),
            // Not in the same memory.
            cusolver,
        ];
        let line = |label: &str, library, variant: &str, points: &[(f64, f64)]| Line {
            label: label.to_owned(),
            library,
            variant: variant.to_owned(),
            points: points.to_vec(),
        };
        let expected = [
            line("warplu over the fastest of cuBLAS", Library::Cublas, "warplu", &[(8.0, 2.0)]),
            line("warplu over the fastest of paper (T4)", Library::Paper, "warplu", &[(16.0, 2.0)]),
            line("warplu old over the fastest of cuBLAS", Library::Cublas, "warplu old", &[(8.0, 0.5)]),
        ];
        assert_eq!(Quantity::Speedup.lines(&group("", &[&rows[..], &paper].concat())), expected);
        // Of one series the name is whole.
        let lines = Quantity::Speedup.lines(&group("", &[rows[0].clone(), rows[3].clone()]));
        assert_eq!(lines, [line("warplu over cuBLAS getrf", Library::Cublas, "", &[(8.0, 3.0)])]);
    }

    #[test]
    fn bounds_are_of_an_h200_and_of_no_figure() {
        let rows = [row("warplu", "auto", 8, 1.0, 10.0), row("warplu", "auto", 512, 1.0, 10.0)];
        let bound = |figure: &str, gpu: &str, quantity: Quantity| {
            let mut file = file(figure, &rows);
            file.gpu = Some(gpu.to_owned());
            quantity.bound(&groups(&[file])[0]).map(|bound| bound.points)
        };
        let points = bound("", "NVIDIA H200", Quantity::Tflops).unwrap();
        assert!(points[0].1 < 10.0 && (points[1].1 - 61.0).abs() < 1e-9, "{points:?}");
        assert_eq!(bound("p1-12", "NVIDIA H200", Quantity::Tflops), None);
        assert_eq!(bound("", "T4", Quantity::Tflops), None);
        assert_eq!(bound("", "NVIDIA H200", Quantity::Speedup), None);
    }

    #[test]
    fn what_a_chart_shows() {
        let rows = [row("warplu", "", 33, 1.0, 2000.0), row("warplu", "", 190, 1.0, 1000.0)];
        let peaks = [&rows[..], &[row("paper", "", 190, 0.0, 2000.0)]].concat();
        assert_eq!(Quantity::of(&group("p1-12", &rows)), Quantity::Tflops);
        assert_eq!(Quantity::of(&group("p1-12", &peaks)), Quantity::Tflops);
        assert_eq!(Quantity::Tflops.lines(&group("p1-12", &rows))[0].points, [(33.0, 2.0), (190.0, 1.0)]);

        let wide = [rows[0].clone(), row("warplu", "", 1024, 1.0, 1.0)];
        assert_eq!(Quantity::of(&group("p3", &wide)), Quantity::Ms);
        assert_eq!(Quantity::of(&group("", &wide)), Quantity::Tflops);
        assert_eq!(Quantity::of(&group("", &[row("paper", "", 64, 2.4, 0.0)])), Quantity::Ms);
    }
}
