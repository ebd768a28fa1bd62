//! Archives of matrices of many orders: what each verb makes of them is what it makes of each matrix alone.

use std::io::{Cursor, Read, Write};

use serde_json::{Value, json};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::support::{Array, DTYPES, Place};

/// The bytes of an archive of files.
pub(crate) fn zipped(files: &[(&str, Vec<u8>)], method: CompressionMethod) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Saves arrays, every other one in Fortran order.
pub(crate) fn save(place: &Place, name: &str, arrays: &[(&str, Array)], method: CompressionMethod) {
    let file = |(at, (name, array)): (usize, &(&str, Array))| (format!("{name}.npy"), array.encode(at % 2 == 1));
    let files: Vec<_> = arrays.iter().enumerate().map(file).collect();
    let files: Vec<_> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    place.write(name, zipped(&files, method));
}

fn load(place: &Place, name: &str) -> Vec<(String, Array)> {
    let mut zip = ZipArchive::new(std::fs::File::open(place.path(name)).unwrap()).unwrap();
    let len = zip.len();
    let entry = |index| {
        let mut entry = zip.by_index(index).unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        (entry.name().unwrap().strip_suffix(".npy").unwrap().to_owned(), Array::decode(&bytes))
    };
    (0..len).map(entry).collect()
}

fn samples(dtype: &str) -> [(&'static str, Array); 5] {
    [("first", 3), ("x/y", 9), ("", 1), ("again", 3), ("none", 0)]
        .map(|(name, n)| (name, Array::sample(dtype, &[n, n])))
}

/// Runs a verb on each matrix alone.
fn alone(place: &Place, args: &str, output: &str, a: &[(&str, Array)], b: &[(&str, Array)]) -> Vec<(String, Array)> {
    let one = |(at, (name, matrix)): (usize, &(&str, Array))| {
        // In the order that it has in the archive: where residuals are formed, sums follow it.
        place.write("one_a.npy", matrix.encode(at % 2 == 1));
        if let Some((_, sides)) = b.get(at) {
            place.save("one_b.npy", sides);
        }
        place.run(args).expect(0);
        ((*name).to_owned(), place.load(output))
    };
    a.iter().enumerate().map(one).collect()
}

#[test]
fn every_verb() {
    for device in ["cpu", "sim"] {
        for (dtype, method) in
            DTYPES.into_iter().zip([CompressionMethod::Stored, CompressionMethod::Deflated].into_iter().cycle())
        {
            let place = Place::new();
            let a = samples(dtype);
            let shapes = [&[3][..], &[9, 2], &[1, 0], &[3, 5], &[0, 2]];
            let b: Vec<_> = a.iter().zip(shapes).map(|(a, shape)| (a.0, Array::sample(dtype, shape))).collect();
            save(&place, "a.npz", &a, method);
            let mut reversed = b.clone();
            reversed.reverse();
            save(&place, "b.npz", &reversed, method);
            let run = |args: &str| place.run(&format!("{args} --device {device} --quiet")).expect(0);
            let own = |args: &str, output: &str, b: &[_]| {
                alone(&place, &format!("{args} --device {device} --quiet"), output, &a, b)
            };
            run("inv a.npz -o x.npz");
            assert_eq!(load(&place, "x.npz"), own("inv one_a.npy -o x.npy", "x.npy", &[]));
            run("solve a.npz b.npz -o x.npz");
            assert_eq!(load(&place, "x.npz"), own("solve one_a.npy one_b.npy -o x.npy", "x.npy", &b));
            run("lu a.npz -o lu.npz --pivots piv.npz");
            let lu = "lu one_a.npy -o lu.npy --pivots piv.npy";
            assert_eq!(load(&place, "lu.npz"), own(lu, "lu.npy", &[]));
            assert_eq!(load(&place, "piv.npz"), own(lu, "piv.npy", &[]));
            run("lu a.npz -o other.npz --pivots piv.npz --rcond r.npz --growth g.npz");
            let lu = format!("{lu} --rcond r.npy --growth g.npy");
            assert_eq!(load(&place, "other.npz"), load(&place, "lu.npz"));
            assert_eq!(load(&place, "r.npz"), own(&lu, "r.npy", &[]));
            assert_eq!(load(&place, "g.npz"), own(&lu, "g.npy", &[]));
            run("solve a.npz b.npz -o x.npz --rcond r.npz --norm inf");
            let solve = "solve one_a.npy one_b.npy -o x.npy --rcond r.npy --norm inf";
            assert_eq!(load(&place, "x.npz"), own(solve, "x.npy", &b));
            assert_eq!(load(&place, "r.npz"), own(solve, "r.npy", &b));
            run("det a.npz -o det.npz");
            assert_eq!(load(&place, "det.npz"), own("det one_a.npy -o det.npy", "det.npy", &[]));
        }
    }
}

/// What is for one matrix is for those of an archive.
#[test]
fn refined_and_positive_definite() {
    let place = Place::new();
    let mut a = samples("<f8");
    for (_, matrix) in &mut a {
        let n = matrix.shape[0];
        (0..n).for_each(|i| matrix.data[i * n + i] = (4.0 * n as f64 + i as f64).into());
    }
    let b = a.each_ref().map(|(name, a)| (*name, Array::sample("<f8", &a.shape[..1])));
    save(&place, "a.npz", &a, CompressionMethod::Stored);
    save(&place, "b.npz", &b, CompressionMethod::Stored);
    for option in ["--refine", "--structure spd", "--structure spd:upper", "--structure upper:unit:adjoint"] {
        for verb in ["solve", "inv", "det"] {
            if option == "--refine" && verb != "solve" {
                continue;
            }
            let (sides, own_sides) = if verb == "solve" { ("b.npz", "one_b.npy") } else { ("", "") };
            let report = "--device cpu --report r.json";
            place.run(&format!("{verb} a.npz {sides} -o x.npz {option} {report}")).expect(0);
            let report: Value = serde_json::from_slice(&std::fs::read(place.path("r.json")).unwrap()).unwrap();
            assert!(report["max_ratio"].as_f64().unwrap() < 30.0, "{verb} {option}: {report}");
            assert_eq!(report["refined"].is_object(), option == "--refine", "{report}");
            let own = format!("{verb} one_a.npy {own_sides} -o x.npy {option} --device cpu --quiet");
            assert_eq!(load(&place, "x.npz"), alone(&place, &own, "x.npy", &a, &b), "{verb} {option}");
        }
    }
    save(&place, "f.npz", &samples("<f4"), CompressionMethod::Stored);
    let run = place.run("solve f.npz f.npz -o x.npz --refine --device cpu");
    run.expect_failure(2, &["f.npz", "--refine is for float64"]);
}

#[test]
fn reports_and_messages_name_the_arrays() {
    let place = Place::new();
    let mut a = samples("<f8");
    a[3].1.data.fill(1.0.into());
    a[1].1.data[5] = f64::NAN.into();
    let b: Vec<_> = a.iter().map(|(name, a)| (*name, Array::sample("<f8", &a.shape[..1]))).collect();
    save(&place, "a.npz", &a, CompressionMethod::Stored);
    save(&place, "b.npz", &b, CompressionMethod::Stored);
    for (verb, said) in [
        ("inv a.npz", "inverted 5 matrices of orders 0 to 9 (f64) on cpu in "),
        ("solve a.npz b.npz", "solved for the right-hand sides of 5 matrices of orders 0 to 9 (f64) on cpu in "),
        ("lu a.npz --pivots p.npz", "factored 5 matrices of orders 0 to 9 (f64) on cpu in "),
        ("det a.npz", "took the determinants of 5 matrices of orders 0 to 9 (f64) on cpu in "),
    ] {
        let run = place.run(&format!("{verb} -o x.npz --report r.json --device cpu")).expect(3);
        let lines: Vec<_> = run.stderr.lines().collect();
        assert!(lines[0].starts_with(said), "{run:?}");
        assert!(lines[1].starts_with("warplu: a.npz: matrix \"x/y\" is not finite"), "{run:?}");
        assert!(lines[2].starts_with("warplu: a.npz: matrix \"again\" is singular") && lines.len() == 3, "{run:?}");
        let report: Value = serde_json::from_slice(&std::fs::read(place.path("r.json")).unwrap()).unwrap();
        assert_eq!((&report["n"], &report["batch"], &report["input"]), (&json!(9), &json!(5), &json!("a.npz")));
        let bad = json!([
            {"index": 1, "name": "x/y", "status": -1},
            {"index": 3, "name": "again", "status": 2},
        ]);
        assert_eq!(report["bad"], bad);
        let ratio = report["max_ratio"].as_f64().unwrap();
        assert!(ratio < 30.0, "{verb}: {ratio}");
    }
    let x = load(&place, "x.npz");
    assert!(x[1].1.data[0].re.is_nan() && x[0].1.data[0].re.is_finite());
}

/// Condition numbers and growth in messages and reports.
#[test]
fn quality_is_reported_by_name() {
    let place = Place::new();
    let mut a = samples("<f8");
    a[1].1.data = (0..81).map(|e| if e % 10 == 0 { 0.5_f64.powi(e / 10 * 8).into() } else { 0.0.into() }).collect();
    save(&place, "a.npz", &a, CompressionMethod::Stored);
    let run = place.run("lu a.npz -o x.npz --pivots p.npz --rcond r.npz --growth g.npz --report r.json --device cpu");
    let run = run.expect(0);
    let said = "warplu: a.npz: ill-conditioned: 1 matrix with a reciprocal condition number below 1.110e-16; the worst is \
                matrix \"x/y\" with";
    assert!(run.stderr.contains(said), "{run:?}");
    let report: Value = serde_json::from_slice(&std::fs::read(place.path("r.json")).unwrap()).unwrap();
    let ill = &report["rcond"]["ill_conditioned"][0];
    assert_eq!((&ill["index"], &ill["name"]), (&json!(1), &json!("x/y")));
    assert_eq!(report["rcond"]["min"].as_f64().unwrap(), load(&place, "r.npz")[1].1.data[0].re);
    let largest = load(&place, "g.npz").iter().map(|(_, growth)| growth.data[0].re).fold(0.0, f64::max);
    assert_eq!(report["growth"]["max"].as_f64().unwrap(), largest);
    assert_eq!(report["outputs"], json!(["x.npz", "p.npz", "r.npz", "g.npz"]));
}

#[test]
fn empty_archives_and_pipes() {
    let place = Place::new();
    save(&place, "a.npz", &[], CompressionMethod::Stored);
    place.run("inv a.npz -o x.npz --device cpu --report r.json").expect(0);
    place.run("solve a.npz a.npz -o y.npz --device cpu").expect(0);
    assert!(load(&place, "x.npz").is_empty() && load(&place, "y.npz").is_empty());
    save(&place, "a.npz", &samples("<f4"), CompressionMethod::Stored);
    place.run("inv a.npz -o x.npz --device cpu").expect(0);
    let run = place.shell("\"$0\" inv a.npz -o - --device cpu --quiet > piped.npz").expect(0);
    assert_eq!(run.stderr, "");
    assert_eq!(load(&place, "x.npz"), load(&place, "piped.npz"));
    // In its own place.
    place.run("inv a.npz -o a.npz --device cpu --quiet").expect(0);
    assert_eq!(load(&place, "x.npz"), load(&place, "a.npz"));
}

/// Archives that no program for arrays writes: none is read in part, and none takes more memory than it seems to.
#[test]
fn deceptive_archives_are_refused() {
    let place = Place::new();
    let arrays = [("a", 2), ("b", 2)].map(|(name, n)| (name, Array::sample("<f8", &[n, n])));
    save(&place, "a.npz", &arrays, CompressionMethod::Stored);
    let good = std::fs::read(place.path("a.npz")).unwrap();
    let refused = |bytes: Vec<u8>, told: &str| {
        place.write("bad.npz", bytes);
        let run = place.run("inv bad.npz -o x.npz --device cpu").expect(2);
        assert!(run.stderr.contains(told) && !place.path("x.npz").exists(), "{run:?}");
    };
    let places = |what: &[u8]| -> Vec<usize> { (0..good.len()).filter(|&at| good[at..].starts_with(what)).collect() };
    let mut twice = good.clone();
    places(b"b.npy").into_iter().for_each(|at| twice[at] = b'a');
    refused(twice, "two arrays of one name");
    refused([b"PK\x07\x08 more", &*good].concat(), "bytes that are of no archive");
    // The directory says that the second array is where the first is.
    let mut shared = good.clone();
    let second = places(b"PK\x01\x02")[1];
    shared[second + 42..second + 46].fill(0);
    refused(shared, "share their bytes");
}
