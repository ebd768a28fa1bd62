//! Archives that cannot be used: exit code 2, a message that says what to do, no output.

use std::slice;

use zip::CompressionMethod::{Deflated, Stored};

use crate::archives::zipped;
use crate::support::{Array, Place, npy};

fn array(dtype: &str, shape: &[usize]) -> Vec<u8> {
    Array::sample(dtype, shape).encode(false)
}

/// Inverts an archive of these bytes, which must fail for the reason in `words`.
#[track_caller]
fn refused(bytes: &[u8], words: &[&str]) {
    let place = Place::new();
    place.write("bad.npz", bytes);
    for verb in ["inv", "det"] {
        place.run(&format!("{verb} bad.npz -o x.npz --device cpu")).expect_failure(2, &[&["bad.npz"], words].concat());
    }
    assert_eq!(place.files(), ["bad.npz"]);
}

#[test]
fn no_archives_of_matrices() {
    let one = |name: &str, bytes: Vec<u8>| zipped(&[("a.npy", array("<f8", &[2, 2])), (name, bytes)], Stored);
    refused(b"PK\x03\x04 and so on", &["damaged .npz", "numpy.savez"]);
    refused(b"PK", &["damaged .npz"]);
    let good = one("b.npy", array("<f8", &[3, 3]));
    refused(&good[..good.len() - 30], &["damaged .npz"]);
    refused(&one("b.txt", vec![1]), &["\"b.txt\"", "no array"]);
    refused(&one("b.npy", array("<f4", &[3, 3])), &["\"b\"", "float32", "\"a\"", "float64", "astype('float64')"]);
    refused(&one("b.npy", array("<f8", &[2, 3])), &["\"b\"", "(2, 3)", "square"]);
    refused(&one("b.npy", array("<f8", &[2, 3, 3])), &["\"b\"", "(2, 3, 3)", "one matrix"]);
    refused(&one("b.npy", array("<f8", &[3])), &["\"b\"", "(3,)"]);
    refused(&one("b.npy", b"no array".to_vec()), &["\"b\"", "no .npy file"]);
    refused(&one("b.npy", Vec::new()), &["\"b\"", "is empty"]);
    refused(&one("b.npy", npy("'<i8'", false, "(1, 1)", &[0; 8])), &["\"b\"", "<i8", "astype"]);
    let whole = array("<f8", &[2, 2]);
    refused(&one("b.npy", whole[..whole.len() - 1].to_vec()), &["\"b\"", "32 bytes", "holds 31"]);
    refused(&one("b.npy", npy("'<f8'", false, "(1000000, 1000000)", &[0; 8])), &["\"b\"", "holds 8"]);
    refused(&one("b.npy", npy("'<f8'", false, "(9999999999, 9999999999)", &[0; 8])), &["\"b\"", "no file can hold"]);
}

#[test]
fn damaged_numbers() {
    for method in [Stored, Deflated] {
        let mut bytes = zipped(&[("a.npy", array("<f8", &[20, 20]))], method);
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x55;
        refused(&bytes, &["damaged .npz"]);
    }
}

#[test]
fn right_hand_sides_that_do_not_fit() {
    let place = Place::new();
    place.write("a.npz", zipped(&[("p.npy", array("<f8", &[2, 2])), ("q.npy", array("<f8", &[3, 3]))], Stored));
    let fails = |files: &[(&str, Vec<u8>)], words: &[&str]| {
        place.write("b.npz", zipped(files, Stored));
        place.run("solve a.npz b.npz -o x.npz --device cpu").expect_failure(2, &[&["b.npz", "a.npz"], words].concat());
    };
    let p = ("p.npy", array("<f8", &[2]));
    fails(slice::from_ref(&p), &["no array \"q\"", "names of the matrices"]);
    fails(&[p.clone(), ("r.npy", array("<f8", &[3]))], &["no array \"q\""]);
    fails(&[p.clone(), ("q.npy", array("<f8", &[3, 2])), ("r.npy", array("<f8", &[3]))], &["\"r\"", "is not in"]);
    fails(&[p.clone(), ("q.npy", array("<f8", &[2, 3]))], &["\"q\"", "(2, 3)", "(3,) or (3, k)"]);
    fails(&[p.clone(), ("q.npy", array("<f8", &[3, 1, 1]))], &["\"q\"", "(3, 1, 1)"]);
    fails(&[("p.npy", array("<f4", &[2])), ("q.npy", array("<f4", &[3]))], &["float32", "float64"]);
    place.write("b.npy", array("<f8", &[2]));
    place.run("solve a.npz b.npy -o x.npz --device cpu").expect_failure(2, &["b.npy", "no .npz", "numpy.savez"]);
    place.run("solve a.npz c.npz -o x.npz --device cpu").expect_failure(2, &["c.npz", "check the path"]);
    place.write("m.npy", array("<f8", &[2, 2]));
    place.run("solve m.npy a.npz -o x.npy --device cpu").expect_failure(2, &["a.npz", "is an .npz archive"]);
    place.run("lu a.npz -o l.npz --pivots l.npz --device cpu").expect_failure(2, &["l.npz", "two outputs"]);
    for option in ["--rcond", "--growth"] {
        let run = place.run(&format!("lu a.npz -o l.npz --pivots p.npz {option} p.npz --device cpu"));
        run.expect_failure(2, &["p.npz", "two outputs"]);
    }
    place.run("solve a.npz a.npz -o x.npz --ferr f.npz --device cpu").expect_failure(2, &["--ferr", ".npy"]);
    assert_eq!(place.files(), ["a.npz", "b.npy", "b.npz", "m.npy"]);
    let piped = place.shell("\"$0\" inv - -o x.npz --device cpu < a.npz");
    piped.expect_failure(2, &["stdin", "give it as a file"]);
}
