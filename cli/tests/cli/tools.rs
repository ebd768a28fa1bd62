//! `info`, `verify`, `completions`, `man`, and GPUs.

use crate::support::{Array, Place};

#[test]
fn info_names_devices_and_kernels() {
    let run = Place::new().run("info").expect(0);
    for word in ["cpu", "sim", "cuda", "auto", "getrf", "inverse", "gesv", "compute capability"] {
        assert!(run.stdout.contains(word), "no {word:?} in {run:?}");
    }
    assert!(run.stderr.is_empty(), "{run:?}");
}

#[test]
fn cuda_works_or_says_why_not() {
    let place = Place::new();
    place.save("a.npy", &Array::sample("<f4", &[2, 2]));
    let gpu = warplu::Device::cuda(0).is_ok();
    let run = place.run("inv a.npy -o x.npy --device cuda");
    if gpu {
        run.expect(0);
        return;
    }
    run.expect_failure(1, &["NVIDIA driver"]);
    assert_eq!(place.files(), ["a.npy"]);
    let run = place.run("inv a.npy -o x.npy --device auto").expect(0);
    assert!(run.stderr.contains(" on cpu in "), "{run:?}");
}

#[test]
fn orders_that_cannot_be_verified_are_usage() {
    for n in ["0", "16385", "4294967296", "3,0"] {
        let run = Place::new().run(&format!("verify --n {n} --device cpu")).expect(2);
        assert!(run.stderr.contains("1..=16384"), "{run:?}");
    }
}

#[test]
fn help_names_exit_codes_and_temporary_files() {
    let run = Place::new().run("--help").expect(0);
    for word in ["130", "interrupted", ".warplu-", "kill -9", "lu-solve", "standard input"] {
        assert!(run.stdout.contains(word), "no {word:?} in {run:?}");
    }
}

#[test]
fn verify_shows_a_table() {
    for device in ["cpu", "sim"] {
        let run = Place::new().run(&format!("verify --n 1,3 --device {device}")).expect(0);
        assert!(run.stdout.contains("lu") && run.stdout.contains(" checks passed in "), "{run:?}");
        assert!(!run.stdout.contains("FAILED") && run.stderr.is_empty(), "{run:?}");
    }
    Place::new().run("verify --device tpu").expect_failure(2, &["unknown device"]);
}

#[test]
fn completions_are_of_a_shell() {
    for (shell, part) in [("bash", "complete -F"), ("zsh", "#compdef warplu"), ("fish", "complete -c warplu")] {
        let run = Place::new().run(&format!("completions {shell}")).expect(0);
        assert!(run.stdout.contains(part) && run.stdout.contains("lu-solve"), "{shell}: {run:?}");
    }
    Place::new().run("completions csh").expect(2);
}

#[test]
fn every_command_has_a_page_of_the_manual() {
    let place = Place::new();
    place.run("man pages/man1").expect(0);
    for (page, part) in [("warplu.1", "Exit codes"), ("warplu-lu-solve.1", "adjoint"), ("warplu-chol.1", "triangle")] {
        let text = std::fs::read_to_string(place.path("pages/man1").join(page)).unwrap();
        assert!(text.starts_with(".ie") || text.contains(".TH "), "{page}");
        assert!(text.contains(part), "{page} has no {part:?}");
    }
    place.write("file", b"");
    place.run("man file/man1").expect_failure(1, &["file/man1", "cannot be written"]);
}
