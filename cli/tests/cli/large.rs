//! Batches in any order, read and written by ranges; files that are larger than memory.

use std::io::{Read, Write};

use crate::support::{Array, Place, npy};

#[test]
fn fortran_order_gives_the_same_as_c_order() {
    for (dtype, batch, n) in [("<f4", 3000, 5), ("<c16", 2, 7), ("<f2", 700, 1), ("<f8", 1100, 3)] {
        let place = Place::new();
        let a = Array::sample(dtype, &[batch, n, n]);
        let b = Array::sample(dtype, &[batch, n, 2]);
        let b1 = Array::sample(dtype, &[batch, n]);
        for (order, fortran) in [("c", false), ("f", true)] {
            for (name, array) in [("a", &a), ("b", &b), ("b1", &b1)] {
                place.write(&format!("{name}.{order}"), array.encode(fortran));
            }
        }
        for (device, memory) in [("cpu", "1M"), ("sim", "16K")] {
            let run = |args: &str| place.run(&format!("{args} --device {device} --memory {memory} --quiet")).expect(0);
            let same = |one: &str, other: &str| {
                let (one, other) = (std::fs::read(place.path(one)).unwrap(), std::fs::read(place.path(other)).unwrap());
                assert!(one == other, "{dtype} {device}");
            };
            for verb in ["inv a.O -o x.O", "solve a.O b.O -o x.O", "solve a.O b1.O -o x.O", "det a.O -o x.O"] {
                run(&verb.replace('O', "c"));
                run(&verb.replace('O', "f"));
                same("x.c", "x.f");
            }
            run("lu a.c -o lu.c --pivots p.c");
            run("lu a.f -o lu.f --pivots p.f");
            same("lu.c", "lu.f");
            same("p.c", "p.f");
        }
    }
}

/// The file is larger than the program's address space.
#[cfg(target_os = "linux")]
#[test]
fn files_larger_than_memory() {
    const BATCH: usize = 150_000;
    let place = Place::new();
    let one = Array::sample("<f8", &[16, 16]);
    let matrix: Vec<u8> = one.data.iter().flat_map(|z| z.re.to_le_bytes()).collect();
    let mut file = std::io::BufWriter::new(std::fs::File::create(place.path("a.npy")).unwrap());
    file.write_all(&npy("'<f8'", false, &format!("({BATCH}, 16, 16)"), &[])).unwrap();
    (0..BATCH).for_each(|_| file.write_all(&matrix).unwrap());
    file.into_inner().unwrap().sync_all().unwrap();

    // One arena: glibc reserves 64 MB of addresses for each other one, as long as there are any.
    let run =
        "ulimit -v 250000; MALLOC_ARENA_MAX=1 exec \"$0\" inv a.npy -o x.npy --device cpu --memory 16M --report r.json";
    place.shell(run).expect(0);
    place.save("one.npy", &one);
    place.run("inv one.npy -o one.npy --device cpu").expect(0);
    let wanted: Vec<u8> = place.load("one.npy").data.iter().flat_map(|z| z.re.to_le_bytes()).collect();
    let mut file = std::io::BufReader::new(std::fs::File::open(place.path("x.npy")).unwrap());
    let mut head = vec![0; std::fs::metadata(place.path("x.npy")).unwrap().len() as usize - BATCH * 2048];
    file.read_exact(&mut head).unwrap();
    let mut found = vec![0; 2048];
    for b in 0..BATCH {
        file.read_exact(&mut found).unwrap();
        assert!(found == wanted, "matrix {b}");
    }
}
