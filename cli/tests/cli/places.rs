//! Where outputs go, and whether there is room.

use crate::support::{Array, Place, exists};

fn place() -> Place {
    let place = Place::new();
    place.save("a.npy", &Array::sample("<f8", &[50, 8, 8]));
    place
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_are_followed() {
    use std::os::unix::fs::symlink;
    let place = place();
    std::fs::create_dir(place.path("d")).unwrap();
    symlink("d/second", place.path("first")).unwrap();
    symlink("x.npy", place.path("d/second")).unwrap();
    place.run("inv a.npy -o first --device cpu").expect(0);
    assert!(place.path("first").is_symlink() && place.path("d/second").is_symlink());
    assert_eq!(place.load("d/x.npy").shape, [50, 8, 8]);

    symlink("none/x.npy", place.path("lost")).unwrap();
    place.run("inv a.npy -o lost --device cpu").expect_failure(1, &["lost: ", "create its directory"]);
    symlink("ping", place.path("pong")).unwrap();
    symlink("pong", place.path("ping")).unwrap();
    place.run("inv a.npy -o ping --device cpu").expect_failure(1, &["ping: ", "links"]);
    assert!(place.path("ping").is_symlink());
    assert_eq!(place.files(), ["a.npy", "d", "first", "lost", "ping", "pong"]);
}

#[cfg(unix)]
#[test]
fn two_outputs_may_not_be_one_by_links() {
    let place = place();
    std::os::unix::fs::symlink("x.npy", place.path("link")).unwrap();
    let run = place.run("lu a.npy -o link --pivots x.npy --device cpu");
    run.expect_failure(2, &["x.npy", "two outputs"]);
}

#[cfg(unix)]
#[test]
fn a_replaced_file_gives_nobody_its_owners_rights() {
    use std::os::unix::fs::PermissionsExt;
    let place = place();
    place.write("x.npy", "old");
    std::fs::set_permissions(place.path("x.npy"), std::fs::Permissions::from_mode(0o4755)).unwrap();
    place.run("inv a.npy -o x.npy --device cpu").expect(0);
    assert_eq!(std::fs::metadata(place.path("x.npy")).unwrap().permissions().mode() & 0o7777, 0o755);
}

#[test]
fn a_report_replaces_no_input() {
    let place = place();
    place.save("b.npy", &Array::sample("<f8", &[50, 8]));
    place.run("det a.npy -o x.npy --report ./a.npy --device cpu").expect_failure(2, &["a.npy", "is an input"]);
    place.run("solve a.npy b.npy -o x.npy --report b.npy --device cpu").expect_failure(2, &["b.npy", "is an input"]);
    place.run("lu a.npy -o lu.npy --pivots p.npy --device cpu").expect(0);
    let run = place.run("lu-solve lu.npy p.npy b.npy -o x.npy --report p.npy --device cpu");
    run.expect_failure(2, &["p.npy", "is an input"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a.npy", place.path("link")).unwrap();
        place.run("det a.npy -o x.npy --report link --device cpu").expect_failure(2, &["is an input"]);
        place.run("det link -o x.npy --report a.npy --device cpu").expect_failure(2, &["is an input"]);
    }
    assert!(!place.path("x.npy").exists());
}

/// The limit is found before it makes itself felt, which would be by a signal.
#[test]
fn files_beyond_the_limit_of_the_process_are_refused() {
    let place = place();
    for verb in ["inv a.npy -o x.npy", "lu a.npy -o x.npy --pivots p.npy", "inv a.npy -o -"] {
        let run = place.shell(&format!("ulimit -f 16; exec \"$0\" {verb} --device cpu"));
        run.expect_failure(1, &["needs 25728 bytes", "ulimit -f"]);
        assert_eq!(place.files(), ["a.npy"]);
    }
    place.shell("ulimit -f 16; exec \"$0\" det a.npy -o x.npy --device cpu").expect(0);
}

/// Fifteen terabytes of zeros, none of which is on the disk.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_too_small_is_told_before_the_work() {
    let place = Place::new();
    place.write("a.npy", crate::support::npy("'<f8'", false, "(15728640, 362, 362)", &[]));
    let file = std::fs::File::options().write(true).open(place.path("a.npy")).unwrap();
    let head = file.metadata().unwrap().len();
    let bytes = 15_728_640 * 362 * 362 * 8;
    // Not every file system has files of this size.
    if file.set_len(head + bytes).is_ok() {
        let run = place.shell("exec timeout 30 \"$0\" inv a.npy -o x.npy --device cpu");
        run.expect_failure(1, &["x.npy: needs 1648", "are free", "free some space"]);
        assert_eq!(place.files(), ["a.npy"]);
    }
}

#[test]
fn a_full_device_undoes_nothing_but_itself() {
    if exists("/dev/full") {
        let place = place();
        place.write("lu.npy", "old");
        place.run("lu a.npy -o lu.npy --pivots /dev/full --device cpu").expect_failure(1, &["/dev/full", "free some"]);
        assert_eq!(std::fs::read(place.path("lu.npy")).unwrap(), b"old");
        assert_eq!(place.files(), ["a.npy", "lu.npy"]);
    }
}
