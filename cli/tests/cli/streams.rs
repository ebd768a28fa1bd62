//! Pipes, devices, and `-`.

use std::process::Stdio;

use crate::support::{Array, Place, exists};

/// A file, and its inverse.
fn place() -> Place {
    let place = Place::new();
    place.write("a.npy", Array::sample("<f4", &[20, 3, 3]).encode(true));
    place.run("inv a.npy -o x.npy --device cpu").expect(0);
    place
}

#[test]
fn are_named_by_a_dash() {
    let place = place();
    for script in [
        "cat a.npy | \"$0\" inv - -o - --device cpu --quiet | cat > y.npy",
        "\"$0\" inv - -o - --device cpu < a.npy > y.npy",
        "\"$0\" inv -o - - --device cpu < a.npy > y.npy",
        "cat a.npy | \"$0\" inv /dev/stdin -o /dev/stdout --device cpu --quiet | cat > y.npy",
    ] {
        place.shell(script).expect(0);
        assert_eq!(place.load("y.npy"), place.load("x.npy"), "{script}");
    }
    let run = place.shell("cat a.npy | \"$0\" det - -o d.npy --device cpu --report - --quiet").expect(0);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&report["input"], &report["outputs"]), (&"stdin".into(), &serde_json::json!(["d.npy"])));
    assert_eq!(place.files(), ["a.npy", "d.npy", "x.npy", "y.npy"]);
}

#[test]
fn a_dash_is_one_file() {
    let place = place();
    place.run("solve - - -o x.npy --device cpu").expect_failure(2, &["standard input", "two inputs"]);
    place.run("lu a.npy -o - --pivots - --device cpu").expect_failure(2, &["stdout", "two outputs"]);
    place.run("inv a.npy -o - --report - --device cpu").expect_failure(2, &["stdout", "two outputs"]);
}

#[test]
fn inputs_and_outputs_may_be_named_pipes() {
    let place = place();
    place.save("b.npy", &Array::sample("<f4", &[20, 3]));
    place.run("solve a.npy b.npy -o s.npy --device cpu").expect(0);
    let script = "mkfifo a b x && { cat a.npy > a & cat b.npy > b & cat x > y.npy & } && \"$0\" solve a b -o x \
                  --device cpu --report r.json && wait && rm a b x";
    place.shell(script).expect(0);
    assert_eq!(place.load("y.npy"), place.load("s.npy"));
    assert_eq!(place.files(), ["a.npy", "b.npy", "r.json", "s.npy", "x.npy", "y.npy"]);
}

#[test]
fn that_end_early_or_late_are_told() {
    let place = place();
    for (cut, word) in [("head -c 120 a.npy", "ends before"), ("(cat a.npy; echo)", "more bytes")] {
        let run = place.shell(&format!("{cut} | \"$0\" inv - -o no.npy --device cpu --quiet"));
        run.expect_failure(2, &["stdin: ", word]);
    }
    assert_eq!(place.files(), ["a.npy", "x.npy"]);
}

#[test]
fn a_header_takes_no_space_for_what_does_not_come() {
    let place = Place::new();
    place.write("a.npy", crate::support::npy("'<f8'", false, "(1000000, 1000, 1000)", &[0; 64]));
    place.shell("cat a.npy | \"$0\" inv - -o no.npy --device cpu").expect_failure(2, &["stdin: ", "ends before"]);
    // Of an empty array nothing bears out the axes.
    for dtype in ["<f2", "<c16"] {
        place.write("e.npy", crate::support::npy(&format!("'{dtype}'"), false, "(0, 1048576, 1048576)", &[]));
        place.shell("ulimit -v 1000000; exec \"$0\" lu e.npy -o lu.npy --pivots p.npy --device cpu").expect(0);
        place.shell("ulimit -v 1000000; exec \"$0\" inv e.npy -o x.npy --device cpu --report r.json").expect(0);
        assert_eq!(place.load("x.npy").shape, [0, 1 << 20, 1 << 20]);
    }
}

#[test]
fn readers_that_are_gone_are_told() {
    let place = place();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let args = "inv a.npy -o - --device cpu --report r.json";
    let run = place.run_with(args.split(' '), Stdio::from(writer));
    run.expect_failure(1, &["stdout: ", "pipe", "reader"]);
    assert_eq!(place.files(), ["a.npy", "x.npy"]);
}

#[test]
fn closed_ones_are_no_panic() {
    let place = place();
    for (script, code) in [
        ("\"$0\" info >&- 2>&-", 0),
        ("\"$0\" inv a.npy -o y.npy --device cpu >&- 2>&-", 0),
        ("\"$0\" inv none.npy -o y.npy --device cpu >&- 2>&-", 2),
        ("\"$0\" inv - -o y.npy --device cpu <&-", 2),
    ] {
        place.shell(script).expect(code);
    }
    // A reader of lines may leave when it has seen enough.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    place.run_with(["info"], Stdio::from(writer)).expect(0);
}

#[test]
fn lines_that_cannot_be_written_are_told() {
    if exists("/dev/full") {
        let place = Place::new();
        place.shell("\"$0\" info > /dev/full").expect_failure(1, &["stdout: ", "free some space"]);
        place.shell("\"$0\" verify --n 1 --device cpu > /dev/full").expect_failure(1, &["stdout: "]);
    }
}
