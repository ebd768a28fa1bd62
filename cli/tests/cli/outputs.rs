//! Outputs: replaced on success only, and nothing left behind otherwise.

use crate::support::{Array, Place, exists};

fn place() -> Place {
    let place = Place::new();
    place.save("a.npy", &Array::sample("<f4", &[2, 3, 3]));
    place
}

#[test]
fn that_cannot_be_written() {
    let place = place();
    std::fs::create_dir(place.path("d")).unwrap();
    let fails = |args: &str, words: &[&str]| {
        place.run(&format!("{args} --device cpu")).expect_failure(1, words);
        assert_eq!(place.files(), ["a.npy", "d"]);
        assert!(std::fs::read_dir(place.path("d")).unwrap().next().is_none());
    };
    fails("inv a.npy -o none/x.npy", &["none/x.npy", "create its directory"]);
    fails("inv a.npy -o d", &["d: ", "give a file"]);
    fails("inv a.npy -o d/", &["d/: ", "give a file"]);
    fails("inv a.npy -o a.npy/x.npy", &["a.npy/x.npy"]);
    fails("lu a.npy -o x.npy --pivots none/p.npy", &["none/p.npy"]);
    fails("det a.npy -o x.npy --report none/r.json", &["none/r.json"]);
}

#[test]
fn of_an_existing_file_that_is_read_only() {
    let place = place();
    place.write("x.npy", "old");
    let mut permissions = std::fs::metadata(place.path("x.npy")).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(place.path("x.npy"), permissions).unwrap();
    place.run("inv a.npy -o x.npy --device cpu").expect_failure(1, &["x.npy", "permissions"]);
    assert_eq!(std::fs::read(place.path("x.npy")).unwrap(), b"old");
}

#[test]
fn to_a_full_disk() {
    if exists("/dev/full") {
        let place = place();
        place.run("inv a.npy -o /dev/full --device cpu").expect_failure(1, &["/dev/full", "free some space"]);
        place.run("lu a.npy -o lu.npy --pivots /dev/full --device cpu").expect_failure(1, &["/dev/full"]);
        assert_eq!(place.files(), ["a.npy"]);
    }
}

#[test]
fn an_existing_file_stays_when_the_run_fails() {
    let place = place();
    place.write("x.npy", "old");
    place.save("bad.npy", &Array::sample("<f4", &[2, 3]));
    place.run("inv bad.npy -o x.npy --device cpu").expect(2);
    place.run("inv a.npy -o x.npy --report none/r.json --device cpu").expect(1);
    place.run("inv a.npy -o x.npy --memory 1 --device sim").expect(1);
    assert_eq!(std::fs::read(place.path("x.npy")).unwrap(), b"old");
    assert_eq!(place.files(), ["a.npy", "bad.npy", "x.npy"]);
    place.run("inv a.npy -o x.npy --device cpu").expect(0);
    assert_eq!(place.load("x.npy").shape, [2, 3, 3]);
}

#[test]
fn in_place() {
    let place = place();
    place.run("inv a.npy -o x.npy --device cpu").expect(0);
    place.run("inv a.npy -o a.npy --device cpu").expect(0);
    assert_eq!(place.load("a.npy"), place.load("x.npy"));
    assert_eq!(place.files(), ["a.npy", "x.npy"]);
}

#[cfg(unix)]
#[test]
fn keep_links_and_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = place();
    let mode = |name: &str| std::fs::metadata(place.path(name)).unwrap().permissions().mode() & 0o777;
    place.write("old.npy", "old");
    std::fs::set_permissions(place.path("old.npy"), std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink("old.npy", place.path("link.npy")).unwrap();
    place.run("inv a.npy -o link.npy --device cpu").expect(0);
    assert!(place.path("link.npy").is_symlink());
    assert_eq!(place.load("old.npy").shape, [2, 3, 3]);
    assert_eq!(mode("old.npy"), 0o640);

    place.write("usual", "");
    place.run("inv a.npy -o new.npy --device cpu").expect(0);
    assert_eq!(mode("new.npy"), mode("usual"));
}
