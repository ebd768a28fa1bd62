//! Improved solutions at their edges: neighbours, bad matrices, layouts, empty batches, wrong shapes.

use warplu::verify::Random;
use warplu::{Batch, Element, Error, Layout, Op, Real, Scalar, Status};
use warplu_tests::compare::{assert_same, one};
use warplu_tests::matrices::{LAYOUTS, fill, layout, mixed, number};
use warplu_tests::results::OPS;
use warplu_tests::{devices, for_types};

use super::error_bounds::refined;

fn bits<T: Element>(bounds: &[warplu::RealOf<T>]) -> Vec<u64> {
    bounds.iter().map(|x| if x.to_f64().is_nan() { u64::MAX } else { x.to_f64().to_bits() }).collect()
}

fn neighbours_do_not_matter<T: Element<Scalar = T> + Scalar>() {
    for (n, batch) in [(1, 10), (4, 10), (33, 10), (70, 5)] {
        let data: Vec<T> = mixed(&mut Random::new(n as u64), batch, n);
        let mut sides: Vec<T> = Random::new(8).elements(batch * n * 3);
        sides[3 * n - 1] = number(f64::NAN); // of the first matrix
        let (a, b) = (Batch::row_major(&data, batch, n, n).unwrap(), Batch::row_major(&sides, batch, n, 3).unwrap());
        for (device, op) in devices(n as u64).into_iter().flat_map(|device| OPS.map(|op| (device.clone(), op))) {
            let (x, all) = refined(&device, &a, &b, op);
            for i in 0..batch {
                let (own_a, own_b) = (one(&a, i), one(&b, i));
                let a = Batch::row_major(&own_a, 1, n, n).unwrap();
                let (own, alone) = refined(&device, &a, &Batch::row_major(&own_b, 1, n, 3).unwrap(), op);
                let what = format!("{} on {device}, {op:?}, n = {n}, matrix {i}", T::NAME);
                assert_same(&what, own.as_slice(), &one(&x.view(), i));
                assert_eq!(alone.status[0], all.status[i], "{what}");
                assert_eq!(bits::<T>(&alone.ferr), bits::<T>(&all.ferr[3 * i..][..3]), "{what}");
                assert_eq!(bits::<T>(&alone.berr), bits::<T>(&all.berr[3 * i..][..3]), "{what}");
                for c in 0..3 {
                    let is_nan = own.as_slice().iter().skip(c).step_by(3).all(|x| !x.to_c64().re.is_finite());
                    let is_bad = match alone.status[0] {
                        Status::SideNotFinite(side) => side as usize == c,
                        status => !status.is_ok(),
                    };
                    assert!(is_nan == is_bad && is_nan == alone.ferr[c].to_f64().is_nan(), "{what}, {c}");
                }
            }
            assert_eq!(all.status[0], Status::SideNotFinite(2));
        }
    }
}
for_types!(neighbours_do_not_matter: f32 f64 c32 c64);

fn layouts<T: Element<Scalar = T> + Scalar>() {
    let (batch, n, rhs) = (3, 34, 2);
    for kind in 0..LAYOUTS {
        let (strides, len): (Layout, usize) = layout(kind, batch, n, n);
        let data: Vec<T> = fill(&mut Random::new(kind as u64), strides, len, (batch, n, n));
        let (of_x, len) = layout((kind + 1) % (LAYOUTS - 1), batch, n, rhs);
        let sides: Vec<T> = Random::new(9).elements(batch * n * rhs);
        let a = Batch::strided(&data, batch, n, n, strides).unwrap();
        let b = Batch::column_major(&sides, batch, n, rhs).unwrap();
        for device in devices(kind as u64) {
            let lu = device.lu(&a).unwrap();
            for op in OPS {
                let (wanted, bounds) = refined(&device, &a, &b, op);
                let mut x = vec![number::<T>(0.0); len];
                let mut out = warplu::BatchMut::strided(&mut x, batch, n, rhs, of_x).unwrap();
                let _ = lu.solve_into(&b, &mut out, op).unwrap();
                let own = lu.refine(&a, &b, &mut out, op).unwrap();
                let x = out.view();
                for i in 0..batch {
                    assert_same(&format!("{device} layout {kind}"), &one(&x, i), &one(&wanted.view(), i));
                }
                assert_eq!((bits::<T>(&own.ferr), own.berr), (bits::<T>(&bounds.ferr), bounds.berr));
            }
        }
    }
}
for_types!(layouts: f32 f64 c32 c64);

#[test]
fn empty_batches_and_wrong_shapes() {
    let elements: Vec<f64> = Random::new(1).elements(18);
    for device in devices(1) {
        for (batch, n, rhs) in [(0, 3, 1), (0, 0, 0), (5, 0, 2), (2, 3, 0), (0, 3, 0), (1, 0, 0)] {
            let a = Batch::row_major(&elements[..batch * n * n], batch, n, n).unwrap();
            let b = Batch::row_major(&elements[..batch * n * rhs], batch, n, rhs).unwrap();
            let (_, bounds) = refined(&device, &a, &b, Op::None);
            assert_eq!((bounds.ferr, bounds.berr), (vec![0.0; batch * rhs], vec![0.0; batch * rhs]));
            assert_eq!(*bounds.status, vec![Status::Ok; batch]);
        }
        let a = Batch::row_major(&elements, 2, 3, 3).unwrap();
        let lu = device.lu(&a).unwrap();
        let b = Batch::row_major(&elements[..6], 2, 3, 1).unwrap();
        let fails = |a: &Batch<'_, f64>, b: &Batch<'_, f64>, rows: usize, part: &str| {
            let mut x = vec![0.0; 2 * rows];
            let error = lu.refine(a, b, &mut warplu::BatchMut::row_major(&mut x, 2, rows, 1).unwrap(), Op::None);
            match error {
                Err(error @ Error::Shape(_)) => assert!(error.to_string().contains(part), "{error}"),
                other => panic!("{other:?}"),
            }
        };
        fails(&Batch::row_major(&elements[..9], 1, 3, 3).unwrap(), &b, 3, "give those that were factored");
        fails(&a, &Batch::row_major(&elements[..4], 2, 2, 1).unwrap(), 3, "2 batches of 3 rows");
        fails(&a, &b, 2, "the output must hold 2 matrices of 3 x 1");
    }
}
