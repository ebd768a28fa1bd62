//! What fails on any rank is said once, by the first, and nothing is left behind.

use zip::CompressionMethod;

use super::{expect_failure, run, run_elsewhere, said};
use crate::archives::save;
use crate::support::{Array, Place, exists};

/// A batch with an output that must stay, and a folder of its own for one of the ranks.
fn place() -> Place {
    let place = Place::new();
    place.save("a.npy", &Array::sample("<f8", &[10, 3, 3]));
    place.write("x.npy", "old");
    std::fs::create_dir(place.path("other")).unwrap();
    place
}

#[track_caller]
fn expect_untouched(place: &Place) {
    assert_eq!(std::fs::read(place.path("x.npy")).unwrap(), b"old");
    let new: Vec<_> = place.files().into_iter().filter(|name| name.starts_with('.')).collect();
    assert!(new.is_empty(), "{new:?}");
}

#[test]
fn wrong_usage() {
    let place = place();
    let ended = run(&place, 2, "inv a.npy").expect(2);
    assert_eq!(ended.stderr.matches("Usage: ").count(), 1, "{ended:?}");
    assert_eq!(run(&place, 2, "--version").expect(0).stdout.lines().count(), 1);
    for args in ["inv a.npy -o x.npy --device tpu", "inv none.npy -o x.npy", "inv a.npy -o none/x.npy --device cpu"] {
        let code = if args.contains("none/") { 1 } else { 2 };
        // All ranks find it, or the first alone.
        expect_failure(run(&place, 2, args), code, &[]);
    }
    for command in ["info", "verify --device cpu"] {
        expect_failure(run(&place, 2, command), 2, &["not for 2 ranks"]);
    }
    expect_untouched(&place);
}

#[test]
fn streams_are_for_one_process() {
    let place = place();
    save(&place, "a.npz", &[("a", Array::sample("<f8", &[3, 3]))], CompressionMethod::Stored);
    for (args, name) in [
        ("inv - -o x.npy", "-:"),
        ("inv a.npy -o -", "-:"),
        ("inv /dev/null -o x.npy", "/dev/null:"),
        ("lu a.npy -o x.npy --pivots /dev/null", "/dev/null:"),
        ("inv a.npz -o -", "-:"),
    ] {
        if exists("/dev/null") || name == "-:" {
            expect_failure(run(&place, 2, &format!("{args} --device cpu")), 2, &[name, "2 ranks", "give a file"]);
        }
    }
    expect_untouched(&place);
    // The report is the first rank's alone.
    let ended = run(&place, 2, "inv a.npy -o y.npy --device cpu --report - --quiet").expect(0);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&ended.stdout).unwrap()["ranks"], 2);
    // One rank is as good as none.
    place.run("inv a.npy -o x.npy --device cpu").expect(0);
    let ended = run(&place, 1, "inv a.npy -o /dev/stdout --device cpu --quiet").expect(0);
    assert_eq!(ended.stdout, String::from_utf8_lossy(&std::fs::read(place.path("x.npy")).unwrap()));
}

#[test]
fn archives_that_are_damaged_or_not_the_same() {
    let place = place();
    place.write("a.npz", "PK");
    for args in ["inv a.npz -o x.npy", "solve a.npz a.npy -o x.npy", "lu a.npz -o x.npy --pivots p.npy"] {
        let ended = run(&place, 2, &format!("{args} --device cpu"));
        expect_failure(ended, 2, &["a.npz: ", "a damaged .npz archive"]);
    }
    let mut arrays = [("one", Array::sample("<f8", &[3, 3])), ("two", Array::sample("<f8", &[4, 4]))];
    save(&place, "a.npz", &arrays, CompressionMethod::Stored);
    arrays[1].1 = Array::sample("<f8", &[5, 5]);
    save(&place, "other/a.npz", &arrays, CompressionMethod::Stored);
    let args = "inv a.npz -o x.npy --device cpu";
    expect_failure(run_elsewhere(&place, args, args), 2, &["rank 1 on ", "orders 3 to 5", "orders 3 to 4"]);
    expect_untouched(&place);
}

#[test]
fn a_file_that_one_rank_does_not_see() {
    let place = place();
    let args = "inv a.npy -o x.npy --device cpu";
    expect_failure(run_elsewhere(&place, args, args), 2, &["rank 1 on ", "a.npy: cannot be read", "check the path"]);
    // It is another one there.
    place.save("other/a.npy", &Array::sample("<f8", &[9, 3, 3]));
    let words = ["rank 1 on ", "inv 9 matrices of 3 x 3", "inv 10 matrices", "all of them see"];
    expect_failure(run_elsewhere(&place, args, args), 2, &words);
    expect_failure(run_elsewhere(&place, args, "inv a.npy -o x.npy"), 2, &["rank 1 on ", "the same arguments"]);
    expect_untouched(&place);
}

#[test]
fn a_rank_that_fails_at_work() {
    let place = Place::new();
    place.save("a.npy", &Array::sample("<f8", &[10, 3, 3]));
    place.save("b.npy", &Array::sample("<f8", &[10, 3]));
    place.run("lu a.npy -o lu.npy --pivots p.npy --device cpu").expect(0);
    // The last pivot, which only the last rank reads.
    let mut pivots = std::fs::read(place.path("p.npy")).unwrap();
    let last = pivots.len() - 4;
    pivots[last..].copy_from_slice(&7_i32.to_le_bytes());
    place.write("p.npy", pivots);
    place.write("x.npy", "old");
    let ended = run(&place, 3, "lu-solve lu.npy p.npy b.npy -o x.npy --device cpu --report r.json");
    expect_failure(ended, 2, &["rank 2 on ", "p.npy: matrix 9: pivot 2 is 7"]);
    expect_untouched(&place);
    assert_eq!(place.files(), ["a.npy", "b.npy", "lu.npy", "p.npy", "x.npy"]);
}

#[test]
fn a_place_that_is_lost() {
    let place = place();
    std::fs::create_dir(place.path("d")).unwrap();
    expect_failure(run(&place, 2, "inv a.npy -o d --device cpu"), 1, &["d: cannot be written"]);
    if !exists("/dev/full") {
        return;
    }
    // The first rank finds it when the others have done their work.
    let ended = run(&place, 2, "inv a.npy -o y.npy --device cpu --report /dev/full");
    assert!(ended.code == Some(1) && said(&ended).len() == 1, "{ended:?}");
    assert_eq!(place.files(), ["a.npy", "d", "other", "x.npy"]);
}
