//! The map: how warplu compares with the fastest other library in every case that was measured, a cell each.

use std::collections::{BTreeMap, BTreeSet};

use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

use super::axis;
use super::canvas::{self, Canvas, Fault, Pen};
use super::chart::{BLACK, CAPTION, GREY, SUBTITLE, TEXT, TITLE, WHITE};
use crate::comparison::{self, Case, Comparison, DTYPES, OPS};
use crate::cusolverdx::Ratios;
use crate::error::Error;
use crate::measurements::{Library, Measurements, Place, Row};

/// Where matrices are, in the words of files: place and layout, each any if empty; and of the map.
const PLACES: [(Place, &str, &str); 3] = [
    (Place::Device, "column-major", "GPU memory, column by column"),
    (Place::Device, "c", "GPU memory, row by row (other libraries: column by column)"),
    (Place::Host, "", "host memory, to the GPU and back"),
];
/// From which speed-up on a cell has which colour: orange below 1, then blue.
const SHADES: [(f64, RGBColor); 6] = [
    (0.0, RGBColor(213, 94, 0)),
    (0.9, RGBColor(240, 178, 122)),
    (1.0, RGBColor(226, 238, 247)),
    (1.7, RGBColor(176, 212, 235)),
    (2.5, RGBColor(104, 172, 215)),
    (5.0, RGBColor(0, 114, 178)),
];

/// Points of the page.
const MARGIN: f64 = 24.0;
const HEAD: f64 = 66.0;
const CELL: (f64, f64) = (31.0, 15.0);
/// Left of all panels, for the operations and the types.
const NAMES: f64 = 98.0;
const TYPES: f64 = 30.0;
/// The least width of a panel: that of what it says of the batch.
const PANEL: f64 = 100.0;
const GAP: f64 = 12.0;
const FOOT: f64 = 40.0;

const SMALL: Pen = Pen { size: 10.0, ..TEXT };

/// The cells of a place: speed-ups by batch, operation with right-hand sides, type and order.
#[derive(Debug)]
struct Section {
    title: &'static str,
    cells: BTreeMap<Case, f64>,
}

/// The SVG, and a line of text for each cell in which warplu is behind.
pub(super) fn draw(files: &[Measurements]) -> Result<(String, Vec<String>), Error> {
    let ratios = Ratios::read()?;
    let (mut sections, mut behind) = (Vec::new(), Vec::new());
    for (place, layout, title) in PLACES {
        let compared = comparison::compare(rows(files, place, layout), &ratios);
        behind.extend(compared.iter().filter(|point| point.speedup() < 1.0).map(|point| describe(point, title)));
        let cells: BTreeMap<_, _> = compared
            .iter()
            .filter(|point| point.case.n.is_power_of_two())
            .map(|point| (point.case, point.speedup()))
            .collect();
        if !cells.is_empty() {
            sections.push(Section { title, cells });
        }
    }
    if sections.is_empty() {
        return Err(Error::NoPeers);
    }
    let mut origins: Vec<_> = files.iter().map(Measurements::origin).collect();
    origins.sort();
    origins.dedup();
    let svg = picture(&sections, &origins.join("; ")).map_err(std::io::Error::other);
    Ok((svg.map_err(Error::io(std::path::Path::new("map.svg")))?, behind))
}

/// warplu's rows of a place and a layout, and the other libraries', which may have measured one layout alone.
fn rows<'a>(files: &'a [Measurements], place: Place, layout: &'a str) -> impl Iterator<Item = &'a Row> {
    let rows = files.iter().filter(|file| file.gpu.is_some()).flat_map(|file| &file.rows);
    rows.filter(move |row| {
        let is_ours = row.library == Library::Warplu;
        let lies_so = !is_ours || layout.is_empty() || row.layout == layout;
        row.place == place && lies_so
    })
}

fn describe(point: &Comparison, place: &str) -> String {
    let Case { op, dtype, n, batch, rhs } = point.case;
    let (op, dtype, times, peer) = (OPS[op], DTYPES[dtype], point.speedup(), &point.peer.0);
    let sides = if rhs > 1 { format!(" ({rhs} right-hand sides)") } else { String::new() };
    format!("{op}{sides} {dtype}, {batch} of order {n}, {place}: {times:.2} of {peer}")
}

impl Section {
    fn batches(&self) -> BTreeSet<u64> {
        self.cells.keys().map(|case| case.batch).collect()
    }

    /// The orders of a batch: the columns of its panels.
    fn orders(&self, batch: u64) -> Vec<u32> {
        let orders: BTreeSet<_> = self.cells.keys().filter(|case| case.batch == batch).map(|case| case.n).collect();
        orders.into_iter().collect()
    }

    /// Operations with right-hand sides: the rows of panels.
    fn operations(&self) -> BTreeSet<(usize, u32)> {
        self.cells.keys().map(|case| (case.op, case.rhs)).collect()
    }

    /// Types: the rows of a panel.
    fn dtypes(&self) -> Vec<usize> {
        let dtypes: BTreeSet<_> = self.cells.keys().map(|case| case.dtype).collect();
        dtypes.into_iter().collect()
    }

    fn width(&self) -> f64 {
        NAMES + TYPES + self.batches().into_iter().map(|batch| self.panel_width(batch)).sum::<f64>()
    }

    fn panel_width(&self, batch: u64) -> f64 {
        PANEL.max(self.orders(batch).len() as f64 * CELL.0) + GAP
    }

    /// Of a row of panels.
    fn panel_height(&self) -> f64 {
        self.dtypes().len() as f64 * CELL.1 + GAP
    }

    fn height(&self) -> f64 {
        HEAD + self.operations().len() as f64 * self.panel_height()
    }
}

fn picture(sections: &[Section], origin: &str) -> Result<String, Fault> {
    let width = sections.iter().map(Section::width).fold(640.0, f64::max) + 2.0 * MARGIN;
    let height = HEAD + sections.iter().map(Section::height).sum::<f64>() + FOOT;
    canvas::svg((width, height), |canvas| {
        canvas.text("warplu over the fastest other library", (MARGIN, 24.0), TITLE)?;
        legend(canvas, (MARGIN, 50.0))?;
        let mut top = HEAD;
        for section in sections {
            draw_section(canvas, section, top)?;
            top += section.height();
        }
        canvas.text(origin, (MARGIN, height - 18.0), CAPTION)
    })
}

fn legend(canvas: &Canvas, (mut x, y): (f64, f64)) -> Result<(), Fault> {
    for (index, (from, colour)) in SHADES.into_iter().enumerate() {
        rectangle(canvas, (x, y - 6.0), (18.0, 12.0), colour)?;
        let text = match SHADES.get(index + 1) {
            Some((to, _)) if index == 0 => format!("below {}", axis::label(*to)),
            Some((to, _)) => format!("{} to {}", axis::label(from), axis::label(*to)),
            None => format!("{} times as fast and more", axis::label(from)),
        };
        canvas.text(&text, (x + 24.0, y), TEXT)?;
        x += 100.0;
    }
    Ok(())
}

fn draw_section(canvas: &Canvas, section: &Section, top: f64) -> Result<(), Fault> {
    canvas.text(section.title, (MARGIN, top + 18.0), SUBTITLE)?;
    for (row, operation) in section.operations().into_iter().enumerate() {
        let y = top + HEAD + row as f64 * section.panel_height() + 0.5 * CELL.1;
        canvas.text(&name(operation), (MARGIN, y), TEXT)?;
        for (row, dtype) in section.dtypes().into_iter().enumerate() {
            let at = (MARGIN + NAMES, y + row as f64 * CELL.1);
            canvas.text(DTYPES[dtype], at, Pen { colour: GREY, ..SMALL })?;
        }
    }
    let mut left = MARGIN + NAMES + TYPES;
    for batch in section.batches() {
        let orders = section.orders(batch);
        let matrices =
            if batch == 1 { "one matrix".to_owned() } else { format!("{} matrices", axis::label(batch as f64)) };
        canvas.text(&matrices, (left, top + 38.0), Pen { bold: true, ..TEXT })?;
        for (column, n) in orders.iter().enumerate() {
            let x = left + (column as f64 + 0.5) * CELL.0;
            canvas.text(&n.to_string(), (x, top + 55.0), Pen { align: HPos::Center, colour: GREY, ..SMALL })?;
        }
        for (row, operation) in section.operations().into_iter().enumerate() {
            let y = top + HEAD + row as f64 * section.panel_height();
            draw_panel(canvas, section, (batch, operation), &orders, (left, y))?;
        }
        left += section.panel_width(batch);
    }
    Ok(())
}

fn draw_panel(
    canvas: &Canvas,
    section: &Section,
    (batch, (op, rhs)): (u64, (usize, u32)),
    orders: &[u32],
    (left, top): (f64, f64),
) -> Result<(), Fault> {
    for (row, dtype) in section.dtypes().into_iter().enumerate() {
        let y = top + row as f64 * CELL.1;
        for (column, &n) in orders.iter().enumerate() {
            let Some(&times) = section.cells.get(&Case { op, dtype, n, batch, rhs }) else { continue };
            let x = left + column as f64 * CELL.0;
            rectangle(canvas, (x, y), (CELL.0 - 1.0, CELL.1 - 1.0), shade(times))?;
            let is_dark = times < SHADES[1].0 || times >= SHADES[5].0;
            let pen = Pen { align: HPos::Center, colour: if is_dark { WHITE } else { BLACK }, ..SMALL };
            let text = if times < 10.0 { format!("{times:.1}") } else { format!("{times:.0}") };
            // What is just below 1 is not to read as 1.
            let text = if (0.95..1.0).contains(&times) { format!("{:.2}", times.min(0.99)) } else { text };
            canvas.text(&text, (x + 0.5 * (CELL.0 - 1.0), y + 0.5 * (CELL.1 - 1.0)), pen)?;
        }
    }
    Ok(())
}

fn rectangle(canvas: &Canvas, (x, y): (f64, f64), (width, height): (f64, f64), colour: RGBColor) -> Result<(), Fault> {
    canvas.polygon(&[(x, y), (x + width, y), (x + width, y + height), (x, y + height)], colour)
}

fn shade(times: f64) -> RGBColor {
    SHADES.into_iter().rfind(|(from, _)| times >= *from).map_or(SHADES[0].1, |(_, colour)| colour)
}

fn name((op, rhs): (usize, u32)) -> String {
    match (OPS[op], rhs) {
        ("lu", _) => "LU".to_owned(),
        ("inv", _) => "inverse".to_owned(),
        ("lu-inv", _) => "LU to inverse".to_owned(),
        ("lu-solve", 1) => "LU to solution".to_owned(),
        ("lu-solve", rhs) => format!("LU to {rhs}"),
        (_, 1) => "solve".to_owned(),
        (_, rhs) => format!("solve, {rhs}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurements::tests::{file, row};

    #[test]
    fn a_cell_a_case_and_a_line_for_each_behind() {
        let slow = row("warplu", "auto", 64, 3.0, 1.0).replace("column-major", "c");
        let rows = [
            row("warplu", "auto", 64, 1.0, 1.0),
            slow,
            row("cublas", "getrf", 64, 2.0, 1.0),
            // Not a power of two.
            row("warplu", "auto", 65, 1.0, 1.0),
            row("magma", "", 65, 0.5, 1.0),
        ];
        let (svg, behind) = draw(&[file("", &rows)]).unwrap();
        for text in ["GPU memory, column by column", "10 matrices", "LU", "f64"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        assert!(!svg.contains("host memory"));
        assert_eq!(behind.len(), 2, "{behind:?}");
        assert!(behind[0].starts_with("lu f64, 10 of order 65, GPU memory, column by column: 0.50 of MAGMA"));
    }

    #[test]
    fn shades_follow_the_speedup() {
        let shades = [0.5, 0.95, 1.0, 2.0, 3.0, 50.0].map(shade);
        assert_eq!(shades, SHADES.map(|(_, colour)| colour));
    }
}
