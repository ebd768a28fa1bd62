//! The vectors, operation by operation, against arrays.

use super::{Random, fused};
use crate::cpu::lanes::isa::{Kind, LaneScalar};
use crate::cpu::lanes::number::Number;
use crate::cpu::lanes::vector::{MAX_LANES, Vector};

/// Checks a vector; it is run where the CPU has it.
fn check<V: Vector>() {
    let mut random = Random(1);
    let lanes = V::LANES;
    let real = |x: f64| <V::Real as kernels_gpu::scalar::Real>::from_f64(x);
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
        assert_eq!(get(x.abs()), by_lane(&|a, _| kernels_gpu::scalar::Scalar::abs1(a)));
        assert_eq!(get(x.max(y)), by_lane(&|a, b| if a > b { a } else { b }));
        assert_eq!(get(x.mul_add(y, y)), by_lane(&|a, b| simt::math::Fused::mul_add(a, b, b)));
        assert_eq!(get(Vector::sub_mul(x, y, y)), by_lane(&|a, b| simt::math::Fused::mul_add(-b, b, a)));
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
        let whole: Vec<V::Real> = (0..MAX_LANES).map(|w| real((w * 4099) as f64)).collect();
        let indices = V::load(whole.as_ptr()).to_indices();
        assert!((0..lanes).all(|w| indices[w] as usize == w * 4099));
    }
}

fn check_all<S: LaneScalar>() {
    for isa in fused() {
        match isa.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => check::<<S::Avx512 as Number>::Vector>(),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => check::<<S::Avx2 as Number>::Vector>(),
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => check::<<S::Neon as Number>::Vector>(),
            _ => check::<<S::PortableFused as Number>::Vector>(),
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
