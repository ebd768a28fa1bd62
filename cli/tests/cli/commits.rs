//! The outputs of a run appear together, or none does.

use crate::support::{Array, Place};

/// What waits for its input, with all of its outputs begun.
const LU: &str = "lu - -o lu.npy --pivots p.npy --report r.json --device cpu";

fn input() -> Vec<u8> {
    Array::sample("<f4", &[2, 3, 3]).encode(false)
}

#[test]
fn a_place_that_is_lost_takes_all_outputs_back() {
    for old in [None, Some("old")] {
        // Pivots go to their place second, the report third.
        for lost in ["p.npy", "r.json"] {
            let place = Place::new();
            for name in ["lu.npy", "p.npy", "r.json"] {
                old.inspect(|old| place.write(name, old));
            }
            let waiting = place.start(LU, &input(), 3);
            if old.is_some() {
                std::fs::remove_file(place.path(lost)).unwrap();
            }
            std::fs::create_dir(place.path(lost)).unwrap();
            waiting.finish().expect_failure(1, &[lost, "give a file"]);

            let found: Vec<_> = place.files().into_iter().filter(|name| name != lost).collect();
            let others = ["lu.npy", "p.npy", "r.json"].into_iter().filter(|&name| name != lost && old.is_some());
            assert_eq!(found, others.collect::<Vec<_>>());
            for name in found {
                assert_eq!(std::fs::read(place.path(&name)).unwrap(), b"old");
            }
        }
    }
}

#[test]
fn outputs_replace_older_ones_together() {
    let place = Place::new();
    for name in ["lu.npy", "p.npy", "r.json"] {
        place.write(name, "old");
    }
    place.start(LU, &input(), 3).finish().expect(0);
    assert_eq!((place.load("lu.npy").shape, place.load("p.npy").shape), (vec![2, 3, 3], vec![2, 3]));
    assert_eq!(place.files(), ["lu.npy", "p.npy", "r.json"]);
}

#[test]
fn an_interrupt_leaves_everything_as_it_was() {
    for signal in ["INT", "TERM", "HUP"] {
        let place = Place::new();
        place.write("lu.npy", "old");
        let run = place.start(LU, &input(), 3).signal(signal).expect(130);
        assert!(run.stderr.is_empty(), "{run:?}");
        assert_eq!(place.files(), ["lu.npy"]);
        assert_eq!(std::fs::read(place.path("lu.npy")).unwrap(), b"old");
    }
}

#[test]
fn an_input_that_shrinks_is_named() {
    for fortran in [false, true] {
        let place = Place::new();
        place.write("a.npy", Array::sample("<f4", &[400, 3, 3]).encode(fortran));
        let b = Array::sample("<f4", &[400, 3]).encode(false);
        let waiting = place.start("solve a.npy - -o x.npy --device cpu", &b, 1);
        std::fs::File::options().write(true).open(place.path("a.npy")).unwrap().set_len(5000).unwrap();
        waiting.finish().expect_failure(2, &["a.npy: ", "became shorter", "run this again"]);
        assert_eq!(place.files(), ["a.npy"]);
    }
}

#[test]
fn an_input_may_be_replaced_by_the_output() {
    for fortran in [false, true] {
        let place = Place::new();
        place.write("a.npy", Array::sample("<f8", &[500, 4, 4]).encode(fortran));
        place.run("inv a.npy -o x.npy --device cpu").expect(0);
        place.run("inv a.npy -o a.npy --device cpu --report r.json").expect(0);
        assert_eq!(place.load("a.npy"), place.load("x.npy"));
        assert_eq!(place.files(), ["a.npy", "r.json", "x.npy"]);
    }
}
