//! Matrices from applications: see `data/README.md`.

use warplu::verify::{Random, ratios};
use warplu::{Batch, Device, Element, Status, c32, c64};
use warplu_tests::compare::assert_neighbours_do_not_matter;
use warplu_tests::data::{npy, path};
use warplu_tests::for_types;
use warplu_tests::judge::judge;
use warplu_tests::matrices::number;
use warplu_tests::results::compute;

/// Judges all matrices of a file on the CPU and the first few on the emulator; `status` is what all should have.
fn check<T: Element + npyz::Deserialize>(name: &str, on_sim: usize, status: Status) {
    let (shape, data) = npy::<T>(&format!("real/{name}.npy"));
    let [batch, n, _] = shape[..] else { panic!("{name} is not a batch of matrices: {shape:?}") };
    let rhs = format!("real/{name}_b.npy");
    let b: Vec<T> = if path(&rhs).exists() { npy::<T>(&rhs).1 } else { Random::new(n as u64).elements(batch * n) };
    for (device, count) in [(Device::cpu(), batch), (Device::sim_with_seed(n as u64), on_sim)] {
        let a = Batch::row_major(&data[..count * n * n], count, n, n).unwrap();
        let b = Batch::row_major(&b[..count * n], count, n, 1).unwrap();
        let results = compute(&device, &a, &b);
        let what = format!("{name} on {device}");
        assert_eq!(**results.lu.status(), vec![status; count], "{what}");
        judge(&what, &a, &b, &results);
        if n <= 64 || count > 2 {
            assert_neighbours_do_not_matter(&what, &device, &a, &b, &results, count - 1);
        }
    }
}

/// LU of sparse Jacobians element by element, where a bound by norms hides what is lost of small elements.
fn jacobians_element_by_element<T: Element>() {
    let (shape, data) = npy::<f64>("real/powerflow_case118_jacobian_n181_f64.npy");
    let n = shape[1];
    let data: Vec<T> = data.into_iter().map(number).collect();
    let a = Batch::row_major(&data, shape[0], n, n).unwrap();
    for device in [Device::cpu(), Device::sim()] {
        let lu = device.lu(&a).unwrap();
        for i in 0..shape[0] {
            let ratio = ratios::lu(&a, &lu, i).unwrap();
            assert!(ratio.component < 0.3, "{device} {}, matrix {i}: {ratio:?}", T::NAME);
        }
    }
}
for_types!(jacobians_element_by_element: f32 f64 c32 c64);

macro_rules! files {
    ($($name:ident $t:ident $on_sim:literal $status:expr;)*) => {
        $(#[test]
        #[allow(non_snake_case)]
        fn $name() {
            check::<$t>(stringify!($name), $on_sim, $status);
        })*

        #[test]
        fn no_file_is_forgotten() {
            let known = [$(concat!(stringify!($name), ".npy")),*];
            for entry in std::fs::read_dir(path("real")).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                assert!(known.contains(&name.replace("_b.npy", ".npy").as_str()), "{name}");
            }
        }
    };
}

files! {
    breast_cancer_cov_n30_f32 f32 2 Status::Ok;
    cantera_gri30_newton_n54_f64 f64 2 Status::Ok;
    digits_cov_n64_f32 f32 2 Status::Ok;
    digits_cov_singular_n64_f32 f32 2 Status::Singular(1);
    mom_dipole_array_n64_c64 c64 2 Status::Ok;
    negf_square_lattice_n64_c32 c32 2 Status::Ok;
    patch_cov_n108_f32 f32 1 Status::Ok;
    patch_cov_n192_f32 f32 1 Status::Ok;
    powerflow_case118_jacobian_n181_f64 f64 1 Status::Ok;
    powerflow_case30_jacobian_n53_f64 f64 2 Status::Ok;
    powerflow_case57_jacobian_n106_f64 f64 1 Status::Ok;
    pyamg_bar_blocks_n24_f32 f32 2 Status::Ok;
    pyamg_helmholtz_2D_big_blocks_n96_c64 c64 1 Status::Ok;
    pyamg_helmholtz_2D_blocks_n36_c32 c32 2 Status::Ok;
    pyamg_ldg_blocks_n21_f64 f64 2 Status::Ok;
    pyamg_recirc_flow_blocks_n15_f64 f64 2 Status::Ok;
    skrf_I_minus_S_n2_c64 c64 37 Status::Ok;
    ybus_case57_harmonic_n57_c64 c64 1 Status::Ok;
}
