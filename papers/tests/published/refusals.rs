//! What the algorithms do not do, and bad input.

use papers::{Allocation, Columns, Correction, Interchange, Published};
use warplu::resident::{InversePlan, LuPlan, Size};
use warplu::{Algorithm, Batch, Device, Error, Pivoting, Residual, Status, c64};

fn device(published: Published) -> Device {
    Device::sim().with(Algorithm::from(published))
}

#[test]
fn what_an_algorithm_does_not_do_is_said() {
    let a = Batch::row_major(&[2.0, 0.0, 0.0, 1.0], 1, 2, 2).unwrap();
    let b = Batch::row_major(&[1.0, 1.0], 1, 2, 1).unwrap();
    let says = |error: Error, what: &str| {
        assert!(matches!(error, Error::Unsupported(_)) && error.to_string().contains(what), "{error}");
    };
    says(device(Published::ELIMINATION).invert(&a).unwrap_err(), "only solves");
    says(device(Published::ELIMINATION).lu(&a).unwrap_err(), "use auto, left-looking");
    says(device(Published::BORDERING).solve(&a, &b).unwrap_err(), "only inverts");
    says(device(Published::BORDERING).det(&a).unwrap_err(), "only inverts");
    says(device(Published::BORDERING).with(Residual::Both).invert(&a).unwrap_err(), "LU factors");
    says(device(Published::LEFT_LOOKING).with(Pivoting::None).lu(&a).unwrap_err(), "chooses its pivots itself");
    let delayed = Published::RightLooking { nb: 8, interchange: Interchange::Delayed };
    says(device(delayed).lu(&a).unwrap_err(), "interchange=grouped");
    says(device(Published::LeftLooking { nb: 9, interchange: Interchange::Delayed }).lu(&a).unwrap_err(), "use 8, 10");
    says(Device::cpu().with(Algorithm::from(Published::LEFT_LOOKING)).lu(&a).unwrap_err(), "`cuda` or `sim`");
}

#[test]
fn a_panel_that_does_not_fit_is_named() {
    let left = device(Published::LeftLooking { nb: 32, interchange: Interchange::Delayed });
    let error = LuPlan::<c64>::new(&left, Size::order(1000)).unwrap_err();
    assert!(matches!(error, Error::AlgorithmTooLarge { .. }), "{error:?}");
    assert!(error.to_string().contains("order 1000 are too large for left_looking_nb32_c64"), "{error}");
    LuPlan::<c64>::new(&left, Size::order(12)).unwrap();

    let (upper, lower) = (Correction::Delayed, Correction::Delayed);
    let corrected = device(Published::Corrected {
        nb: 28,
        upper,
        lower,
        allocation: Allocation::Dynamic,
        columns: Columns::Gather,
    });
    let error = InversePlan::<c64>::new(&corrected, Size::order(512)).unwrap_err();
    assert!(matches!(error, Error::AlgorithmTooLarge { .. }), "{error:?}");
    InversePlan::<c64>::new(&corrected, Size::order(12)).unwrap();
}

/// On the CPU, which has no such algorithm, as on the emulator.
#[test]
fn sizes_beyond_all_memory_are_errors() {
    for device in [Device::cpu(), Device::sim()] {
        let device = device.with(Algorithm::from(Published::BORDERING));
        for (n, batch) in [(u32::MAX as usize, 1), (1 << 31, 1), (65_536, 1 << 30)] {
            assert!(InversePlan::<f32>::new(&device, Size::order(n).batch(batch)).is_err(), "{device}: {n}, {batch}");
        }
    }
}

#[test]
fn sides_that_are_not_finite_spoil_their_own_solutions_only() {
    let a = Batch::row_major(&[4.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0], 2, 2, 2).unwrap();
    let b = Batch::row_major(&[1.0, f64::NAN, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], 2, 2, 2).unwrap();
    for published in [Published::ELEMENT_WISE, Published::ELIMINATION, Published::LEFT_LOOKING] {
        let solution = device(published).solve(&a, &b).unwrap();
        assert_eq!(solution.status, [Status::SideNotFinite(1), Status::Ok], "{published}");
        let x = |b, j| solution.x.get(b, 0, j);
        assert!(x(0, 1).is_nan() && (x(0, 0) - 0.2).abs() < 1e-15 && x(1, 1) == x(0, 0), "{published}");
    }
}
