//! The figures and tables of four papers: what each measures.

use std::iter;

use papers::{Allocation, Columns, Correction, Interchange, Published, Strategy};
use warplu::{Algorithm, Device};
use warplu_bench_schema::{Library, Place, Row, Seconds};

use crate::case::{Case, Op, Order, Program, Way};
use crate::dtype::Dtype;
use crate::paper::{self, Paper};
use crate::results;

/// Matrices of the batches of the first paper.
const BATCH: usize = 10_000;
/// The largest single matrix that warplu's own kernels, which give it one block, are measured on.
const AUTO_LARGEST: usize = 2048;

/// A figure or a table: P1 is the paper on batched LU and inversion (2023), P2 on bordering (2015), P3 on one system by
/// LU (2025), P4 on two ways to divide Gaussian elimination
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Figure {
    /// LU by panel width
    #[value(name = "p1-10")]
    P1Fig10,
    /// Inversion from factors by panel width
    #[value(name = "p1-11")]
    P1Fig11,
    /// LU of four types beside other libraries: figures 12 and 13
    #[value(name = "p1-12", alias = "p1-13")]
    P1Fig12,
    /// Inversion of four types beside other libraries: figures 14 and 15
    #[value(name = "p1-14", alias = "p1-15")]
    P1Fig14,
    /// LU by row interchange
    #[value(name = "p1-16")]
    P1Fig16,
    /// Inversion, timely and delayed
    #[value(name = "p1-17")]
    P1Fig17,
    /// Inversion, static and dynamic
    #[value(name = "p1-18")]
    P1Fig18,
    /// The inverse of a symmetric matrix by bordering
    P2,
    /// One system by LU, element by element
    P3,
    /// One system by Gaussian elimination, divided by rows and by columns
    P4,
}

/// A part of a figure: all types at all orders.
struct Sweep {
    op: Op,
    dtypes: &'static [Dtype],
    algorithms: Vec<Algorithm>,
    serial: Option<Program>,
}

impl Figure {
    /// Its name in files.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::P1Fig10 => "p1-10",
            Self::P1Fig11 => "p1-11",
            Self::P1Fig12 => "p1-12",
            Self::P1Fig14 => "p1-14",
            Self::P1Fig16 => "p1-16",
            Self::P1Fig17 => "p1-17",
            Self::P1Fig18 => "p1-18",
            Self::P2 => "p2",
            Self::P3 => "p3",
            Self::P4 => "p4",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::P1Fig10 => "Batched LU by panel width (P1, figure 10)",
            Self::P1Fig11 => "Batched inversion from factors by panel width (P1, figure 11)",
            Self::P1Fig12 => "Batched LU (P1, figures 12 and 13)",
            Self::P1Fig14 => "Batched inversion (P1, figures 14 and 15)",
            Self::P1Fig16 => "Batched LU by row interchange (P1, figure 16)",
            Self::P1Fig17 => "Batched inversion, timely and delayed (P1, figure 17)",
            Self::P1Fig18 => "Batched inversion, static and dynamic (P1, figure 18)",
            Self::P2 => "Inverse of a symmetric matrix by bordering (P2)",
            Self::P3 => "One system by LU, a thread an element (P3)",
            Self::P4 => "One system by Gaussian elimination (P4)",
        }
    }

    fn paper(self) -> Paper {
        match self {
            Self::P2 => Paper::P2,
            Self::P3 => Paper::P3,
            Self::P4 => Paper::P4,
            _ => Paper::P1,
        }
    }

    /// The orders of the paper.
    fn orders(self) -> Vec<usize> {
        match self.paper() {
            Paper::P1 => paper::P1_ORDERS.collect(),
            Paper::P2 => (1..=8).map(|n| n * 1000).collect(),
            Paper::P3 => paper::P3_ORDERS.to_vec(),
            Paper::P4 => paper::P4_ORDERS.to_vec(),
        }
    }

    fn sweep(self) -> Sweep {
        use Correction::{Delayed, Timely};
        let with_auto = |others: &[Published]| {
            iter::once(Algorithm::Auto).chain(others.iter().copied().map(Algorithm::from)).collect()
        };
        let real = |op, algorithms, serial| Sweep { op, dtypes: &[Dtype::F32], algorithms, serial: Some(serial) };
        let complex = |op, algorithms| Sweep { op, dtypes: &[Dtype::C32], algorithms, serial: None };
        let four = |op, algorithm| Sweep {
            op,
            dtypes: &[Dtype::C32, Dtype::C64, Dtype::F32, Dtype::F64],
            algorithms: with_auto(&[algorithm]),
            serial: None,
        };
        let left = |nb, interchange| Published::LeftLooking { nb, interchange };
        let inversion = |nb, when, allocation| Published::Corrected {
            nb,
            upper: when,
            lower: when,
            allocation,
            columns: Columns::Gather,
        };
        match self {
            Self::P1Fig10 => complex(Op::Lu, with_auto(&[8, 10, 14, 18].map(|nb| left(nb, Interchange::Delayed)))),
            Self::P1Fig11 => {
                let widths = [8, 14, 20, 24, 28];
                complex(Op::LuInv, with_auto(&widths.map(|nb| inversion(nb, Delayed, Allocation::Dynamic))))
            }
            Self::P1Fig12 => four(Op::Lu, Published::LEFT_LOOKING),
            Self::P1Fig14 => four(Op::LuInv, Published::CORRECTED),
            Self::P1Fig16 => {
                let ways = [Interchange::Sequential, Interchange::Grouped, Interchange::Delayed];
                complex(Op::Lu, with_auto(&ways.map(|how| left(14, how))))
            }
            Self::P1Fig17 => {
                let ways = [(8, Timely), (8, Delayed), (16, Timely), (16, Delayed)];
                complex(Op::LuInv, with_auto(&ways.map(|(nb, when)| inversion(nb, when, Allocation::Static))))
            }
            Self::P1Fig18 => {
                let ways = [
                    (8, Allocation::Static),
                    (8, Allocation::Dynamic),
                    (16, Allocation::Static),
                    (16, Allocation::Dynamic),
                ];
                complex(Op::LuInv, with_auto(&ways.map(|(nb, how)| inversion(nb, Delayed, how))))
            }
            Self::P2 => real(
                Op::Inv,
                with_auto(&[Published::Bordering { block: Some(1) }, Published::BORDERING]),
                Program::Bordering,
            ),
            Self::P3 => real(Op::Solve, with_auto(&[Published::ELEMENT_WISE]), Program::Lu),
            Self::P4 => real(Op::Solve, with_auto(&eliminations()), Program::Elimination),
        }
    }

    /// What to measure on a device, at the paper's orders or at others.
    ///
    /// On the CPU that is the paper's serial program and warplu's own way, elsewhere the algorithms.
    pub(crate) fn cases(self, device: &Device, orders: Option<Vec<usize>>) -> Vec<Case> {
        let Sweep { op, dtypes, algorithms, serial } = self.sweep();
        let single = self.paper() != Paper::P1;
        let on_cpu = device.to_string() == "cpu";
        let case = |dtype, n| Case {
            op,
            ways: algorithms
                .iter()
                .copied()
                .filter(|&algorithm| match algorithm {
                    Algorithm::Auto => on_cpu || !single || n <= AUTO_LARGEST,
                    _ => !on_cpu,
                })
                .map(Way::from)
                .collect(),
            dtype,
            n,
            batch: if single { 1 } else { BATCH },
            rhs: usize::from(op.has_right_hand_sides()),
            // The papers on single systems are about C order.
            layout: if single && op == Op::Solve { Order::C } else { Order::ColumnMajor },
            serial: serial.filter(|_| on_cpu),
            definite: matches!(self, Self::P2 | Self::P4),
        };
        let orders = orders.unwrap_or_else(|| self.orders());
        dtypes
            .iter()
            .flat_map(|&dtype| orders.iter().map(move |&n| (dtype, n)))
            .map(|(dtype, n)| case(dtype, n))
            .collect()
    }

    /// The paper's own numbers.
    pub(crate) fn published(self) -> Vec<Row> {
        let Sweep { op, dtypes, .. } = self.sweep();
        let points = paper::points(self.paper()).into_iter().filter(|point| {
            let same = point.op == op.name() || (op == Op::LuInv && point.op == Op::Inv.name());
            same && dtypes.iter().any(|dtype| dtype.name() == point.dtype)
        });
        let row = |point: paper::Point| {
            let dtype = *dtypes.iter().find(|dtype| dtype.name() == point.dtype)?;
            let single = self.paper() != Paper::P1;
            let case = Case {
                op,
                ways: Vec::new(),
                dtype,
                n: point.n,
                batch: if single { 1 } else { BATCH },
                rhs: usize::from(op.has_right_hand_sides()),
                layout: if single && op == Op::Solve { Order::C } else { Order::ColumnMajor },
                serial: None,
                definite: false,
            };
            let seconds = match (point.milliseconds, point.tflops) {
                (Some(milliseconds), _) => milliseconds / 1e3,
                (None, Some(tflops)) => case.flops() / tflops / 1e12,
                (None, None) => return None,
            };
            let seconds = Seconds { median: seconds, min: None, max: None, runs: None };
            let row = results::row(&case, Library::Paper, Some(point.label.to_owned()), Place::Device, seconds);
            Some(Row { gpu: Some(point.gpu.to_owned()), ..row })
        };
        points.filter_map(row).collect()
    }
}

/// The fourth paper's ways to divide the work, without pivoting as there, and the usable one with it.
fn eliminations() -> Vec<Published> {
    let way = |strategy, threads, pivoting| Published::Elimination { strategy, threads, pivoting };
    let mut ways = vec![
        way(Strategy::Rows, 256, false),
        way(Strategy::RowsShared, 256, false),
        way(Strategy::ColumnsShared, 256, false),
        way(Strategy::Columns, 256, true),
    ];
    ways.extend([64, 128, 256, 512, 1024].map(|threads| way(Strategy::Columns, threads, false)));
    ways
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn every_figure_has_cases_and_the_papers_numbers() {
        for &figure in Figure::value_variants() {
            let cases = figure.cases(&Device::sim(), None);
            assert!(cases.iter().all(|case| !case.ways.is_empty()), "{figure:?}");
            assert!(cases.len() >= 6 && !figure.published().is_empty(), "{figure:?}");
        }
    }

    #[test]
    fn serial_programs_are_the_cpus() {
        let of = |device| Figure::P4.cases(&device, Some(vec![64]));
        assert_eq!(of(Device::cpu())[0].serial, Some(Program::Elimination));
        assert_eq!(of(Device::cpu())[0].ways, [Algorithm::Auto.into()]);
        assert_eq!(of(Device::sim())[0].serial, None);
    }

    #[test]
    fn published_numbers_keep_their_gpu() {
        let rows = Figure::P2.published();
        assert!(rows.iter().any(|row| row.gpu.as_deref() == Some("GTX 780") && row.seconds.unwrap().median == 19.03));
    }
}
