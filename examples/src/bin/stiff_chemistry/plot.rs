//! Two species over time, and how many steps cells took, as SVG.

use chemistry::cell::Cell;
use chemistry::pollu::species::{O3, OH};
use plotters::prelude::*;

use crate::cells::Cells;
use crate::{END, Failure};

type Panel<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// Where the axis of time begins, in minutes: after the first step.
const BEGIN: f64 = 1e-6;

/// Those of Okabe and Ito, which colour-blind readers tell apart.
const COLOURS: [RGBColor; 5] =
    [RGBColor(0, 0, 0), RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115), RGBColor(204, 121, 167)];

/// A drawing of the cells that have a history, and of the steps of all.
pub(crate) fn svg(cells: &Cells) -> Result<String, Failure> {
    let mut svg = String::new();
    {
        let page = SVGBackend::with_string(&mut svg, (1080, 380)).into_drawing_area();
        page.fill(&WHITE)?;
        let [ozone, radicals, steps] = <[Panel; 3]>::try_from(page.split_evenly((1, 3))).map_err(|_| "three panels")?;
        over_time(&ozone, "ozone / ppb", cells, (O3, 1e3), true)?;
        over_time(&radicals, "hydroxyl radicals (OH) / ppt", cells, (OH, 1e6), false)?;
        histogram(&steps, &cells.states)?;
        page.present()?;
    }
    Ok(svg)
}

/// One species in a unit of which so many are a ppm, a line a cell, over the logarithm of time.
fn over_time(
    panel: &Panel,
    title: &str,
    cells: &Cells,
    (species, unit): (usize, f64),
    legend: bool,
) -> Result<(), Failure> {
    let points = cells.histories.iter().flat_map(|history| &history.points);
    let most = points.map(|(_, y)| unit * y[species]).fold(0.0, f64::max);
    let mut chart = ChartBuilder::on(panel)
        .caption(title, ("sans-serif", 16))
        .margin(10)
        .x_label_area_size(36)
        .y_label_area_size(44)
        .build_cartesian_2d((BEGIN..END).log_scale(), 0.0..most * if legend { 1.5 } else { 1.05 })?;
    let mesh = &mut chart.configure_mesh();
    mesh.max_light_lines(0).x_labels(8).x_label_formatter(&|time| format!("{time:.0e}")).x_desc("minutes").draw()?;
    for (history, colour) in cells.histories.iter().zip(COLOURS) {
        let points: Vec<_> = thinned(&history.points).map(|(time, y)| (*time, unit * y[species])).collect();
        let line = std::iter::once(PathElement::new(points, colour.stroke_width(2)));
        let conditions = &cells.conditions[history.cell];
        let name = format!(
            "{:.0} K, light {:.2}, {:.0} ppb/h of NO",
            conditions.temperature,
            conditions.light,
            6e4 * conditions.emitted
        );
        let key = move |(x, y)| PathElement::new([(x, y), (x + 14, y)], colour.stroke_width(2));
        chart.draw_series(line)?.label(name).legend(key);
    }
    if legend {
        let labels = &mut chart.configure_series_labels();
        labels.position(SeriesLabelPosition::UpperRight).label_font(("sans-serif", 11)).draw()?;
    }
    Ok(())
}

/// Points that the eye can tell apart, and the last one.
fn thinned<T>(history: &[(f64, T)]) -> impl Iterator<Item = &(f64, T)> {
    let mut next = BEGIN;
    history.iter().filter(move |(time, _)| {
        let apart = *time >= next || *time == END;
        if apart {
            next = *time * 1.05;
        }
        apart
    })
}

/// How many cells took how many steps.
fn histogram(panel: &Panel, cells: &[Cell]) -> Result<(), Failure> {
    const WIDTH: usize = 5;
    let steps = || cells.iter().map(|cell| cell.accepted as usize);
    let (first, last) = (steps().min().unwrap_or(0) / WIDTH, steps().max().unwrap_or(0) / WIDTH);
    let mut counts = vec![0_usize; last - first + 1];
    steps().for_each(|steps| counts[steps / WIDTH - first] += 1);
    let most = counts.iter().max().copied().unwrap_or(0) as f64;
    let edge = |bin: usize| ((first + bin) * WIDTH) as f64;
    let mut chart = ChartBuilder::on(panel)
        .caption(format!("steps of {} cells", cells.len()), ("sans-serif", 16))
        .margin(10)
        .x_label_area_size(36)
        .y_label_area_size(44)
        .build_cartesian_2d(edge(0)..edge(counts.len()), 0.0..most * 1.05)?;
    let mesh = &mut chart.configure_mesh();
    mesh.disable_x_mesh().max_light_lines(0).x_labels(6).x_desc("steps").y_desc("cells").draw()?;
    let bar = |(bin, count): (usize, &usize)| {
        Rectangle::new([(edge(bin), 0.0), (edge(bin + 1), *count as f64)], COLOURS[1].mix(0.7).filled())
    };
    chart.draw_series(counts.iter().enumerate().map(bar))?;
    Ok(())
}
