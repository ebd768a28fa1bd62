//! The picture of a chart: title, axes, lines, legend and where the numbers come from.

use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

use super::axis::Axis;
use super::canvas::{self, Canvas, Fault, Pen};
use super::mark::{self, Mark};
use super::quantity::{Bound, Line};
use crate::measurements::Library;

/// What to draw.
#[derive(Debug)]
pub(super) struct Chart {
    pub(super) title: String,
    pub(super) subtitle: String,
    pub(super) y_label: &'static str,
    /// Both axes logarithmic, whatever the ranges.
    pub(super) log: bool,
    /// A line across at 1, for speed-ups.
    pub(super) one: bool,
    /// At least one, none without points.
    pub(super) lines: Vec<Line>,
    /// What the hardware allows, drawn beside the lines.
    pub(super) bound: Option<Bound>,
    pub(super) caption: String,
}

pub(super) const BLACK: RGBColor = RGBColor(34, 34, 34);
pub(super) const GREY: RGBColor = RGBColor(95, 95, 95);
const PALE: RGBColor = RGBColor(225, 225, 225);
pub(super) const WHITE: RGBColor = RGBColor(255, 255, 255);

/// Points of the page.
const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 66.0;
/// From the x axis to the legend.
const BELOW: f64 = 62.0;
const ENTRY: f64 = 20.0;
const MARGIN: f64 = 34.0;
/// The width of a letter of size 1, on the safe side of usual sans-serif fonts.
const LETTER: f64 = 0.55;
/// The width of a bound.
const BOUND: f64 = 1.4;
/// Markers of a line with many points.
const MARKERS: usize = 12;

pub(super) const TEXT: Pen = Pen { size: 12.0, align: HPos::Left, colour: BLACK, bold: false, upwards: false };
pub(super) const TITLE: Pen = Pen { size: 18.0, bold: true, ..TEXT };
pub(super) const SUBTITLE: Pen = Pen { size: 13.0, colour: GREY, ..TEXT };
pub(super) const CAPTION: Pen = Pen { size: 11.5, colour: GREY, ..TEXT };

/// Where on the page things go.
struct Page {
    width: f64,
    height: f64,
    x: Axis,
    y: Axis,
    /// The width of a legend entry and the entries below one another.
    entry: (f64, usize),
}

impl Page {
    fn new(chart: &Chart) -> Self {
        let written = |text: &str, pen: Pen| text.chars().count() as f64 * pen.size * LETTER;
        let labels =
            chart.lines.iter().map(|line| line.label.as_str()).chain(chart.bound.iter().map(|bound| bound.label));
        let entries = labels.clone().count();
        let longest = labels.map(|label| written(label, TEXT)).fold(0.0, f64::max);
        let entry = longest + 54.0;
        // A bold letter is wider.
        let title = 1.1 * written(&chart.title, TITLE);
        let texts = [title, written(&chart.subtitle, SUBTITLE), written(&chart.caption, CAPTION), entry];
        let inner = texts.into_iter().fold(WIDTH - LEFT - RIGHT, f64::max);
        let columns = ((inner / entry) as usize).clamp(1, entries);
        let deep = entries.div_ceil(columns);
        let bound = chart.bound.iter().map(|bound| &bound.points);
        let points = || chart.lines.iter().map(|line| &line.points).chain(bound.clone()).flatten();
        let one = chart.one.then_some(1.0);
        Self {
            width: LEFT + inner + RIGHT,
            height: TOP + HEIGHT + BELOW + deep as f64 * ENTRY + MARGIN,
            x: Axis::orders(points().map(|point| point.0), chart.log),
            // Far below a bound lines would be flat.
            y: Axis::values(points().map(|point| point.1).chain(one), chart.log || chart.bound.is_some()),
            entry: (entry, deep),
        }
    }

    fn right(&self) -> f64 {
        self.width - RIGHT
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + self.x.fraction(value) * (self.right() - LEFT)
    }

    fn y(&self, value: f64) -> f64 {
        TOP + (1.0 - self.y.fraction(value)) * HEIGHT
    }
}

/// The SVG of a chart.
pub(super) fn svg(chart: &Chart) -> Result<String, Fault> {
    let page = Page::new(chart);
    canvas::svg((page.width, page.height), |canvas| {
        canvas.text(&chart.title, (LEFT, 24.0), TITLE)?;
        canvas.text(&chart.subtitle, (LEFT, 47.0), SUBTITLE)?;
        axes(canvas, &page, chart)?;
        if let Some(bound) = &chart.bound {
            let points: Vec<_> = bound.points.iter().map(|(n, value)| (page.x(*n), page.y(*value))).collect();
            canvas.dashes(&points, GREY, BOUND)?;
        }
        let marks = mark::marks(chart.lines.iter().map(|line| (line.library, line.variant.as_str())));
        for (index, (line, mark)) in chart.lines.iter().zip(&marks).enumerate() {
            series(canvas, &page, index, line, *mark)?;
        }
        legend(canvas, &page, chart, &marks)?;
        canvas.text(&chart.caption, (LEFT, page.height - 18.0), CAPTION)
    })
}

fn axes(canvas: &Canvas, page: &Page, chart: &Chart) -> Result<(), Fault> {
    let (right, bottom) = (page.right(), TOP + HEIGHT);
    for (tick, label) in page.x.order_ticks(9.0) {
        let x = page.x(tick);
        canvas.line(&[(x, TOP), (x, bottom)], PALE, 1.0)?;
        canvas.text(&label, (x, bottom + 14.0), Pen { align: HPos::Center, ..TEXT })?;
    }
    for (tick, label) in page.y.ticks(7.0) {
        let y = page.y(tick);
        canvas.line(&[(LEFT, y), (right, y)], PALE, 1.0)?;
        canvas.text(&label, (LEFT - 8.0, y), Pen { align: HPos::Right, ..TEXT })?;
    }
    if chart.one {
        canvas.line(&[(LEFT, page.y(1.0)), (right, page.y(1.0))], GREY, 1.5)?;
    }
    canvas.line(&[(LEFT, TOP), (LEFT, bottom), (right, bottom)], BLACK, 1.0)?;
    let centred = Pen { size: 13.5, align: HPos::Center, ..TEXT };
    canvas.text("order n of a matrix", ((LEFT + right) / 2.0, bottom + 36.0), centred)?;
    canvas.text(chart.y_label, (22.0, TOP + HEIGHT / 2.0), Pen { upwards: true, ..centred })
}

fn series(canvas: &Canvas, page: &Page, index: usize, line: &Line, mark: Mark) -> Result<(), Fault> {
    let points: Vec<_> = line.points.iter().map(|(n, value)| (page.x(*n), page.y(*value))).collect();
    stretch(canvas, &points, mark.colour, line.library == Library::Paper)?;
    // Lines of the same orders have their markers at different ones, so that none hides another.
    let every = points.len().div_ceil(MARKERS);
    let first = index * 5 % every;
    points.iter().skip(first).step_by(every).try_for_each(|point| marker(canvas, *point, mark))
}

fn stretch(canvas: &Canvas, points: &[(f64, f64)], colour: RGBColor, dashed: bool) -> Result<(), Fault> {
    match points {
        [_] => Ok(()),
        _ if dashed => canvas.dashes(points, colour, 1.6),
        _ => canvas.line(points, colour, 1.8),
    }
}

fn marker(canvas: &Canvas, (x, y): (f64, f64), mark: Mark) -> Result<(), Fault> {
    // A rim keeps markers apart that overlap.
    for (radius, colour) in [(5.6, WHITE), (4.4, mark.colour)] {
        let place = |points: &[(f64, f64)]| -> Vec<_> {
            points.iter().map(|(across, down)| (x + radius * across, y + radius * down)).collect()
        };
        match mark.shape {
            mark::CIRCLE => canvas.circle((x, y), 0.9 * radius, colour)?,
            shape => canvas.polygon(&place(shape), colour)?,
        }
    }
    Ok(())
}

fn legend(canvas: &Canvas, page: &Page, chart: &Chart, marks: &[Mark]) -> Result<(), Fault> {
    let (width, deep) = page.entry;
    let place =
        |index: usize| (LEFT + (index / deep) as f64 * width, TOP + HEIGHT + BELOW + (index % deep) as f64 * ENTRY);
    for (index, (line, &mark)) in chart.lines.iter().zip(marks).enumerate() {
        let (x, y) = place(index);
        if line.points.len() > 1 {
            stretch(canvas, &[(x, y), (x + 34.0, y)], mark.colour, line.library == Library::Paper)?;
        }
        marker(canvas, (x + 17.0, y), mark)?;
        canvas.text(&line.label, (x + 42.0, y), TEXT)?;
    }
    if let Some(bound) = &chart.bound {
        let (x, y) = place(chart.lines.len());
        canvas.dashes(&[(x, y), (x + 34.0, y)], GREY, BOUND)?;
        canvas.text(bound.label, (x + 42.0, y), TEXT)?;
    }
    Ok(())
}
