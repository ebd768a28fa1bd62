//! `cargo xtask plot`: charts of what benchmarks measured.

mod axis;
mod canvas;
mod chart;
mod group;
mod map;
mod mark;
mod overview;
mod quantity;

use std::fs;
use std::io;
use std::path::PathBuf;

use self::chart::Chart;
use self::group::Group;
use self::quantity::Quantity;
use crate::error::Error;
use crate::measurements;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// JSON of `warplu-bench`, or of another program in the same schema; several are merged
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The folder for the SVG files
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    /// The y axis; otherwise there are two charts, of speed or time and of speed-ups
    #[arg(long, value_enum)]
    y: Option<Quantity>,
    /// Draw one chart only, of warplu's speed-ups over the fastest other library in a type, a line an operation
    #[arg(long, value_name = "TYPE", conflicts_with = "y")]
    overview: Option<String>,
    /// Draw the map only, of a cell for each case of which warplu and another library were measured, and say where warplu
    /// is behind
    #[arg(long, conflicts_with_all = ["y", "overview", "log"])]
    map: bool,
    /// Make both axes logarithmic; otherwise only those of a wide range are
    #[arg(long)]
    log: bool,
}

impl Args {
    /// The charts of these files, in a folder.
    pub(crate) fn of(files: Vec<PathBuf>, output: PathBuf) -> Self {
        Self { files, output, y: None, overview: None, map: false, log: false }
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Error> {
    let files = measurements::read_all(&args.files)?;
    if args.map {
        let (svg, behind) = map::draw(&files)?;
        write(args, "map.svg", &svg)?;
        behind.iter().for_each(|line| say!("{line}"));
        return Ok(());
    }
    let charts: Vec<_> = match &args.overview {
        Some(dtype) => vec![overview::chart(&files, dtype, args.log)?],
        None => group::groups(&files).iter().flat_map(|group| charts(group, args.y, args.log)).collect(),
    };
    if charts.is_empty() {
        return Err(Error::NoPoints);
    }
    for (name, chart) in charts {
        let svg = chart::svg(&chart).map_err(io::Error::other).map_err(Error::io(&args.output))?;
        write(args, &name, &svg)?;
    }
    Ok(())
}

/// Writes a chart to the folder for charts.
fn write(args: &Args, name: &str, svg: &str) -> Result<(), Error> {
    let path = args.output.join(name);
    fs::create_dir_all(&args.output).and_then(|()| fs::write(&path, svg)).map_err(Error::io(&path))?;
    say!("{}", path.display());
    Ok(())
}

/// Those of a group, with the names of their files.
fn charts(group: &Group, y: Option<Quantity>, log: bool) -> Vec<(String, Chart)> {
    let quantities = y.map_or_else(|| vec![Quantity::of(group), Quantity::Speedup], |y| vec![y]);
    let charts = quantities.into_iter().flat_map(|quantity| {
        let charts = quantity.charts(group);
        let split = charts.len() > 1;
        charts.into_iter().map(move |lines| {
            let over = lines.first().filter(|_| split).map(|line| format!("-{:?}", line.library).to_lowercase());
            let name = format!("{}-{}{}.svg", group.key.stem(), quantity.name(), over.unwrap_or_default());
            let chart = Chart {
                title: title(group),
                subtitle: group.setting.clone(),
                y_label: quantity.label(),
                log,
                one: quantity == Quantity::Speedup,
                lines,
                bound: quantity.bound(group),
                caption: group.origin.clone(),
            };
            (name, chart)
        })
    });
    charts.collect()
}

/// That of the file, and what the chart is of.
fn title(group: &Group) -> String {
    let what = match group.key.op.as_str() {
        "lu" => "LU factorization",
        "solve" => "linear solve",
        "inv" => "inversion",
        "det" => "determinants",
        "lu-inv" => "inversion from factors",
        "lu-solve" => "solve from factors",
        other => other,
    };
    let title = group.title.iter().chain(&group.key.figure).next();
    let what = format!("{what}, {}", group.key.dtype);
    title.map_or_else(|| what.clone(), |title| format!("{title}: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurements::tests::{file, row};

    #[test]
    fn charts_are_xml_and_name_each_series() {
        let algorithms = (0..12).map(|index| format!("<{index}> & co"));
        let rows: Vec<_> = algorithms.map(|algorithm| row("warplu", &algorithm, 8, 1.0, 1.0)).collect();
        let peer = [row("cublas", "", 8, 2.0, 1.0)];
        let groups = group::groups(&[file("p1\\u0001/x", &[&rows[..], &peer].concat())]);
        let charts = charts(&groups[0], None, false);
        let names: Vec<_> = charts.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["p1--x-lu-f64-tflops.svg", "p1--x-lu-f64-speedup.svg"]);
        for (_, chart) in charts {
            let svg = chart::svg(&chart).unwrap();
            let texts = texts(&svg);
            for line in &chart.lines {
                assert!(texts.contains(&line.label), "{}: {texts:?}", line.label);
            }
            for text in [&chart.title.replace('\u{1}', " "), &chart.caption, chart.y_label] {
                assert!(texts.iter().any(|other| other == text), "{text}: {texts:?}");
            }
        }
    }

    /// The texts of an SVG, after a check that its tags nest and its entities are XML's.
    fn texts(svg: &str) -> Vec<String> {
        let (mut open, mut texts) = (Vec::new(), Vec::new());
        let mut rest = svg.trim();
        while let Some(start) = rest.find('<') {
            let text = rest[..start].trim();
            let end = start + rest[start..].find('>').expect("a tag ends");
            let tag = &rest[start + 1..end];
            assert!(!tag.contains('<') && tag.matches('"').count().is_multiple_of(2), "{tag}");
            if !text.is_empty() {
                texts.push(unescape(text));
            }
            match tag.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop(), Some(name)),
                None if tag.ends_with('/') => {}
                None => open.push(tag.split(' ').next().unwrap()),
            }
            rest = &rest[end + 1..];
        }
        assert!(open.is_empty() && rest.is_empty(), "{open:?} {rest}");
        texts
    }

    fn unescape(text: &str) -> String {
        assert!(!text.contains(char::is_control), "{text:?}");
        let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'")];
        let text = entities.iter().fold(text.to_owned(), |text, (entity, letter)| text.replace(entity, letter));
        assert!(!text.replace("&amp;", "").contains('&'), "{text}");
        text.replace("&amp;", "&")
    }
}
