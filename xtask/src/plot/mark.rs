//! What tells lines apart: colours that colour-blind readers can distinguish, and shapes for print without colour.

use plotters::style::RGBColor;

/// Corners around the origin, at a distance of about 1; of none, a circle.
pub(super) type Shape = &'static [(f64, f64)];

/// The shape without corners.
pub(super) const CIRCLE: Shape = &[];

const SHAPES: [Shape; 7] = [
    CIRCLE,
    &[(-0.8, -0.8), (0.8, -0.8), (0.8, 0.8), (-0.8, 0.8)],
    &[(0.0, -1.1), (1.0, 0.8), (-1.0, 0.8)],
    &[(0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)],
    &[(0.0, 1.1), (1.0, -0.8), (-1.0, -0.8)],
    // An upright cross.
    &[
        (-0.4, -1.1),
        (0.4, -1.1),
        (0.4, -0.4),
        (1.1, -0.4),
        (1.1, 0.4),
        (0.4, 0.4),
        (0.4, 1.1),
        (-0.4, 1.1),
        (-0.4, 0.4),
        (-1.1, 0.4),
        (-1.1, -0.4),
        (-0.4, -0.4),
    ],
    // An hourglass.
    &[(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)],
];

/// The palette of Okabe and Ito, less its yellow, which white paper swallows.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(0, 0, 0),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// Of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mark {
    pub(super) colour: RGBColor,
    pub(super) shape: Shape,
}

impl Mark {
    /// Of the line with an index. No two of the first 49 are alike.
    pub(super) fn of(index: usize) -> Self {
        let shape = (index + index / COLOURS.len()) % SHAPES.len();
        Self { colour: COLOURS[index % COLOURS.len()], shape: SHAPES[shape] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_differ() {
        let marks: Vec<_> = (0..49).map(Mark::of).collect();
        for (index, mark) in marks.iter().enumerate() {
            assert!(!marks[..index].contains(mark), "{index}");
        }
    }
}
