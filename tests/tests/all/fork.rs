//! Children of a fork, which have none of their parent's threads.

use warplu::verify::Random;
use warplu::{Batch, Device, Op};
use warplu_tests::child::answers;

/// What takes several threads: many small matrices, some of middle size, one that threads share, and estimates.
fn work(device: &Device) -> Vec<f64> {
    let mut random = Random::new(1);
    let mut all = Vec::new();
    let sizes: &[_] =
        if device.to_string() == "cpu" { &[(2000, 3), (100, 40), (8, 200), (1, 700)] } else { &[(40, 5)] };
    for &(batch, n) in sizes {
        let (a, b): (Vec<f64>, Vec<f64>) = (random.elements(batch * n * n), random.elements(batch * n * 3));
        let (a, b) = (Batch::row_major(&a, batch, n, n).unwrap(), Batch::row_major(&b, batch, n, 3).unwrap());
        let lu = device.lu(&a).unwrap();
        all.extend(lu.solve(&b, Op::None).unwrap().x.as_slice());
        all.extend(device.invert(&a).unwrap().matrices.as_slice());
        all.extend(device.solve_refined(&a, &b).unwrap().x.as_slice());
        all.extend(device.det(&a).unwrap().log_abs);
    }
    all
}

fn same(a: &[f64], b: &[f64]) -> bool {
    a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits()))
}

#[test]
fn children_have_threads_of_their_own() {
    for device in [Device::cpu(), Device::sim()] {
        let expected = work(&device);
        assert!(answers(|| same(&work(&device), &expected)), "{device}");
        // So have theirs, and those that were forked before the first work of a child.
        assert!(answers(|| answers(|| same(&work(&device), &expected)) && same(&work(&device), &expected)), "{device}");
        assert!(same(&work(&device), &expected), "{device}");
    }
}
