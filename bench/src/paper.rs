//! What four papers published, to stand beside what is measured here.

/// A paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paper {
    /// Batched LU and inversion, a block a matrix (Journal of Software 34, 2023).
    P1,
    /// The inverse of a symmetric matrix by bordering (Computer Engineering and Design 36(8), 2015).
    P2,
    /// One dense system by right-looking LU (2025).
    P3,
    /// Gaussian elimination, divided in two ways.
    P4,
}

/// A published number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    /// Which of the paper's programs.
    pub(crate) label: &'static str,
    /// The GPU, or `"CPU"` for programs that used none.
    pub(crate) gpu: &'static str,
    pub(crate) op: &'static str,
    pub(crate) dtype: &'static str,
    pub(crate) n: usize,
    pub(crate) milliseconds: Option<f64>,
    pub(crate) tflops: Option<f64>,
}

/// A program's times over the orders of its paper, in milliseconds.
type Times = [f64; 6];

/// The orders of P1's figures.
pub(crate) const P1_ORDERS: std::ops::RangeInclusive<usize> = 33..=190;
const P1_DTYPES: [&str; 4] = ["c32", "c64", "f32", "f64"];
/// About, in TFLOP/s, by type.
const P1_PEAKS: [(&str, [f64; 4]); 2] = [("lu", [2.0, 1.2, 1.0, 0.67]), ("inv", [4.0, 2.0, 2.2, 1.2])];

const P2_ORDER: usize = 8000;
const P2_SECONDS: f64 = 19.03;
const P2_SERIAL_MINUTES: f64 = 88.5;

pub(crate) const P3_ORDERS: [usize; 6] = [64, 128, 256, 512, 1024, 2048];
const P3_TIMES: [(&str, &str, Times); 3] = [
    ("serial", "CPU", [1.37, 11.03, 87.04, 700.55, 5509.17, 45376.68]),
    ("CUDA", "RTX 4060", [2.40, 8.23, 30.35, 116.79, 424.53, 1335.51]),
    ("OpenMP", "CPU", [1.82, 9.34, 45.53, 194.46, 1202.15, 8534.28]),
];

pub(crate) const P4_ORDERS: [usize; 6] = [256, 512, 1024, 2048, 4096, 8192];
const P4_TIMES: [(&str, &str, Times); 3] = [
    ("serial", "CPU", [15.568, 140.059, 1139.062, 9196.672, 68115.675, 537561.435]),
    ("A: a thread a row", "T4", [26.65, 133.43, 571.8, 2902.44, 16773.0, 116790.0]),
    ("B: a block of 256 threads a row", "T4", [5.22, 17.13, 50.16, 172.32, 644.93, 2394.45]),
];
/// For P3 and P4, of which no type is known here.
const P34_DTYPE: &str = "f32";

/// All numbers of a paper. P1 names peaks without their orders: they are put at the largest.
pub(crate) fn points(paper: Paper) -> Vec<Point> {
    match paper {
        Paper::P1 => peaks().collect(),
        Paper::P2 => {
            let programs =
                [("bordering", "GTX 780", P2_SECONDS * 1e3), ("serial bordering", "CPU", P2_SERIAL_MINUTES * 60e3)];
            let point = |(label, gpu, milliseconds)| timed(label, gpu, "inv", "f32", P2_ORDER, milliseconds);
            programs.map(point).to_vec()
        }
        Paper::P3 => table(&P3_ORDERS, &P3_TIMES).collect(),
        Paper::P4 => table(&P4_ORDERS, &P4_TIMES).collect(),
    }
}

fn peaks() -> impl Iterator<Item = Point> {
    let n = *P1_ORDERS.end();
    let (label, gpu) = ("peak, n not named", "TITAN V");
    P1_PEAKS.into_iter().flat_map(move |(op, peaks)| {
        let point = move |(dtype, tflops)| Point { label, gpu, op, dtype, n, milliseconds: None, tflops: Some(tflops) };
        P1_DTYPES.into_iter().zip(peaks).map(point)
    })
}

fn table(orders: &[usize; 6], programs: &[(&'static str, &'static str, Times)]) -> impl Iterator<Item = Point> {
    programs.iter().flat_map(move |(label, gpu, times)| {
        let point = move |(n, time): (&usize, &f64)| timed(label, gpu, "solve", P34_DTYPE, *n, *time);
        orders.iter().zip(times).map(point)
    })
}

fn timed(
    label: &'static str,
    gpu: &'static str,
    op: &'static str,
    dtype: &'static str,
    n: usize,
    milliseconds: f64,
) -> Point {
    Point { label, gpu, op, dtype, n, milliseconds: Some(milliseconds), tflops: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(paper: Paper, label: &str, n: usize) -> f64 {
        let points = points(paper);
        let point = points.iter().find(|point| point.label.starts_with(label) && point.n == n);
        point.and_then(|point| point.milliseconds).unwrap()
    }

    #[test]
    fn numbers_agree_with_the_papers_own_ratios() {
        let speedup = time(Paper::P2, "serial", 8000) / time(Paper::P2, "bordering", 8000);
        assert_eq!(speedup.round(), 279.0);
        assert!(time(Paper::P3, "CUDA", 64) > time(Paper::P3, "serial", 64));
        assert!(time(Paper::P4, "serial", 8192) / time(Paper::P4, "B", 8192) > 220.0);
    }

    #[test]
    fn papers_are_whole() {
        let papers = [Paper::P1, Paper::P2, Paper::P3, Paper::P4];
        assert_eq!(papers.map(|paper| points(paper).len()), [8, 2, 18, 18]);
        for point in papers.into_iter().flat_map(points) {
            assert!(point.milliseconds.is_some() != point.tflops.is_some(), "{point:?}");
        }
    }
}
