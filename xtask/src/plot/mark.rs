//! What tells lines apart: colours that colour-blind readers can distinguish, and shapes for print without colour.

use std::collections::{BTreeMap, BTreeSet};

use plotters::style::RGBColor;

use crate::measurements::Library;

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

/// The index of a library's colour, the same in all charts. Libraries that share one seldom share a chart.
fn colour_of(library: Library) -> usize {
    match library {
        Library::Warplu => 0,
        Library::Cublas | Library::Mkl => 1,
        Library::Magma | Library::Openblas => 2,
        Library::Cusolver | Library::Torch => 3,
        Library::Paper => 4,
        Library::Serial | Library::Faer => 5,
        Library::Nalgebra => 6,
    }
}

/// Of a chart's lines, by library and variant: a library's first variant has the colour of the library, others have
/// those that no library there has, as long as there are some. Lines of one colour have different shapes. No two of 49
/// are alike where there are as many variants.
pub(super) fn marks<'a>(lines: impl Iterator<Item = (Library, &'a str)> + Clone) -> Vec<Mark> {
    let taken: BTreeSet<_> = lines.clone().map(|(library, _)| colour_of(library)).collect();
    let free = (0..COLOURS.len()).filter(|colour| !taken.contains(colour));
    let mut further = free.chain((0..).map(|index| index % COLOURS.len()));
    let mut colours: BTreeMap<(Library, &str), usize> = BTreeMap::new();
    let mut counts = [0; COLOURS.len()];
    let mark = |(library, variant): (Library, &'a str)| {
        let first = colours.keys().all(|(known, _)| *known != library);
        let colour = *colours
            .entry((library, variant))
            .or_insert_with(|| if first { colour_of(library) } else { further.next().unwrap_or(0) });
        let shape = (colour + counts[colour]) % SHAPES.len();
        counts[colour] += 1;
        Mark { colour: COLOURS[colour], shape: SHAPES[shape] }
    };
    lines.map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_differ() {
        let variants: Vec<_> = (0..49).map(|index| index.to_string()).collect();
        let marks = marks(variants.iter().map(|variant| (Library::Warplu, variant.as_str())));
        for (index, mark) in marks.iter().enumerate() {
            assert!(!marks[..index].contains(mark), "{index}");
        }
    }

    #[test]
    fn a_library_has_one_colour() {
        let lines = [
            (Library::Warplu, "a"),
            (Library::Warplu, "a"),
            (Library::Warplu, "b"),
            (Library::Cublas, ""),
            (Library::Cublas, ""),
        ];
        let marks = marks(lines.into_iter());
        let colours: Vec<_> = marks.iter().map(|mark| mark.colour).collect();
        assert_eq!(colours, [0, 0, 2, 1, 1].map(|index| COLOURS[index]));
        assert!(marks[0] != marks[1] && marks[3] != marks[4]);
    }
}
