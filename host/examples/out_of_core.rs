//! Inverts the matrices of one file into another, of which only a few MiB are in memory at a time.
//!
//! `cargo run --release -p warplu --example out_of_core`, with `--features cuda` for a GPU if there is one.

#[cfg(unix)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    program::run()
}

#[cfg(not(unix))]
fn main() {
    println!("this example reads files as Unix does");
}

#[cfg(unix)]
mod program {
    use std::error::Error;
    use std::fs::File;
    use std::io::{self, BufWriter, Write};
    use std::os::unix::fs::FileExt;

    use warplu::Device;
    use warplu::out_of_core::{Sink, SinkBatch, Source, SourceBatch};

    const N: usize = 32;
    const BATCH: usize = 4096; // 32 MiB of f64

    /// Numbers as they are in memory, from a file's begin to its end.
    struct Numbers(File);

    impl Source<f64> for Numbers {
        // Workers read and write their own ranges at the same time; so there is no common position in the file.
        fn read(&self, first: usize, to: &mut [f64]) -> io::Result<()> {
            let mut bytes = vec![0; size_of_val(to)];
            self.0.read_exact_at(&mut bytes, (first * size_of::<f64>()) as u64)?;
            let (numbers, _) = bytes.as_chunks();
            to.iter_mut().zip(numbers).for_each(|(to, bytes)| *to = f64::from_ne_bytes(*bytes));
            Ok(())
        }
    }

    impl Sink<f64> for Numbers {
        fn write(&self, first: usize, from: &[f64]) -> io::Result<()> {
            let bytes: Vec<u8> = from.iter().flat_map(|number| number.to_ne_bytes()).collect();
            self.0.write_all_at(&bytes, (first * size_of::<f64>()) as u64)
        }
    }

    pub(super) fn run() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let (path, inverse_path) = (folder.path().join("a"), folder.path().join("inverse"));
        write_matrices(&path)?;

        // The limit is on device memory; on the CPU, on what is read at a time.
        let device = Device::best().with_memory_limit(4 << 20);
        println!("working on {device}");
        let (a, inverse) = (Numbers(File::open(&path)?), Numbers(File::create_new(&inverse_path)?));
        let from = SourceBatch::row_major(&a, BATCH, N, N)?;
        device.invert_into(&from, &mut SinkBatch::row_major(&inverse, BATCH, N, N)?)?.check()?;
        drop(inverse);
        println!("{} bytes read, as many written", path.metadata()?.len());

        // One matrix of the middle, times its inverse.
        let (mut matrix, mut inverted) = ([0.0; N * N], [0.0; N * N]);
        let first = BATCH / 2 * N * N;
        a.read(first, &mut matrix)?;
        Numbers(File::open(&inverse_path)?).read(first, &mut inverted)?;
        let product = |i: usize, j: usize| (0..N).map(|k| matrix[i * N + k] * inverted[k * N + j]).sum::<f64>();
        let all = (0..N).flat_map(|i| (0..N).map(move |j| (i, j)));
        let off = all.map(|(i, j)| (product(i, j) - f64::from(i == j)).abs()).fold(0.0, f64::max);
        println!("A times its inverse is the identity but for {off:.1e}");
        assert!(off < 1e-12);
        Ok(())
    }

    fn write_matrices(path: &std::path::Path) -> io::Result<()> {
        let mut file = BufWriter::new(File::create_new(path)?);
        for k in 0..BATCH * N * N {
            let noise = (k * 7919 % 1013) as f64 / 1013.0;
            let on_diagonal = (k % (N * N)).is_multiple_of(N + 1);
            file.write_all(&(noise + if on_diagonal { N as f64 } else { 0.0 }).to_ne_bytes())?;
        }
        file.flush()
    }
}
