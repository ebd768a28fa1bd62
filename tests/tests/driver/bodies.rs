//! What runs in the place of kernels.

use std::ffi::{CStr, c_char};

/// The parameters of a kernel that inverts (`InverseArgs<f64>`).
#[repr(C)]
struct Invert {
    a: Matrices,
    inverse: Matrices,
    status: *mut i32,
    first: u64,
    end: u64,
    n: u32,
}

/// Those of a kernel that factors (`GetrfArgs<f64>`).
#[repr(C)]
struct Lu {
    a: Matrices,
    lu: Matrices,
    pivots: *mut u32,
    status: *mut i32,
    first: u64,
    end: u64,
    n: u32,
}

/// Those of a step of LU by many blocks (`StepArgs<f64>`).
#[repr(C)]
struct Step {
    matrices: Matrices,
    pivots: *mut u32,
    status: *mut i32,
    _final_status: *mut i32,
    work: *mut f64,
    _rows: *mut u32,
    first: u64,
    end: u64,
    n: u32,
    work_columns: u32,
    _column: u32,
    _width: u32,
    /// 0 for the matrices themselves.
    begin: u32,
}

impl Step {
    /// The matrices in the workspace, in an order of these functions' own.
    fn work(&self) -> Matrices {
        let strides = [i64::from(self.n) * i64::from(self.work_columns), i64::from(self.n), 1];
        Matrices { base: self.work, pointers: std::ptr::null(), strides }
    }
}

/// Those of a kernel that solves from factors (`GetrsArgs<f64>`).
#[repr(C)]
struct Solve {
    lu: Matrices,
    pivots: *const u32,
    lu_status: *const i32,
    b: Matrices,
    x: Matrices,
    status: *mut i32,
    first: u64,
    end: u64,
    n: u32,
    rhs: u32,
    transposed: u32,
    conjugated: u32,
}

/// Those of the kernel that gives solutions their statuses (`FinishArgs<f64>`).
#[repr(C)]
struct Finish {
    x: Matrices,
    a: Matrices,
    before: *const i32,
    status: *mut i32,
    first: u64,
    end: u64,
    rows: u32,
    cols: u32,
    look_at_pivots: u32,
}

/// A batch in the pretended device memory: strides in elements.
#[derive(Clone, Copy)]
#[repr(C)]
struct Matrices {
    base: *mut f64,
    pointers: *const u64,
    strides: [i64; 3],
}

impl Matrices {
    fn at(&self, b: u64, i: u32, j: u32) -> *mut f64 {
        assert!(self.pointers.is_null(), "the tests have no batches of pointers");
        let [batch, row, col] = self.strides;
        self.base.wrapping_offset((b as i64 * batch + i64::from(i) * row + i64::from(j) * col) as isize)
    }

    /// Matrix `b`, of `rows` x `cols`, becomes that of another batch.
    ///
    /// # Safety
    /// Both are there.
    unsafe fn copy(&self, from: &Self, b: u64, rows: u32, cols: u32) {
        for (i, j) in (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j))) {
            // SAFETY: the caller's promise.
            unsafe { *self.at(b, i, j) = *from.at(b, i, j) };
        }
    }
}

/// The pivot that [`identity`] leaves for a row that begins with `first`.
pub(crate) fn pivot_of(first: f64, n: usize) -> u32 {
    (first.abs() as u64 % n as u64) as u32
}

/// The code of the status that [`identity`] leaves for a matrix that begins with `first`: now and then one that is bad.
pub(crate) fn status_of(first: f64) -> i32 {
    i32::from(first.abs() as u64 % 5 == 3)
}

/// Kernels for f64 pass on what they get. Those that invert: each matrix, and that all is well. Those that factor: each
/// matrix, with pivots and a status that tell it from others; where there are steps, the first and the last one do.
/// Those that solve: right-hand sides, to each row of which they add its pivot and the factors' diagonal, or NaN where
/// the status is not 0; their statuses are passed on by the kernel that finishes, or by themselves. Others do nothing.
pub(crate) extern "C" fn identity(name: *const c_char, parameters: *const u8) {
    // SAFETY: the driver's string.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    if !name.ends_with("_f64") {
        return;
    }
    // SAFETY: the parameters of such kernels, aligned to 8 bytes, which name memory that warplu promises them.
    unsafe {
        match &name {
            name if name.starts_with("inverse_") => invert(&*parameters.cast()),
            name if name.starts_with("steps_pack") => begin_to_factor(&*parameters.cast()),
            name if name.starts_with("steps_unpack") => unpack(&*parameters.cast()),
            name if name.starts_with("getrf_") => factor(&*parameters.cast()),
            name if name.starts_with("getrs_cluster") => solve_and_finish(&*parameters.cast()),
            name if name.starts_with("getrs_") => solve(&*parameters.cast()),
            name if name.starts_with("finish") => finish(&*parameters.cast()),
            _ => {}
        }
    }
}

/// # Safety
/// All that the arguments name is there; so below.
unsafe fn invert(args: &Invert) {
    for b in args.first..args.end {
        // SAFETY: the caller's promise.
        unsafe {
            args.inverse.copy(&args.a, b, args.n, args.n);
            *args.status.add(b as usize) = 0;
        }
    }
}

unsafe fn begin_to_factor(args: &Step) {
    assert_eq!(args.begin, 0, "the tests have no right-hand sides of large matrices");
    let &Step { matrices: a, pivots, status, first, end, n, .. } = args;
    // SAFETY: the caller's promise.
    unsafe { factor(&Lu { a, lu: args.work(), pivots, status, first, end, n }) };
}

unsafe fn unpack(args: &Step) {
    for b in args.first..args.end {
        // SAFETY: the caller's promise.
        unsafe { args.matrices.copy(&args.work(), b, args.n, args.n) };
    }
}

unsafe fn factor(args: &Lu) {
    let n = args.n as usize;
    for b in args.first..args.end {
        // SAFETY: the caller's promise.
        unsafe {
            args.lu.copy(&args.a, b, args.n, args.n);
            for k in 0..n {
                *args.pivots.add(b as usize * n + k) = pivot_of(*args.lu.at(b, k as u32, 0), n);
            }
            *args.status.add(b as usize) = status_of(*args.lu.at(b, 0, 0));
        }
    }
}

unsafe fn solve(args: &Solve) {
    let n = args.n as usize;
    for b in args.first..args.end {
        // SAFETY: the caller's promise.
        unsafe {
            args.x.copy(&args.b, b, args.n, args.rhs);
            for (i, j) in (0..args.n).flat_map(|i| (0..args.rhs).map(move |j| (i, j))) {
                let pivot = f64::from(*args.pivots.add(b as usize * n + i as usize));
                let factor = *args.lu.at(b, i, i);
                let well = *args.lu_status.add(b as usize) == 0;
                *args.x.at(b, i, j) += if well { pivot + factor } else { f64::NAN };
            }
        }
    }
}

/// As the kernel that needs no other one after it where there is one right-hand side.
unsafe fn solve_and_finish(args: &Solve) {
    // SAFETY: the caller's promise.
    unsafe { solve(args) };
    for b in args.first..args.end {
        // SAFETY: the caller's promise.
        unsafe { *args.status.add(b as usize) = *args.lu_status.add(b as usize) };
    }
}

unsafe fn finish(args: &Finish) {
    for b in args.first..args.end {
        // SAFETY: the caller's promise.
        unsafe { *args.status.add(b as usize) = *args.before.add(b as usize) };
    }
}
