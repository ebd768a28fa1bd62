//! Arrays of ndarray, faer and nalgebra have, bit for bit, the results of plain batches of the same elements, and
//! nothing beside them is written.

use faer::{MatMut, MatRef};
use nalgebra::{DMatrix, DMatrixView, Dyn, SMatrix};
use ndarray::{Array2, Array3, ArrayView2, ArrayView3, ArrayViewMut3, Axis, ShapeBuilder, s};
use proptest::prelude::*;
use warplu::verify::Random;
use warplu::{Batch, BatchMut, Device, Element, Layout, Matrices, Ragged, RaggedMut};
use warplu_tests::compare::{assert_same, assert_same_results, one};
use warplu_tests::matrices::{LAYOUTS, fill, layout, mixed};
use warplu_tests::ragged::{Many, beside};
use warplu_tests::results::compute;
use warplu_tests::{devices, for_types};

/// What a case is drawn from.
#[derive(Clone, Debug)]
struct Case {
    n: usize,
    batch: usize,
    rhs: usize,
    kinds: [usize; 2],
    seed: u64,
}

fn cases() -> impl Strategy<Value = Case> {
    let n = prop_oneof![1 => Just(0), 8 => 1..=12_usize];
    (n, 0..=5_usize, 0..=3_usize, [0..LAYOUTS, 0..LAYOUTS], any::<u64>())
        .prop_map(|(n, batch, rhs, kinds, seed)| Case { n, batch, rhs, kinds, seed })
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 12, failure_persistence: None, max_shrink_iters: 50, ..ProptestConfig::default() }
}

fn strides(layout: Layout) -> (usize, usize, usize) {
    (layout.batch_stride, layout.row_stride, layout.col_stride)
}

/// ndarray's views with the strides of any layout, and their solutions as arrays.
fn views_in_any_layout<T: Element>(case: &Case) {
    let Case { n, batch, rhs, kinds, seed } = *case;
    let mut random = Random::new(seed);
    let mut drawn = |kind, cols| {
        let (layout, len) = layout(kind, batch, n, cols);
        (fill::<T>(&mut random, layout, len, (batch, n, cols)), layout)
    };
    let ((a, a_layout), (b, b_layout)) = (drawn(kinds[0], n), drawn(kinds[1], rhs));
    let plain = |data, cols, layout| Batch::strided(data, batch, n, cols, layout).unwrap();
    fn view<T>(data: &[T], size: (usize, usize, usize), layout: Layout) -> ArrayView3<'_, T> {
        ArrayView3::from_shape(size.strides(strides(layout)), data).unwrap()
    }
    let (a_view, b_view) = (view(&a, (batch, n, n), a_layout), view(&b, (batch, n, rhs), b_layout));
    for device in devices(seed) {
        let wanted = compute(&device, &plain(&a, n, a_layout), &plain(&b, rhs, b_layout));
        let got = compute(&device, &Batch::try_from(&a_view).unwrap(), &b_view.try_into().unwrap());
        assert_same_results("views", &got, &wanted);
        let x = got.solutions[3].x.clone();
        assert_elements(&Array3::from(x.clone()), &x);
        assert_elements(&ArrayView3::from(&x).to_owned(), &x);
        if rhs > 0 {
            // The first right-hand side of each, of shape (batch, n).
            let sides = b_view.index_axis(Axis(2), 0);
            let sides = Batch::try_from(sides).unwrap().rows_as_vectors().unwrap();
            let x = device.solve(&Batch::try_from(a_view).unwrap(), &sides).unwrap().x;
            let first: Vec<T> = (0..batch).flat_map(|b| (0..n).map(move |i| (b, i, 0))).map(|at| b_view[at]).collect();
            let first = Batch::row_major(&first, batch, n, 1).unwrap();
            assert_same("vectors", x.as_slice(), device.solve(&plain(&a, n, a_layout), &first).unwrap().x.as_slice());
        }
    }
}

#[track_caller]
fn assert_elements<T: Element>(array: &Array3<T>, matrices: &Matrices<T>) {
    assert_eq!(array.dim(), (matrices.batch(), matrices.rows(), matrices.cols()));
    let got: Vec<T> = array.iter().copied().collect();
    assert_same("elements", &got, &matrices.clone().into_row_major().unwrap());
}

/// Parts of an array, with steps and turned, are worked on in place, and the rest of it is left alone.
fn arrays_in_place<T: Element>(case: &Case) {
    let Case { n, batch, kinds, seed, .. } = *case;
    let numbers: Vec<T> = mixed(&mut Random::new(seed), batch, n);
    let matrices = ArrayView3::from_shape((batch, n, n), &numbers).unwrap();
    let mut whole = Array3::from_elem((batch + 1, 2 * n + 1, n + 2), beside::<T>());
    let part = |whole: &mut Array3<T>, then: &mut dyn FnMut(ArrayViewMut3<'_, T>)| {
        let mut part = whole.slice_mut(s![1.., 1..;2, 1..=n]);
        if kinds[0] % 2 == 1 {
            part.swap_axes(1, 2);
        }
        then(part);
    };
    part(&mut whole, &mut |mut part| part.assign(&matrices));
    let before = whole.clone();
    for device in devices(seed) {
        let wanted = device.invert(&Batch::try_from(&matrices).unwrap()).unwrap();
        let (mut expected, mut whole) = (before.clone(), before.clone());
        part(&mut expected, &mut |mut part| part.assign(&ArrayView3::from(&wanted.matrices)));
        part(&mut whole, &mut |part| {
            let mut part = BatchMut::try_from(part).unwrap();
            assert_eq!(device.invert_in_place(&mut part).unwrap(), wanted.status);
        });
        assert_same("in place", whole.as_slice().unwrap(), expected.as_slice().unwrap());
    }
}

/// Lists of faer's, ndarray's and nalgebra's matrices, of many sizes, read in both orders.
fn lists_anywhere<T: Element>(case: &Case) {
    let Case { n, batch, rhs, seed, .. } = *case;
    let mut random = Random::new(seed);
    let orders: Vec<usize> = (0..batch).map(|_| random.below(n + 1)).collect();
    let many = Many::<T>::squares(&mut random, &orders, false);
    let sides = Many::<T>::sides(&mut random, &orders, &vec![rhs; batch]);
    let plain = [many.placed(&mut random, 0, beside()), sides.placed(&mut random, 0, beside())];
    let each = |many: &Many<T>| -> Vec<(Vec<T>, (usize, usize))> {
        many.matrices.iter().cloned().zip(many.shapes.iter().copied()).collect()
    };
    let (a, b) = (each(&many), each(&sides));
    fn by_rows<T>((data, (rows, cols)): &(Vec<T>, (usize, usize))) -> MatRef<'_, T> {
        MatRef::from_row_major_slice(data, *rows, *cols)
    }
    let faer: [Vec<MatRef<'_, T>>; 2] = [a.iter().map(by_rows).collect(), b.iter().map(by_rows).collect()];
    let arrays = |of: &[(Vec<T>, (usize, usize))]| -> Vec<Array2<T>> {
        of.iter().map(|(data, shape)| Array2::from_shape_vec(*shape, data.clone()).unwrap()).collect()
    };
    let ndarray = [arrays(&a), arrays(&b)];
    // These are column by column.
    let dynamic = |of: &[(Vec<T>, (usize, usize))]| -> Vec<DMatrix<T>> {
        of.iter().map(|(data, (rows, cols))| DMatrix::from_fn(*rows, *cols, |i, j| data[i * cols + j])).collect()
    };
    let nalgebra = [dynamic(&a), dynamic(&b)];
    for device in devices(seed) {
        let wanted = device.solve(&plain[0].view(), &plain[1].view()).unwrap();
        let lists: [[Ragged<'_, T>; 2]; 3] = [
            [faer[0][..].try_into().unwrap(), faer[1][..].try_into().unwrap()],
            [ndarray[0][..].try_into().unwrap(), ndarray[1][..].try_into().unwrap()],
            [nalgebra[0][..].try_into().unwrap(), nalgebra[1][..].try_into().unwrap()],
        ];
        for [a, b] in &lists {
            let got = device.solve(a, b).unwrap();
            assert_eq!(got.status, wanted.status);
            for (got, wanted) in got.x.iter().zip(&wanted.x) {
                assert_same("a list", &got.to_vec(), &wanted.to_vec());
                // As the crates view it.
                let (rows, cols) = (got.rows(), got.cols());
                let places = || (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j)));
                let faer: Vec<T> = places().map(|at| MatRef::from(got)[at]).collect();
                let nalgebra: Vec<T> = places().map(|at| DMatrixView::<T, Dyn, Dyn>::from(got)[at]).collect();
                let ndarray: Vec<T> = ArrayView2::from(got).iter().copied().collect();
                for view in [faer, nalgebra, ndarray] {
                    assert_same("a view", &view, &wanted.to_vec());
                }
            }
        }
    }
}

/// Matrices whose rows or columns lie between each other's are worked on at once.
fn lists_in_place<T: Element>(case: &Case) {
    let Case { n, kinds, seed, .. } = *case;
    let data: Vec<T> = Random::new(seed).elements(2 * n * n);
    let turned = kinds[0] % 2 == 1;
    for device in devices(seed) {
        let mut whole = data.clone();
        let matrix = match turned {
            true => MatMut::from_column_major_slice_mut(&mut whole, n, 2 * n).transpose_mut(),
            false => MatMut::from_column_major_slice_mut(&mut whole, 2 * n, n),
        };
        let (above, below) = matrix.split_at_row_mut(n);
        let mut halves = [above, below];
        let before: Vec<Vec<T>> = halves.iter().map(|half| one(&Batch::try_from(half.as_ref()).unwrap(), 0)).collect();
        let status = device.invert_in_place(&mut RaggedMut::try_from(&mut halves[..]).unwrap()).unwrap();
        for (b, half) in halves.iter().enumerate() {
            let wanted = device.invert(&Batch::row_major(&before[b], 1, n, n).unwrap()).unwrap();
            let got = one(&Batch::try_from(half.as_ref()).unwrap(), 0);
            assert_same("a half", &got, &one(&wanted.matrices.view(), 0));
            assert_eq!(status[b], wanted.status[0]);
        }
    }
}

/// Slices of matrices of a size that the compiler knows.
fn slices_of<T: Element, const N: usize, const K: usize>(batch: usize, seed: u64) {
    let mut random = Random::new(seed);
    let (a, b): (Vec<T>, Vec<T>) = (mixed(&mut random, batch, N), random.elements(batch * N * K));
    let plain = [Batch::row_major(&a, batch, N, N).unwrap(), Batch::row_major(&b, batch, N, K).unwrap()];
    let a: Vec<SMatrix<T, N, N>> = (0..batch).map(|b| SMatrix::from_fn(|i, j| plain[0].get(b, i, j))).collect();
    let b: Vec<SMatrix<T, N, K>> = (0..batch).map(|b| SMatrix::from_fn(|i, j| plain[1].get(b, i, j))).collect();
    for device in devices(seed) {
        let wanted = compute(&device, &plain[0], &plain[1]);
        let got = compute(&device, &Batch::try_from(&a[..]).unwrap(), &Batch::try_from(&b[..]).unwrap());
        assert_eq!(
            (got.lu.status(), got.lu.all_pivots().unwrap()),
            (wanted.lu.status(), wanted.lu.all_pivots().unwrap())
        );
        let mut x = b.clone();
        let mut in_place = BatchMut::try_from(&mut x[..]).unwrap();
        let status = device.solve_in_place(&Batch::try_from(&a[..]).unwrap(), &mut in_place).unwrap();
        assert_eq!(status, wanted.solutions[3].status);
        let solutions: &[SMatrix<T, N, K>] = (&got.solutions[3].x).try_into().unwrap();
        let inverses: Vec<SMatrix<T, N, N>> = got.inverses[1].matrices.clone().try_into().unwrap();
        for b in 0..batch {
            let wanted_x = wanted.solutions[3].x.at(b).to_vec();
            for x in [&x[b], &solutions[b]] {
                assert_same("a solution", &one(&Batch::try_from(x).unwrap(), 0), &wanted_x);
            }
            let inverse = one(&Batch::try_from(&inverses[b]).unwrap(), 0);
            assert_same("an inverse", &inverse, &wanted.inverses[1].matrices.at(b).to_vec());
        }
    }
}

fn slices<T: Element>() {
    slices_of::<T, 1, 1>(5, 1);
    slices_of::<T, 2, 3>(7, 2);
    slices_of::<T, 4, 1>(40, 3);
    slices_of::<T, 9, 2>(3, 4);
    slices_of::<T, 3, 1>(0, 5);
}
for_types!(slices: f32 c64 bf16);

macro_rules! properties {
    ($($t:ident)*) => {$(
        mod $t {
            use super::*;
            #[allow(unused_imports)]
            use warplu::{bf16, c32, c64, f16};

            proptest! {
                #![proptest_config(config())]
                #[test]
                fn views_have_the_results_of_plain_batches(case in cases()) {
                    views_in_any_layout::<$t>(&case);
                }

                #[test]
                fn arrays_are_worked_on_in_place(case in cases()) {
                    arrays_in_place::<$t>(&case);
                }

                #[test]
                fn lists_have_the_results_of_plain_batches(case in cases()) {
                    lists_anywhere::<$t>(&case);
                }

                #[test]
                fn lists_are_worked_on_in_place(case in cases()) {
                    lists_in_place::<$t>(&case);
                }
            }
        }
    )*};
}
properties!(f64 c32 f16);

/// What calls say of batches from arrays is what they say of others.
#[test]
fn errors() {
    let device = Device::cpu();
    let (wide, square) = (Array3::<f64>::zeros((2, 3, 4)), Array3::<f64>::zeros((2, 3, 3)));
    let told = device.lu(&Batch::try_from(&wide).unwrap()).unwrap_err().to_string();
    assert_eq!(told, "the matrices are 3 x 4: they must be square");
    let one = Array2::<f64>::zeros((2, 3));
    let told =
        device.solve(&Batch::try_from(&square).unwrap(), &Batch::try_from(&one).unwrap()).unwrap_err().to_string();
    assert!(told.contains("`b` must hold 2 matrices of 3 x 3, but it holds 1 of 2 x 3"), "{told}");
    let list = [DMatrix::<f64>::zeros(2, 3)];
    let told = device.lu(&Ragged::try_from(&list[..]).unwrap()).unwrap_err().to_string();
    assert_eq!(told, "matrix 0 is 2 x 3: the matrices must be square");
    let told = device.lu(&Batch::try_from(&square).unwrap()).unwrap().check().unwrap_err().to_string();
    assert_eq!(told, "2 of 2 matrices cannot be used; the first is matrix 0, which is singular (U[0][0] is zero)");
}
