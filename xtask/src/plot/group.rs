//! Which rows share a chart, and which a line of it.

use std::collections::{BTreeMap, BTreeSet};

use super::axis;
use crate::measurements::{Library, Measurements, Row};

/// What the rows of a chart have in common; the figure is that of their file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) figure: Option<String>,
    pub(super) op: String,
    pub(super) dtype: String,
}

impl Key {
    /// A file's name.
    pub(super) fn stem(&self) -> String {
        let parts = self.figure.iter().chain([&self.op, &self.dtype]);
        let stem = parts.map(String::as_str).collect::<Vec<_>>().join("-");
        stem.replace(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-', "-")
    }
}

/// The rows of a chart.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) key: Key,
    pub(super) title: Option<String>,
    /// By library, then as they were read.
    pub(super) series: Vec<Series>,
    /// How most rows were measured: what no label says.
    pub(super) setting: String,
    /// GPU, driver and date of all files.
    pub(super) origin: String,
    /// The GPUs of all files.
    pub(super) gpus: BTreeSet<String>,
}

/// A line of a chart.
#[derive(Debug)]
pub(super) struct Series {
    pub(super) library: Library,
    /// The library; of published numbers with the GPU.
    pub(super) name: String,
    /// Library and algorithm, however they were measured.
    pub(super) who: String,
    pub(super) label: String,
    /// By order. Of two rows of one order the one read later counts.
    pub(super) rows: BTreeMap<u32, Row>,
}

/// Merges files. A file without a figure joins all figures that have a row of the same operation, type, order and
/// batch, so that libraries measured by another program stand beside warplu; its other rows are charts of their own.
pub(super) fn groups(files: &[Measurements]) -> Vec<Group> {
    let mut groups: BTreeMap<Key, Vec<(&Measurements, &Row)>> = BTreeMap::new();
    let rows = |file| move |row| (file, row);
    let (figures, others): (Vec<_>, Vec<_>) = files.iter().partition(|file| file.figure.is_some());
    for (file, row) in figures.iter().flat_map(|file| file.rows.iter().map(rows(*file))) {
        groups.entry(key(file, row)).or_default().push((file, row));
    }
    let figures: Vec<(Key, BTreeSet<_>)> = groups
        .iter()
        .map(|(key, rows)| (key.clone(), rows.iter().map(|(_, row)| (row.n, row.batch, row.rhs)).collect()))
        .collect();
    for (file, row) in others.iter().flat_map(|file| file.rows.iter().map(rows(*file))) {
        let own = key(file, row);
        let joins = |(key, points): &&(Key, BTreeSet<_>)| {
            (&key.op, &key.dtype) == (&own.op, &own.dtype) && points.contains(&(row.n, row.batch, row.rhs))
        };
        let mut keys: Vec<_> = figures.iter().filter(joins).map(|(key, _)| key.clone()).collect();
        if keys.is_empty() {
            keys.push(own);
        }
        for key in keys {
            groups.entry(key).or_default().push((file, row));
        }
    }
    groups.into_iter().map(|(key, rows)| group(key, &rows)).collect()
}

fn key(file: &Measurements, row: &Row) -> Key {
    Key { figure: file.figure.clone(), op: row.op.clone(), dtype: row.dtype.clone() }
}

fn group(key: Key, rows: &[(&Measurements, &Row)]) -> Group {
    let usual = usual(rows);
    let mut series: Vec<Series> = Vec::new();
    for (file, row) in rows {
        let label = label(file, row, &usual);
        let index = series.iter().position(|series| series.label == label).unwrap_or_else(|| {
            let (name, who) = (name(file, row), who(file, row));
            series.push(Series { library: row.library, name, who, label, rows: BTreeMap::new() });
            series.len() - 1
        });
        series[index].rows.insert(row.n, (*row).clone());
    }
    series.sort_by_key(|series| series.library);
    let setting = usual[1..].iter().filter(|words| !words.is_empty()).cloned().collect::<Vec<_>>().join(", ");
    let title = rows.iter().find_map(|(file, _)| file.title.clone());
    let gpus = rows.iter().filter_map(|(file, _)| file.gpu.clone()).collect();
    Group { key, title, series, setting, origin: origin(rows), gpus }
}

/// How a row was measured, in words: GPU, batch, right-hand sides, layout and place.
fn setting(file: &Measurements, row: &Row) -> [String; 5] {
    let gpu = row.gpu.as_ref().or(file.gpu.as_ref()).cloned().unwrap_or_default();
    let batch =
        if row.batch == 1 { "1 matrix".to_owned() } else { format!("{} matrices", axis::label(row.batch as f64)) };
    let rhs = match row.rhs {
        0 => String::new(),
        1 => "1 right-hand side".to_owned(),
        count => format!("{count} right-hand sides"),
    };
    let layout = if row.layout == "c" { "C order" } else { &row.layout };
    [gpu, batch, rhs, layout.to_owned(), format!("in {} memory", row.place.name())]
}

/// The setting that most rows have, part by part. Published numbers do not count.
fn usual(rows: &[(&Measurements, &Row)]) -> [String; 5] {
    let measured = rows.iter().filter(|(_, row)| row.library != Library::Paper);
    let settings: Vec<_> = measured.map(|(file, row)| setting(file, row)).collect();
    std::array::from_fn(|part| {
        let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
        settings.iter().for_each(|setting| *counts.entry(&setting[part]).or_default() += 1);
        counts.into_iter().max_by_key(|(_, count)| *count).map(|(words, _)| words.clone()).unwrap_or_default()
    })
}

/// The library; of published numbers with the GPU.
fn name(file: &Measurements, row: &Row) -> String {
    let name = row.library.title();
    // The file's GPU is the paper's only where the file holds nothing else.
    let alone = || file.rows.iter().all(|row| row.library == Library::Paper);
    let gpu = row.gpu.as_ref().or_else(|| file.gpu.as_ref().filter(|_| alone()));
    match gpu.filter(|_| row.library == Library::Paper) {
        Some(gpu) => format!("{name} ({gpu})"),
        None => name.to_owned(),
    }
}

/// Library and algorithm.
fn who(file: &Measurements, row: &Row) -> String {
    let mut who = name(file, row);
    if let Some(algorithm) = &row.algorithm {
        let parts: Vec<_> = algorithm.split(',').map(str::trim).collect();
        who += &format!(" {}", parts.join(", ").replacen(':', " ", 1));
    }
    who
}

/// Library and algorithm, and in which parts the setting is not the usual one.
fn label(file: &Measurements, row: &Row, usual: &[String; 5]) -> String {
    let label = who(file, row);
    let setting = setting(file, row);
    let differs = |(own, usual): &(&String, &String)| own != usual && !own.is_empty();
    let unusual: Vec<_> = setting.iter().zip(usual).filter(differs).map(|(own, _)| own.as_str()).collect();
    if row.library == Library::Paper || unusual.is_empty() {
        return label;
    }
    format!("{label} ({})", unusual.join(", "))
}

/// GPU, driver and day of each file, once.
fn origin(rows: &[(&Measurements, &Row)]) -> String {
    let measured = rows.iter().filter(|(_, row)| row.library != Library::Paper);
    let origins: BTreeSet<_> = measured.map(|(file, _)| file.origin()).collect();
    origins.into_iter().collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurements::tests::{file, row};

    fn labels(group: &Group) -> Vec<&str> {
        group.series.iter().map(|series| series.label.as_str()).collect()
    }

    #[test]
    fn a_chart_an_operation_and_type() {
        let rows =
            [row("cublas", "", 8, 1.0, 1.0), row("warplu", "left-looking:nb=14,interchange=delayed", 8, 1.0, 1.0)];
        let f32 = rows[0].replace("f64", "f32");
        let groups = groups(&[file("", &[&rows[..], &[f32]].concat())]);
        assert_eq!(groups.iter().map(|group| group.key.stem()).collect::<Vec<_>>(), ["lu-f32", "lu-f64"]);
        assert_eq!(labels(&groups[1]), ["warplu left-looking nb=14, interchange=delayed", "cuBLAS"]);
        assert_eq!(groups[1].setting, "10 matrices, column-major, in device memory");
        assert_eq!(groups[1].origin, "H200, CUDA 13.0, 2026-11-21");
    }

    #[test]
    fn files_merge() {
        let figure = file("p1-12", &[row("warplu", "", 33, 1.0, 1.0), row("warplu", "", 34, 1.0, 1.0)]);
        let peers = file("", &[row("magma", "", 34, 2.0, 1.0), row("magma", "", 512, 3.0, 1.0)]);
        let again = file("p1-12", &[row("warplu", "", 34, 4.0, 1.0)]);
        let groups = groups(&[peers, figure, again]);
        assert_eq!(groups.iter().map(|group| group.key.stem()).collect::<Vec<_>>(), ["lu-f64", "p1-12-lu-f64"]);
        assert_eq!(labels(&groups[1]), ["warplu", "MAGMA"]);
        let orders = |series: &Series| series.rows.keys().copied().collect::<Vec<_>>();
        assert_eq!(orders(&groups[0].series[0]), [512]);
        assert_eq!(groups[1].series.iter().map(orders).collect::<Vec<_>>(), [vec![33, 34], vec![34]]);
        assert_eq!(groups[1].series[0].rows[&34].seconds.unwrap().median, 4e-3);
    }

    #[test]
    fn labels_say_what_is_unusual() {
        let rows = [8, 16].map(|n| row("warplu", "", n, 1.0, 1.0));
        let host = row("serial", "", 8, 1.0, 1.0).replace("column", "row").replace("device", "host");
        let paper = row("paper", "B", 8, 1.0, 0.0).replace("\"op\"", "\"gpu\": \"T4\", \"op\"");
        let groups = groups(&[file("p4", &[&rows[..], &[host, paper]].concat())]);
        let expected = ["warplu", "serial CPU (row-major, in host memory)", "paper (T4) B"];
        assert_eq!(labels(&groups[0]), expected);
    }
}
