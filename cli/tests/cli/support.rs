//! Runs of the program, and `.npy` files.

use std::ffi::OsStr;
use std::io::Write;
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use npyz::{NpyFile, Order};
use num_complex::Complex64;
use tempfile::TempDir;

/// NumPy's type strings of the five types.
pub(crate) const DTYPES: [&str; 5] = ["<f2", "<f4", "<f8", "<c8", "<c16"];

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }

    /// Fails with `code`, and says each of `words` in one line on stderr.
    #[track_caller]
    pub(crate) fn expect_failure(self, code: i32, words: &[&str]) {
        let run = self.expect(code);
        assert!(run.stderr.starts_with("warplu: ") && run.stderr.lines().count() == 1, "{run:?}");
        for word in words {
            assert!(run.stderr.contains(word), "no {word:?} in {run:?}");
        }
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A run that waits for the numbers of its input.
#[derive(Debug)]
pub(crate) struct Waiting {
    child: Child,
    rest: Vec<u8>,
}

impl Waiting {
    /// Gives it the numbers.
    pub(crate) fn finish(mut self) -> Run {
        self.child.stdin.take().unwrap().write_all(&self.rest).unwrap();
        self.child.wait_with_output().unwrap().into()
    }

    /// Ends it by a signal instead.
    pub(crate) fn signal(mut self, name: &str) -> Run {
        let _open = self.child.stdin.take();
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
        self.child.wait_with_output().unwrap().into()
    }
}

/// An empty directory to run in.
#[derive(Debug)]
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs the program with arguments that are separated by spaces.
    pub(crate) fn run(&self, args: &str) -> Run {
        self.run_with(args.split_whitespace(), Stdio::piped())
    }

    /// Runs a script of the shell, in which `$0` is the program.
    pub(crate) fn shell(&self, script: &str) -> Run {
        let mut command = Command::new("sh");
        let command = command.args(["-c", script, env!("CARGO_BIN_EXE_warplu")]).current_dir(self.0.path());
        command.stdin(Stdio::null()).output().unwrap().into()
    }

    /// Starts the program, whose input `-` is a file of which only the header comes, and waits until it has made
    /// `outputs`.
    pub(crate) fn start(&self, args: &str, file: &[u8], outputs: usize) -> Waiting {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warplu"));
        let command = command.args(args.split_whitespace()).current_dir(self.0.path()).stdin(Stdio::piped());
        // What a shell runs in the background ignores interrupts, and what nohup runs hangups: these tests may be such.
        #[cfg(unix)]
        // SAFETY: between fork and exec, actions of signals may be set.
        unsafe {
            command.pre_exec(|| {
                libc::signal(libc::SIGINT, libc::SIG_DFL);
                libc::signal(libc::SIGHUP, libc::SIG_DFL);
                Ok(())
            })
        };
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let header = file.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        child.stdin.as_mut().unwrap().write_all(&file[..header]).unwrap();
        while self.files().iter().filter(|name| name.starts_with(".warplu-")).count() < outputs {
            assert!(child.try_wait().unwrap().is_none(), "it ended without its input");
            std::thread::sleep(Duration::from_millis(1));
        }
        Waiting { child, rest: file[header..].to_vec() }
    }

    pub(crate) fn run_with(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>, stdout: Stdio) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warplu"));
        let child = command.args(args).current_dir(self.0.path()).stdin(Stdio::null());
        child.stdout(stdout).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap().into()
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn save(&self, name: &str, array: &Array) {
        self.write(name, array.encode(false));
    }

    #[track_caller]
    pub(crate) fn load(&self, name: &str) -> Array {
        Array::decode(&std::fs::read(self.path(name)).unwrap())
    }

    /// The names of all files.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// An array of any of the types, in C order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Array {
    pub(crate) dtype: String,
    pub(crate) shape: Vec<usize>,
    pub(crate) data: Vec<Complex64>,
}

impl Array {
    pub(crate) fn new(dtype: &str, shape: &[usize], data: impl IntoIterator<Item = f64>) -> Self {
        let data: Vec<_> = data.into_iter().map(Complex64::from).collect();
        assert_eq!(data.len(), shape.iter().product::<usize>());
        Self { dtype: dtype.to_owned(), shape: shape.to_owned(), data }
    }

    /// Numbers that any type holds exactly, and for square shapes diagonally dominant matrices.
    pub(crate) fn sample(dtype: &str, shape: &[usize]) -> Self {
        let mut array = Self::new(dtype, shape, vec![0.0; shape.iter().product()]);
        let (n, k) = (shape[shape.len().saturating_sub(2)], shape[shape.len() - 1]);
        let mut state = 12345_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 28) / 16.0 - 0.5
        };
        for (at, z) in array.data.iter_mut().enumerate() {
            z.re = next();
            if dtype.contains('c') {
                z.im = next();
            }
            if shape.len() > 1 && n == k && at / k % n == at % k {
                z.re += 2.0 * n as f64;
            }
        }
        array
    }

    pub(crate) fn encode(&self, fortran: bool) -> Vec<u8> {
        let rank = self.shape.len();
        let mut data = Vec::new();
        for at in 0..self.data.len() {
            // Position `at` in Fortran order as a position in C order.
            let (mut rest, mut from) = (at, 0);
            for (axis, &len) in self.shape.iter().enumerate() {
                let stride: usize = self.shape[axis + 1..rank].iter().product();
                from += rest % len * stride;
                rest /= len;
            }
            let Complex64 { re, im } = self.data[if fortran { from } else { at }];
            match self.dtype.as_str() {
                "<f2" => data.extend(half::f16::from_f64(re).to_le_bytes()),
                "<f4" => data.extend((re as f32).to_le_bytes()),
                "<f8" => data.extend(re.to_le_bytes()),
                "<c8" => data.extend([re as f32, im as f32].map(f32::to_le_bytes).concat()),
                "<c16" => data.extend([re, im].map(f64::to_le_bytes).concat()),
                other => panic!("{other}"),
            }
        }
        npy(&format!("'{}'", self.dtype), fortran, &tuple(&self.shape), &data)
    }

    #[track_caller]
    pub(crate) fn decode(bytes: &[u8]) -> Self {
        let file = NpyFile::new(bytes).unwrap();
        assert_eq!(file.order(), Order::C);
        let dtype = file.dtype().descr().trim_matches('\'').to_owned();
        let shape: Vec<_> = file.shape().iter().map(|&axis| axis as usize).collect();
        let real = |x: f64| Complex64::from(x);
        let data: Vec<_> = match dtype.as_str() {
            "<i4" => file.into_vec::<i32>().unwrap().into_iter().map(|x| real(x.into())).collect(),
            "<f2" => file.into_vec::<half::f16>().unwrap().into_iter().map(|x| real(x.into())).collect(),
            "<f4" => file.into_vec::<f32>().unwrap().into_iter().map(|x| real(x.into())).collect(),
            "<f8" => file.into_vec::<f64>().unwrap().into_iter().map(real).collect(),
            "<c8" => {
                let data = file.into_vec::<num_complex::Complex32>().unwrap();
                data.into_iter().map(|z| Complex64::new(z.re.into(), z.im.into())).collect()
            }
            "<c16" => file.into_vec::<Complex64>().unwrap(),
            other => panic!("{other}"),
        };
        assert_eq!(data.len(), shape.iter().product::<usize>());
        Self { dtype, shape, data }
    }

    /// The matrices of the last two axes: (rows, columns, elements).
    pub(crate) fn matrices(&self) -> Vec<Matrix<'_>> {
        let [.., rows, cols] = self.shape[..] else { panic!("{:?}", self.shape) };
        self.data.chunks(rows * cols).map(|data| Matrix { cols, data }).collect()
    }

    /// The same numbers in another shape.
    pub(crate) fn reshape(mut self, shape: &[usize]) -> Self {
        self.shape = shape.to_owned();
        self
    }
}

/// One matrix, in C order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix<'a> {
    pub(crate) cols: usize,
    pub(crate) data: &'a [Complex64],
}

impl Matrix<'_> {
    pub(crate) fn get(&self, i: usize, j: usize) -> Complex64 {
        self.data[i * self.cols + j]
    }
}

/// a b, in C order.
pub(crate) fn product(a: Matrix<'_>, b: Matrix<'_>) -> Vec<Complex64> {
    let rows = a.data.len() / a.cols;
    let element = |at: usize| (0..a.cols).map(|k| a.get(at / b.cols, k) * b.get(k, at % b.cols)).sum();
    (0..rows * b.cols).map(element).collect()
}

#[track_caller]
pub(crate) fn assert_close(a: &[Complex64], b: &[Complex64], dtype: &str) {
    let tolerance = match dtype {
        "<f2" => 0.05,
        "<f4" | "<c8" => 1e-5,
        _ => 1e-13,
    };
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).norm() < tolerance, "{a} is not {b} ({dtype})");
    }
}

/// The bytes of a file of version 1.
pub(crate) fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    npy_version(1, descr, fortran, shape, data)
}

pub(crate) fn npy_version(version: u8, descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n");
    let len = (header.len() as u32).to_le_bytes();
    let len = if version == 1 { &len[..2] } else { &len[..] };
    [b"\x93NUMPY", &[version, 0][..], len, header.as_bytes(), data].concat()
}

/// A shape as Python prints it.
pub(crate) fn tuple(shape: &[usize]) -> String {
    format!("({})", shape.iter().map(|axis| format!("{axis},")).collect::<String>())
}

/// Whether a special file is there to test with.
pub(crate) fn exists(path: &str) -> bool {
    Path::new(path).exists()
}
