//! The vectors, operation by operation, against arrays.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use numbers::det_product::LogProduct;
use numbers::scalar::{Real, c64};
use simt::math::Fused;

use super::Random;
use super::batch::Determinants;
use crate::lanes::Isa;
use crate::lanes::isa::{Kind, LaneScalar};
use crate::lanes::log_product::LogProducts;
use crate::lanes::number::Number;
use crate::lanes::vector::Doubles;
use crate::lanes::vector::{MAX_LANES, Vector};

/// Checks a vector; it is run where the CPU has it.
fn check<V: Vector>() {
    let mut random = Random(1);
    let lanes = V::LANES;
    let real = |x: f64| <V::Real as numbers::scalar::Real>::from_f64(x);
    let a: Vec<V::Real> = (0..MAX_LANES).map(|_| real(random.real())).collect();
    let b: Vec<V::Real> = (0..MAX_LANES).map(|_| real(random.real())).collect();
    let nan = real(f64::NAN);
    // SAFETY: the CPU has the instructions, and arrays are long enough.
    unsafe {
        let get = |x: V| {
            let mut out = vec![real(7.0); MAX_LANES];
            x.store(out.as_mut_ptr());
            assert!(out[lanes..].iter().all(|&x| x == real(7.0)));
            out[..lanes].to_vec()
        };
        let (x, y) = (V::load(a.as_ptr()), V::load(b.as_ptr()));
        assert_eq!(get(x), a[..lanes]);
        for count in 0..=lanes {
            let first = get(V::load_first(a.as_ptr(), count));
            assert!((0..lanes).all(|w| first[w] == if w < count { a[w] } else { real(0.0) }));
            let mut out = vec![real(7.0); MAX_LANES];
            x.store_first(out.as_mut_ptr(), count);
            assert!((0..MAX_LANES).all(|w| out[w] == if w < count { a[w] } else { real(7.0) }));
        }
        let offsets: [u32; MAX_LANES] = std::array::from_fn(|w| (w as u32 * 7 + 3) % MAX_LANES as u32);
        assert_eq!(
            get(V::gather(a.as_ptr(), &offsets)),
            (0..lanes).map(|w| a[offsets[w] as usize]).collect::<Vec<_>>()
        );
        let by_lane = |f: &dyn Fn(V::Real, V::Real) -> V::Real| (0..lanes).map(|w| f(a[w], b[w])).collect::<Vec<_>>();
        assert_eq!(get(x.add(y)), by_lane(&|a, b| a + b));
        assert_eq!(get(Vector::mul(x, y)), by_lane(&|a, b| a * b));
        assert_eq!(get(Vector::div(x, y)), by_lane(&|a, b| a / b));
        assert_eq!(get(x.abs()), by_lane(&|a, _| numbers::scalar::Scalar::abs1(a)));
        assert_eq!(get(x.max(y)), by_lane(&|a, b| if a > b { a } else { b }));
        let fused = |a: V::Real, b: V::Real, c: V::Real| if V::HAS_FMA { Fused::mul_add(a, b, c) } else { a * b + c };
        assert_eq!(get(x.mul_add(y, y)), by_lane(&|a, b| fused(a, b, b)));
        assert_eq!(get(Vector::sub_mul(x, y, y)), by_lane(&|a, b| fused(-b, b, a)));
        assert_eq!(get(V::splat(nan).max(x)), a[..lanes]);
        assert_eq!(get(V::select(x.less(y), x, y)), by_lane(&|a, b| if a < b { a } else { b }));
        let bits = (0..lanes).map(|w| u32::from(a[w] < b[w]) << w).sum::<u32>();
        assert_eq!(V::bits(x.less(y)), bits);
        assert_eq!(V::bits(x.equal(x)), V::ALL);
        assert_eq!(V::bits(x.equal(V::splat(nan))), 0);
        assert_eq!(V::bits(V::both(x.less(y), x.equal(x))), bits);
        let square: Vec<V::Real> = (0..lanes * lanes).map(|_| real(random.real())).collect();
        let mut rows = [x; MAX_LANES];
        for i in 0..lanes {
            rows[i] = V::load(square.as_ptr().add(i * lanes));
        }
        V::transpose(&mut rows);
        for i in 0..lanes {
            assert_eq!(get(rows[i]), (0..lanes).map(|j| square[j * lanes + i]).collect::<Vec<_>>());
        }
        check_pieces::<V, 1>();
        check_pieces::<V, 2>();
        check_pieces::<V, 4>();
        check_pieces::<V, 8>();
        check_pieces::<V, 16>();
        let mut doubles = vec![7.0; MAX_LANES];
        Vector::store(V::load_doubles(a.as_ptr()), doubles.as_mut_ptr());
        for (w, &double) in doubles.iter().enumerate() {
            assert_eq!(double, if w < V::Doubles::LANES { a[w].to_f64() } else { 7.0 });
        }
        check_logarithms::<V::Doubles>();
        let whole: Vec<V::Real> = (0..MAX_LANES).map(|w| real((w * 4099) as f64)).collect();
        let integers = V::load(whole.as_ptr()).to_integers();
        assert!((0..lanes).all(|w| integers[w] as usize == w * 4099));
        assert!(V::splat(real(-1.0)).to_integers()[..lanes].iter().all(|&x| x == -1));
    }
}

/// Lines of `Q` numbers a lane, loaded in pieces, transposed, and the way back.
///
/// # Safety
/// The CPU has the vector.
unsafe fn check_pieces<V: Vector, const Q: usize>() {
    if Q > V::LANES {
        return;
    }
    let mut random = Random(Q as u64);
    // Lines with gaps between them.
    let real = |x: f64| <V::Real as numbers::scalar::Real>::from_f64(x);
    let data: Vec<V::Real> = (0..MAX_LANES * 19 + 1).map(|_| real(random.real())).collect();
    let mut copy = vec![real(7.0); data.len()];
    let (step, from, to) = (19, data.as_ptr().wrapping_add(1), copy.as_mut_ptr().wrapping_add(1));
    // SAFETY: the lines are there.
    unsafe {
        let mut rows = [V::splat(real(0.0)); MAX_LANES];
        for i in 0..Q {
            rows[i] = V::load_pieces::<Q>(from.add(i * step), (Q * step) as isize);
        }
        V::transpose_squares::<Q>(&mut rows);
        for e in 0..Q {
            let mut lanes = [real(7.0); MAX_LANES];
            rows[e].store(lanes.as_mut_ptr());
            for w in 0..V::LANES {
                assert_eq!(lanes[w], *from.add(w * step + e), "number {e} of {Q}, lane {w}");
            }
        }
        V::transpose_squares::<Q>(&mut rows);
        for i in 0..Q {
            rows[i].store_pieces::<Q>(to.add(i * step), (Q * step) as isize);
        }
    }
    for (at, (&copy, &x)) in copy.iter().zip(&data).enumerate() {
        let inside = (0..V::LANES).any(|w| (1..=Q).contains(&at.wrapping_sub(w * step)));
        assert_eq!(copy, if inside { x } else { real(7.0) });
    }
}

/// Products and logarithms of any doubles have the bits of [`LogProduct`].
///
/// # Safety
/// The CPU has the vector.
unsafe fn check_logarithms<V: Doubles>() {
    let mut random = Random(1);
    let edges = [
        SQRT_2,
        FRAC_1_SQRT_2,
        1.0,
        2.0,
        0.75,
        f64::MIN_POSITIVE,
        f64::MAX,
        5e-324,
        f64::from_bits(0x3ff6_a09e_0000_0000),
    ];
    let near =
        |x: f64, steps: i64| f64::from_bits(x.to_bits().saturating_add_signed(steps).clamp(1, f64::MAX.to_bits()));
    let mut numbers: Vec<f64> = edges.iter().flat_map(|&x| (-9..9).map(move |steps| near(x, steps))).collect();
    numbers.extend((-1074..1024).map(|e| random.real() * 2.0_f64.powi(e / 2) * 2.0_f64.powi(e - e / 2)));
    numbers.retain(|&x| x != 0.0);
    numbers.resize(numbers.len().next_multiple_of(MAX_LANES), 1.5);
    let others: Vec<f64> = numbers.iter().rev().map(|x| -x).collect();
    for complex in [false, true] {
        for first in (0..numbers.len()).step_by(V::LANES) {
            // SAFETY: arrays are long enough.
            let logs = unsafe {
                let zero = V::splat(0.0);
                let (x, y) = (V::load(numbers.as_ptr().add(first)), V::load(others.as_ptr().add(first)));
                let one = LogProducts::new(x, complex.then_some(y), zero);
                one.combine(LogProducts::new(y, complex.then_some(x), zero)).logs()
            };
            let mut det = Determinants::<c64>::new(1);
            for w in 0..V::LANES {
                let (x, y) = (numbers[first + w], others[first + w]);
                let z = |re, im| c64::new(re, if complex { im } else { 0.0 });
                let expected = LogProduct::ONE.times(z(x, y)).times(z(y, x));
                // SAFETY: there is room for one.
                unsafe { logs.write(w, 1.0, det.parts(), 0) };
                assert_eq!((det.phase[0], det.values[0]), (expected.phase(), expected.value()), "{x:e} and {y:e}");
                assert_eq!(det.log_abs[0].to_bits(), expected.log_abs().to_bits(), "{x:e} and {y:e}");
            }
        }
    }
}

fn check_all<S: LaneScalar>() {
    for isa in Isa::available() {
        match isa.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => check::<<S::Avx512 as Number>::Vector>(),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => check::<<S::Avx2 as Number>::Vector>(),
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => check::<<S::Neon as Number>::Vector>(),
            _ => check::<<S::Portable as Number>::Vector>(),
        }
    }
}

#[test]
fn of_f32() {
    check_all::<f32>();
}

#[test]
fn of_f64() {
    check_all::<f64>();
}
