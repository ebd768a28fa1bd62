//! Several devices as one.

use crate::support::{Array, Place};

#[test]
fn outputs_are_those_of_one() {
    let place = Place::new();
    place.save("a.npy", &Array::sample("<f8", &[7, 5, 5]));
    place.save("b.npy", &Array::sample("<f8", &[7, 5]));
    for verb in ["inv a.npy", "solve a.npy b.npy", "lu a.npy --pivots p.npy", "det a.npy", "lu-solve x.npy p.npy b.npy"]
    {
        for memory in ["1G", "4K"] {
            if verb.starts_with("lu-solve") {
                place.run("lu a.npy -o x.npy --pivots p.npy --device sim --quiet").expect(0);
            }
            place.run(&format!("{verb} -o one.npy --device sim --quiet")).expect(0);
            let run = place.run(&format!("{verb} -o three.npy --device sim:3 --memory {memory} --report r.json"));
            assert!(run.expect(0).stderr.contains(" on sim:3 in "), "{verb}");
            let [one, three] = ["one.npy", "three.npy"].map(|name| std::fs::read(place.path(name)).unwrap());
            assert!(one == three, "{verb}");
            assert!(std::fs::read_to_string(place.path("r.json")).unwrap().contains("\"sim:3\""));
        }
    }
}

#[test]
fn names_that_are_none_are_usage() {
    let place = Place::new();
    place.save("a.npy", &Array::sample("<f4", &[2, 2]));
    for name in ["cuda:", "cuda:0,", "cuda:0,x", "cuda:some", "sim:x", "sim:", "cpu:2"] {
        let run = place.run(&format!("inv a.npy -o x.npy --device {name}"));
        run.expect_failure(2, &["unknown device", name, "cuda:0,1", "cuda:all", "sim:N"]);
    }
    for name in ["sim:0", "sim:1000000000000"] {
        place.run(&format!("inv a.npy -o x.npy --device {name}")).expect_failure(2, &["1 to 64 emulators"]);
    }
    if warplu::Device::cuda(0).is_err() {
        for name in ["cuda:0,1", "cuda:all"] {
            place.run(&format!("inv a.npy -o x.npy --device {name}")).expect_failure(1, &["NVIDIA driver"]);
        }
    }
    assert_eq!(place.files(), ["a.npy"]);
}

#[test]
fn each_is_verified() {
    let run = Place::new().run("verify --n 1,3 --device sim:2").expect(0);
    assert_eq!(run.stdout.lines().filter(|line| line.starts_with("sim: emulator")).count(), 2, "{run:?}");
    assert!(run.stdout.contains(" checks passed in ") && run.stderr.is_empty(), "{run:?}");
}
