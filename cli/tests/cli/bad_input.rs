//! Input that cannot be used, and usage that makes no sense: exit code 2, a message that says what to do, no output.

use crate::support::{Array, Place, npy, npy_version};

/// Inverts a file of `bytes`, which must fail for the reason in `words`.
#[track_caller]
fn refused(bytes: &[u8], words: &[&str]) {
    let place = Place::new();
    place.write("bad.npy", bytes);
    let run = place.run("inv bad.npy -o x.npy --device cpu");
    run.expect_failure(2, &[&["bad.npy"], words].concat());
    assert_eq!(place.files(), ["bad.npy"]);
}

#[test]
fn files_that_are_no_npy_files() {
    refused(b"", &["is empty", "numpy.save"]);
    refused(b"1,2\n3,4\n", &["no .npy file", "numpy.save"]);
    refused(b"a text that is longer than a header", &["no .npy file"]);
    refused(b"PK\x03\x04 and so on", &[".npz", "numpy.save"]);
    refused(b"\x93NUMPY", &["no .npy file"]);
    refused(b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran", &["ends within its header"]);
    refused(b"\x93NUMPY\x02\x00\x76\x00", &["ends within its header"]);
    refused(b"\x93NUMPY\x02\x00\xff\xff\xff\xff", &["header of 4294967295 bytes"]);
    refused(&npy_version(9, "'<f4'", false, "(1, 1)", &[0; 4]), &["damaged header", "version"]);
}

#[test]
fn damaged_headers() {
    let with = |header: &str| {
        let len = (header.len() as u16).to_le_bytes();
        [b"\x93NUMPY\x01\x00", &len[..], header.as_bytes()].concat()
    };
    refused(&with(""), &["damaged header"]);
    refused(&with("[1, 2]"), &["damaged header"]);
    refused(&with("{'descr': '<f4', 'shape': (1, 1), }"), &["damaged header", "fortran_order"]);
    refused(&with("{'descr': '<f4', 'fortran_order': False, }"), &["damaged header", "shape"]);
    refused(&with("{'descr': '<f4', 'fortran_order': 3, 'shape': (1, 1), }"), &["damaged header"]);
    refused(&with(&"(".repeat(9000)), &["damaged header"]);
    refused(&npy("'<f4'", false, "(-1, 1)", &[]), &["damaged header", "negative"]);
    refused(&npy("'nonsense'", false, "(1, 1)", &[]), &["damaged header"]);
}

#[test]
fn wrong_lengths() {
    let good = Array::sample("<f4", &[2, 3, 3]).encode(false);
    refused(&good[..good.len() - 1], &["truncated", "72 bytes", "holds 71"]);
    refused(&good[..good.len() - 72], &["truncated", "holds 0"]);
    refused(&[&good[..], b"!"].concat(), &["1 bytes more"]);
    // Neither may take memory, or overflow.
    refused(&npy("'<f8'", false, "(1000000, 1000, 1000)", &[0; 64]), &["truncated"]);
    refused(&npy("'<f8'", false, "(4294967296, 4294967296)", &[0; 64]), &["no file can hold"]);
    refused(&npy("'<f8'", false, "(4000000000, 4000000000)", &[0; 64]), &["no file can hold"]);
    refused(&npy("'<f8'", false, "(99999999999999999999, 1, 1)", &[]), &["no file can hold"]);
    refused(&npy("'<f8'", false, "(1000000000000000, 0, 0)", &[]), &["no file can hold"]);
}

#[test]
fn wrong_types() {
    for (descr, words) in [
        ("'>f8'", &["big-endian", "newbyteorder"][..]),
        ("'>c16'", &["big-endian"]),
        ("'=f8'", &["=f8", "astype"]),
        ("'<i4'", &["<i4", "astype"]),
        ("'<u8'", &["<u8", "astype"]),
        ("'|b1'", &["|b1", "astype"]),
        ("'|S8'", &["|S8", "astype"]),
        ("'<U2'", &["<U2", "astype"]),
        ("'<f16'", &["<f16", "astype"]),
        ("'<c32'", &["<c32", "astype"]),
        ("'<M8[s]'", &["<M8[s]", "astype"]),
        ("'|O'", &["Python objects"]),
        ("[('x', '<f4'), ('y', '<f4')]", &["structured"]),
    ] {
        refused(&npy(descr, false, "(1, 1)", &[0; 8]), words);
    }
}

#[test]
fn wrong_shapes_of_a() {
    for shape in [&[][..], &[4], &[1, 2, 2, 1]] {
        refused(
            &Array::new("<f4", shape, vec![1.0; shape.iter().product()]).encode(false),
            &["(batch, n, n)", "reshape"],
        );
    }
    refused(&Array::new("<f4", &[2, 3], [1.0; 6]).encode(false), &["square", "2 x 3"]);
    refused(&Array::new("<f4", &[3, 2, 1], [1.0; 6]).encode(true), &["square", "2 x 1"]);
}

#[test]
fn wrong_shapes_of_b() {
    for (a, b, wanted) in [
        (&[3, 3][..], &[4][..], "(3,) or (3, k)"),
        (&[3, 3], &[1, 3], "(3,) or (3, k)"),
        (&[3, 3], &[1, 3, 1], "(3,) or (3, k)"),
        (&[3, 3], &[], "(3,) or (3, k)"),
        (&[1, 3, 3], &[3], "(1, 3) or (1, 3, k)"),
        (&[1, 3, 3], &[3, 1], "(1, 3) or (1, 3, k)"),
        (&[2, 3, 3], &[3, 2], "(2, 3) or (2, 3, k)"),
        (&[2, 3, 3], &[2, 2, 3], "(2, 3) or (2, 3, k)"),
    ] {
        let place = Place::new();
        place.save("a.npy", &Array::sample("<f8", a));
        place.save("b.npy", &Array::new("<f8", b, vec![1.0; b.iter().product()]));
        let run = place.run("solve a.npy b.npy -o x.npy --device cpu");
        run.expect_failure(2, &["b.npy: ", "a.npy", "reshape", wanted]);
        assert_eq!(place.files(), ["a.npy", "b.npy"]);
    }
}

#[test]
fn b_of_another_type() {
    let place = Place::new();
    place.save("a.npy", &Array::sample("<f4", &[2, 2]));
    place.save("b.npy", &Array::new("<f8", &[2], [1.0; 2]));
    let run = place.run("solve a.npy b.npy -o x.npy --device cpu");
    run.expect_failure(2, &["float64", "float32", "b.astype('float32')"]);
}

#[test]
fn files_that_cannot_be_read() {
    let place = Place::new();
    place.run("inv none.npy -o x.npy --device cpu").expect_failure(2, &["none.npy", "check the path"]);
    place.run("inv . -o x.npy --device cpu").expect(2);
    place.save("a.npy", &Array::sample("<f4", &[2, 2]));
    place.run("solve a.npy none.npy -o x.npy --device cpu").expect_failure(2, &["none.npy", "check the path"]);
    place.run("inv a.npy/b.npy -o x.npy --device cpu").expect_failure(2, &["check the path"]);
}

#[test]
fn wrong_usage() {
    let place = Place::new();
    place.save("a.npy", &Array::sample("<f4", &[2, 2]));
    for args in [
        "",
        "transpose a.npy",
        "inv a.npy",
        "inv -o x.npy",
        "inv a.npy -o x.npy --fast",
        "lu a.npy -o x.npy",
        "inv a.npy -o x.npy --memory 2T",
        "inv a.npy -o x.npy --memory 0",
        "inv a.npy -o x.npy --memory 99999999999G",
        "inv a.npy -o x.npy --memory ü",
        "bench",
    ] {
        place.run(args).expect(2);
    }
    for device in ["tpu", "cuda:", "cuda:x", "cuda:-1", "cuda:99999999999", "CPU"] {
        let run = place.run(&format!("inv a.npy -o x.npy --device {device}"));
        run.expect_failure(2, &["unknown device", device, "cuda:K"]);
    }
    let run = place.run("lu a.npy -o x.npy --pivots ./x.npy --device cpu");
    run.expect_failure(2, &["x.npy", "two outputs"]);
    place.run("inv a.npy -o x.npy --report x.npy --device cpu").expect_failure(2, &["two outputs"]);
    assert_eq!(place.files(), ["a.npy"]);
}
