//! A page to draw on in points, for which an SVG backend of whole numbers is too coarse: it draws in tenths.

use std::io;

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Units of the backend in a point.
const SCALE: f64 = 10.0;

/// Why nothing could be drawn.
pub(super) type Fault = DrawingAreaErrorKind<io::Error>;

/// A white page.
pub(super) struct Canvas<'a>(DrawingArea<SVGBackend<'a>, Shift>);

/// How to write.
#[derive(Clone, Copy)]
pub(super) struct Pen {
    pub(super) size: f64,
    pub(super) align: HPos,
    pub(super) colour: RGBColor,
    pub(super) bold: bool,
    /// From below to above.
    pub(super) upwards: bool,
}

fn unit(points: f64) -> i32 {
    (points * SCALE).round() as i32
}

/// The SVG of what is drawn.
pub(super) fn svg(size: (f64, f64), draw: impl FnOnce(&Canvas) -> Result<(), Fault>) -> Result<String, Fault> {
    let units = (unit(size.0).unsigned_abs(), unit(size.1).unsigned_abs());
    let mut svg = String::new();
    let canvas = Canvas(SVGBackend::with_string(&mut svg, units).into_drawing_area());
    canvas.0.fill(&WHITE)?;
    draw(&canvas)?;
    canvas.0.present()?;
    drop(canvas);
    // The view stays in units.
    let [in_units, in_points] = [(f64::from(units.0), f64::from(units.1)), size]
        .map(|(width, height)| format!("width=\"{width:.0}\" height=\"{height:.0}\" viewBox"));
    Ok(svg.replacen(&in_units, &in_points, 1))
}

impl Canvas<'_> {
    /// A line of some width through points.
    pub(super) fn line(&self, points: &[(f64, f64)], colour: RGBColor, width: f64) -> Result<(), Fault> {
        self.0.draw(&PathElement::new(units(points), stroke(colour, width)))
    }

    /// A dashed line.
    pub(super) fn dashes(&self, points: &[(f64, f64)], colour: RGBColor, width: f64) -> Result<(), Fault> {
        self.0.draw(&DashedPathElement::new(units(points), unit(6.0), unit(4.0), stroke(colour, width)))
    }

    /// A filled polygon.
    pub(super) fn polygon(&self, points: &[(f64, f64)], colour: RGBColor) -> Result<(), Fault> {
        self.0.draw(&Polygon::new(units(points), colour))
    }

    /// A filled circle.
    pub(super) fn circle(&self, (x, y): (f64, f64), radius: f64, colour: RGBColor) -> Result<(), Fault> {
        self.0.draw(&Circle::new((unit(x), unit(y)), unit(radius), colour.filled()))
    }

    /// A line of text, its middle at a height.
    pub(super) fn text(&self, text: &str, (x, y): (f64, f64), pen: Pen) -> Result<(), Fault> {
        // The backend divides by 1.24, and lets control characters through, which XML forbids.
        let font = ("sans-serif", pen.size * SCALE * 1.24).into_font();
        let font = if pen.bold { font.style(FontStyle::Bold) } else { font };
        let font = if pen.upwards { font.transform(FontTransform::Rotate270) } else { font };
        let style = font.color(&pen.colour).pos(Pos::new(pen.align, VPos::Center));
        self.0.draw_text(&text.replace(char::is_control, " "), &style, (unit(x), unit(y)))
    }
}

fn units(points: &[(f64, f64)]) -> Vec<(i32, i32)> {
    points.iter().map(|(x, y)| (unit(*x), unit(*y))).collect()
}

fn stroke(colour: RGBColor, width: f64) -> ShapeStyle {
    colour.stroke_width(unit(width).unsigned_abs())
}
