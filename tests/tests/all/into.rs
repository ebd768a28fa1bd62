//! Calls that write to the caller's memory: the bits of those that return fresh memory, in any layout, and nothing
//! beside.

use proptest::prelude::*;
use warplu::verify::Random;
use warplu::{Batch, BatchMut, Device, Element, Error, Layout, Matrices, Op};
use warplu_tests::compare::{assert_same, factors, pivots};
use warplu_tests::matrices::{LAYOUTS, layout, mixed, number};
use warplu_tests::results::OPS;
use warplu_tests::{devices, for_types};

/// Layouts of outputs: all but the last, which leads to an element twice.
const APART: usize = LAYOUTS - 1;

/// What no call writes by chance.
const BESIDE: f64 = 77.0;

/// Memory of an output, and where its matrices are in it.
struct Place<T> {
    data: Vec<T>,
    layout: Layout,
    size: (usize, usize, usize),
}

impl<T: Element> Place<T> {
    fn new(kind: usize, size: (usize, usize, usize)) -> Self {
        let (layout, len) = layout(kind, size.0, size.1, size.2);
        // More than is needed, so that something lies behind the last matrix too.
        Self { data: vec![number(BESIDE); len + 3], layout, size }
    }

    /// With matrices in it, which come row by row.
    fn with(kind: usize, size: (usize, usize, usize), matrices: &[T]) -> Self {
        let mut place = Self::new(kind, size);
        let places: Vec<_> = place.places().collect();
        places.into_iter().zip(matrices).for_each(|((_, at), &x)| place.data[at] = x);
        place
    }

    /// Indices of the elements, row by row, and where they are.
    fn places(&self) -> impl Iterator<Item = ((usize, usize, usize), usize)> + use<T> {
        let (Layout { batch_stride, row_stride, col_stride }, (batch, rows, cols)) = (self.layout, self.size);
        (0..batch * rows * cols).map(move |k| {
            let (b, i, j) = (k / (rows * cols), k / cols % rows, k % cols);
            ((b, i, j), b * batch_stride + i * row_stride + j * col_stride)
        })
    }

    fn out(&mut self) -> BatchMut<'_, T> {
        let (batch, rows, cols) = self.size;
        BatchMut::strided(&mut self.data, batch, rows, cols, self.layout).unwrap()
    }

    /// Asserts that it holds these matrices, and what it held before everywhere else.
    #[track_caller]
    fn check(&self, what: &str, wanted: &Matrices<T>) {
        let mut whole = vec![number(BESIDE); self.data.len()];
        self.places().for_each(|(index, at)| whole[at] = wanted[index]);
        assert_same(what, &self.data, &whole);
    }
}

/// A case: sizes, and layouts of matrices and of right-hand sides.
#[derive(Clone, Debug)]
struct Case {
    n: usize,
    batch: usize,
    rhs: usize,
    kinds: [usize; 2],
    seed: u64,
}

fn cases() -> impl Strategy<Value = Case> {
    let n = prop_oneof![1 => Just(0), 6 => 1..=9_usize, 4 => 10..=36_usize];
    (n, 0..=6_usize, 0..=4_usize, [0..APART, 0..APART], any::<u64>()).prop_map(|(n, batch, rhs, kinds, seed)| Case {
        n,
        batch,
        rhs,
        kinds,
        seed,
    })
}

fn check<T: Element>(device: &Device, case: &Case) {
    let Case { n, batch, rhs, kinds, seed } = *case;
    let mut random = Random::new(seed);
    let (a_data, b_data): (Vec<T>, Vec<T>) = (mixed(&mut random, batch, n), random.elements(batch * n * rhs));
    let (square, sides) = ((batch, n, n), (batch, n, rhs));
    let a = Batch::row_major(&a_data, batch, n, n).unwrap();
    let b = Batch::row_major(&b_data, batch, n, rhs).unwrap();

    let wanted = device.invert(&a).unwrap();
    let mut place = Place::new(kinds[0], square);
    assert_eq!(device.invert_into(&a, &mut place.out()).unwrap(), wanted.status);
    place.check("inverse", &wanted.matrices);
    let mut place = Place::with(kinds[0], square, &a_data);
    assert_eq!(device.invert_in_place(&mut place.out()).unwrap(), wanted.status);
    place.check("inverse in place", &wanted.matrices);

    let wanted = device.solve(&a, &b).unwrap();
    let mut place = Place::new(kinds[1], sides);
    assert_eq!(device.solve_into(&a, &b, &mut place.out()).unwrap(), wanted.status);
    place.check("solution", &wanted.x);
    let mut place = Place::with(kinds[1], sides, &b_data);
    assert_eq!(device.solve_in_place(&a, &mut place.out()).unwrap(), wanted.status);
    place.check("solution in place", &wanted.x);

    let lu = device.lu(&a).unwrap();
    let (mut place, mut swaps) = (Place::new(kinds[0], square), vec![u32::MAX; batch * n]);
    assert_eq!(device.lu_into(&a, &mut place.out(), &mut swaps).unwrap(), *lu.status());
    place.check("factors", factors(&lu));
    assert_eq!(swaps, pivots(&lu));
    let wanted = lu.inverse().unwrap();
    let mut place = Place::new(kinds[0], square);
    assert_eq!(lu.inverse_into(&mut place.out()).unwrap(), wanted.status);
    place.check("inverse from factors", &wanted.matrices);
    for op in OPS {
        let wanted = lu.solve(&b, op).unwrap();
        let mut place = Place::new(kinds[1], sides);
        assert_eq!(lu.solve_into(&b, &mut place.out(), op).unwrap(), wanted.status);
        place.check("solution from factors", &wanted.x);
        let mut place = Place::with(kinds[1], sides, &b_data);
        assert_eq!(lu.solve_in_place(&mut place.out(), op).unwrap(), wanted.status);
        place.check("solution from factors in place", &wanted.x);
    }
}

fn check_lu_in_place<T: Element<Scalar = T>>(device: &Device, case: &Case) {
    let Case { n, batch, kinds, seed, .. } = *case;
    let data: Vec<T> = mixed(&mut Random::new(seed), batch, n);
    let lu = device.lu(&Batch::row_major(&data, batch, n, n).unwrap()).unwrap();
    let mut place = Place::with(kinds[0], (batch, n, n), &data);
    let mut swaps = vec![u32::MAX; batch * n];
    assert_eq!(device.lu_in_place(&mut place.out(), &mut swaps).unwrap(), *lu.status());
    place.check("factors in place", factors(&lu));
    assert_eq!(swaps, pivots(&lu));
}

macro_rules! any_layout {
    ($($t:ident $in_place:expr;)*) => {
        mod any_layout {
            use super::*;
            #[allow(unused_imports)]
            use warplu::{bf16, c32, c64, f16};

            proptest! {
                #![proptest_config(ProptestConfig {
                    cases: 12,
                    failure_persistence: None,
                    ..ProptestConfig::default()
                })]
                $(#[test]
                fn $t(case in cases()) {
                    for device in devices(case.seed) {
                        check::<$t>(&device, &case);
                        let in_place: Option<fn(&Device, &Case)> = $in_place;
                        in_place.into_iter().for_each(|check| check(&device, &case));
                    }
                })*
            }
        }
    };
}
any_layout! {
    f32 Some(check_lu_in_place::<f32>);
    f64 Some(check_lu_in_place::<f64>);
    c32 Some(check_lu_in_place::<c32>);
    c64 Some(check_lu_in_place::<c64>);
    f16 None;
    bf16 None;
}

/// Page-locked memory as input and as output, which the emulator copies from and to without the workers' slots.
fn pinned<T: Element>() {
    let (batch, n, rhs) = (9, 11, 2);
    let device = Device::sim();
    let mut random = Random::new(4);
    let (a_data, b_data): (Vec<T>, Vec<T>) = (mixed(&mut random, batch, n), random.elements(batch * n * rhs));
    let plain = Batch::row_major(&a_data, batch, n, n).unwrap();
    let (inverse, lu) = (device.invert(&plain).unwrap(), device.lu(&plain).unwrap());
    let x = lu.solve(&Batch::column_major(&b_data, batch, n, rhs).unwrap(), Op::Adjoint).unwrap().x;

    let mut own = device.pinned::<T>(batch * n * n).unwrap();
    let mut out = device.pinned::<T>(batch * n * n).unwrap();
    own.copy_from_slice(&a_data);
    let a = Batch::row_major(&own, batch, n, n).unwrap();
    assert_same("inverse of page-locked", device.invert(&a).unwrap().matrices.as_slice(), inverse.matrices.as_slice());
    for limit in [usize::MAX, 64 << 10, 8 << 10] {
        let device = device.clone().with_memory_limit(limit);
        out.fill(number(BESIDE));
        let status = device.invert_into(&a, &mut BatchMut::row_major(&mut out, batch, n, n).unwrap()).unwrap();
        assert_same("page-locked to page-locked", &out, inverse.matrices.as_slice());
        assert_eq!(status, inverse.status);
    }
    let status = device.invert_in_place(&mut BatchMut::row_major(&mut own, batch, n, n).unwrap()).unwrap();
    assert_eq!(status, inverse.status);
    assert_same("page-locked in place", &own, inverse.matrices.as_slice());

    let mut sides = b_data.clone();
    let mut sides = device.pin(&mut sides).unwrap();
    let mut in_sides = BatchMut::column_major(&mut sides, batch, n, rhs).unwrap();
    assert_eq!(lu.solve_in_place(&mut in_sides, Op::Adjoint).unwrap(), *lu.status());
    assert_same("solution in a pinned slice", &sides, x.as_slice());
    // A part of page-locked memory is page-locked as well, and what is beside it stays.
    let mut part = vec![number(BESIDE); batch * n * rhs + 7];
    let mut part = device.pin(&mut part).unwrap();
    part[5..][..b_data.len()].copy_from_slice(&b_data);
    let mut middle = BatchMut::column_major(&mut part[5..][..b_data.len()], batch, n, rhs).unwrap();
    assert_eq!(lu.solve_in_place(&mut middle, Op::Adjoint).unwrap(), *lu.status());
    assert_same("solution in the middle", &part[5..][..b_data.len()], x.as_slice());
    let beside: Vec<T> = part[..5].iter().chain(&part[part.len() - 2..]).copied().collect();
    assert_same("beside it", &beside, &[number(BESIDE); 7]);
}
for_types!(pinned);

#[test]
fn wrong_sizes_are_named() {
    #[track_caller]
    fn says<R: std::fmt::Debug>(result: Result<R, Error>, part: &str) {
        match result {
            Err(error @ Error::Shape(_)) => assert!(error.to_string().contains(part), "{error}"),
            other => panic!("{other:?}"),
        }
    }
    let (data, sides) = ([1.0_f64; 18], [1.0_f64; 12]);
    for device in devices(1) {
        let a = Batch::row_major(&data, 2, 3, 3).unwrap();
        let b = Batch::row_major(&sides, 2, 3, 2).unwrap();
        let lu = device.lu(&a).unwrap();
        let mut room = [BESIDE; 18];
        {
            let mut wrong = BatchMut::row_major(&mut room, 3, 3, 2).unwrap();
            let text = |name: &str| format!("`{name}` must hold 2 matrices of 3 x 3, but it holds 3 of 3 x 2");
            says(device.invert_into(&a, &mut wrong), &text("inverse"));
            says(device.lu_into(&a, &mut wrong, &mut [0; 6]), &text("lu"));
            says(lu.inverse_into(&mut wrong), &text("inverse"));
            let text = |name: &str| format!("`{name}` must hold 2 matrices of 3 x 2, but it holds 3 of 3 x 2");
            says(device.solve_into(&a, &b, &mut wrong), &text("x"));
            says(lu.solve_into(&b, &mut wrong, Op::None), &text("x"));
            says(device.solve_in_place(&a, &mut wrong), &text("b"));
            says(lu.solve_in_place(&mut wrong, Op::None), &text("b"));
            says(device.invert_in_place(&mut wrong), "3 x 2: they must be square");
            says(device.lu_in_place(&mut wrong, &mut [0; 9]), "3 x 2: they must be square");
        }
        let mut out = BatchMut::row_major(&mut room, 2, 3, 3).unwrap();
        let swaps = "the slice for the pivots must have 6 elements, but it has 5";
        says(device.lu_into(&a, &mut out, &mut [0; 5]), swaps);
        says(device.lu_in_place(&mut out, &mut [0; 5]), swaps);
        assert_eq!(room, [BESIDE; 18], "{device}: nothing is written");
    }
    let twice = Layout { batch_stride: 0, row_stride: 3, col_stride: 1 };
    says(BatchMut::strided(&mut [0.0; 9], 2, 3, 3, twice).map(drop), "overlap");
}
