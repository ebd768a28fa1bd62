//! Other libraries' results, as the benchmark judges them.

use warplu::{Algorithm, Device};

use super::{Field, faer, faer_cholesky, nalgebra};
use crate::case::{Case, Op, Order};
use crate::contender::Contender;
use crate::dtype::{Dtype, with_element};
use crate::inputs::Numbers;
use crate::judge::Judge;

/// Calls `check` with each operation, type and layout, at orders that a library may treat differently.
fn for_each_case(check: fn(&Case)) {
    for op in [Op::Lu, Op::Inv, Op::LuInv, Op::Solve, Op::LuSolve, Op::Det] {
        for dtype in [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64] {
            for layout in [Order::ColumnMajor, Order::C] {
                for (n, batch) in [1, 2, 3, 4, 5, 33].into_iter().flat_map(|n| [(n, 1), (n, 7)]) {
                    for rhs in if op.has_right_hand_sides() { 1..=3 } else { 0..=0 } {
                        let ways = vec![Algorithm::Auto.into()];
                        check(&Case { op, ways, dtype, n, batch, rhs, layout, serial: None, definite: false });
                    }
                }
            }
        }
    }
}

/// What contenders make of a case is right.
fn are_right<T: Field, C: Contender<T>>(case: &Case, contenders: impl FnOnce(&[T], &[T]) -> Vec<C>) {
    let numbers = Numbers::<T>::new(case).unwrap();
    let (a, b) = numbers.repeated(case.batch).unwrap();
    for mut contender in contenders(&a, &b) {
        for _ in 0..2 {
            contender.restore().unwrap();
            contender.run().unwrap();
        }
        let ratio = Judge::new(case, &numbers).ratio(&Device::cpu(), &contender.ends().unwrap()).unwrap();
        assert!(ratio.is_some_and(|ratio| ratio < 30.0), "{case}, {:?}: {ratio:?}", case.layout);
    }
}

#[test]
fn faer_does_each_operation() {
    for_each_case(|case| {
        with_element!(case.dtype, T => are_right::<T, _>(case, |a, b| vec![faer(case, (a, b)).unwrap()]));
    });
}

#[test]
fn faer_does_cholesky() {
    for op in [Op::Chol, Op::CholInv, Op::CholSolve] {
        for dtype in [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64] {
            for (n, batch) in [(1, 1), (5, 7), (33, 2)] {
                let (ways, layout) = (vec![Algorithm::Auto.into()], Order::ColumnMajor);
                let rhs = if op.has_right_hand_sides() { 2 } else { 0 };
                let case = &Case { op, ways, dtype, n, batch, rhs, layout, serial: None, definite: false };
                with_element!(dtype, T => are_right::<T, _>(case, |a, b| vec![faer_cholesky(case, (a, b)).unwrap()]));
            }
        }
    }
}

fn nalgebra_is_right<T: Field>(case: &Case) {
    are_right::<T, _>(case, |a, b| nalgebra(case, (a, b)).map(|(_, contender)| contender).collect());
}

#[test]
fn nalgebra_does_each_operation() {
    for_each_case(|case| with_element!(case.dtype, T => nalgebra_is_right::<T>(case)));
}
