//! What all operations make of a batch.

use warplu::{Batch, Determinants, Device, Element, Inverse, Lu, Matrices, Op, Solution};

/// All ops.
pub const OPS: [Op; 3] = [Op::None, Op::Transpose, Op::Adjoint];

/// What every operation makes of a batch.
#[derive(Debug)]
pub struct Results<T: Element> {
    /// `Device::lu`.
    pub lu: Lu<T>,
    /// `Lu::solve` with A, A^T and A^H, and `Device::solve`.
    pub solutions: [Solution<Matrices<T>>; 4],
    /// `Lu::inverse` and `Device::invert`.
    pub inverses: [Inverse<Matrices<T>>; 2],
    /// `Lu::det` and `Device::det`.
    pub dets: [Determinants<T>; 2],
}

/// Runs every operation.
#[track_caller]
pub fn compute<T: Element>(device: &Device, a: &Batch<'_, T>, b: &Batch<'_, T>) -> Results<T> {
    let fails = |e: warplu::Error| panic!("{device}: {e}");
    let lu = device.lu(a).unwrap_or_else(fails);
    let [x, transposed, adjoint] = OPS.map(|op| lu.solve(b, op).unwrap_or_else(|e| panic!("{device}: {e}")));
    let solutions = [x, transposed, adjoint, device.solve(a, b).unwrap_or_else(|e| panic!("{device}: {e}"))];
    let inverses = [lu.inverse(), device.invert(a)].map(|r| r.unwrap_or_else(|e| panic!("{device}: {e}")));
    let dets = [lu.det(), device.det(a)].map(|r| r.unwrap_or_else(|e| panic!("{device}: {e}")));
    Results { lu, solutions, inverses, dets }
}
