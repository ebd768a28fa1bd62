//! Other libraries' results, as the benchmark judges them.

use warplu::{Algorithm, Device, Element};

use super::faer;
use crate::bench::case::{Case, Op, Order};
use crate::bench::inputs::Numbers;
use crate::bench::judge::Judge;
use crate::bench::measure::Contender;
use crate::dtype::{Dtype, with_element};

/// What faer makes of a case is right.
fn faer_is_right<T: Element>(case: &Case) {
    let numbers = Numbers::<T>::new(case).unwrap();
    let (a, b) = numbers.repeated(case.batch).unwrap();
    let mut contender = faer(case, (&a, &b)).unwrap();
    for _ in 0..2 {
        contender.restore().unwrap();
        contender.run().unwrap();
    }
    let ratio = Judge::new(case, &numbers).ratio(&Device::cpu(), &contender.ends().unwrap()).unwrap();
    assert!(ratio.is_some_and(|ratio| ratio < 30.0), "{case}, {:?}: {ratio:?}", case.layout);
}

#[test]
fn faer_does_each_operation() {
    for op in [Op::Lu, Op::Inv, Op::LuInv, Op::Solve, Op::LuSolve, Op::Det] {
        for dtype in [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64] {
            for layout in [Order::ColumnMajor, Order::C] {
                for (n, batch) in [1, 2, 5, 33].into_iter().flat_map(|n| [(n, 1), (n, 7)]) {
                    let rhs = if op.has_right_hand_sides() { 3 } else { 0 };
                    let algorithms = vec![Algorithm::Auto];
                    let case = Case { op, algorithms, dtype, n, batch, rhs, layout, serial: None, definite: false };
                    with_element!(dtype, T => faer_is_right::<T>(&case));
                }
            }
        }
    }
}
