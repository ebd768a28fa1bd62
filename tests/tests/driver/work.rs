//! The calls that the tests make, on any device.

use warplu::{Batch, Device, Error};

/// Order of the matrices: small, so that kernels need no more than one launch.
pub(crate) const N: usize = 3;
/// Matrices of the batch.
pub(crate) const BATCH: usize = 10;
/// Device memory that makes a batch go through in several chunks, two of them at a time.
pub(crate) const FEW_BYTES: usize = 1 << 10;

/// What is called.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Verb {
    Invert,
    Lu,
    Solve,
    Det,
}

impl Verb {
    pub(crate) const ALL: [Self; 4] = [Self::Invert, Self::Lu, Self::Solve, Self::Det];

    /// Calls it for a batch of matrices.
    pub(crate) fn call(self, device: &Device) -> Result<(), Error> {
        let numbers = numbers();
        let a = Batch::row_major(&numbers, BATCH, N, N)?;
        match self {
            Self::Invert => device.invert(&a).map(drop),
            Self::Lu => device.lu(&a).map(drop),
            Self::Solve => device.solve(&a, &Batch::row_major(&numbers[..BATCH * N], BATCH, N, 1)?).map(drop),
            Self::Det => device.det(&a).map(drop),
        }
    }
}

/// The numbers of the matrices, all different.
pub(crate) fn numbers() -> Vec<f64> {
    (1..=BATCH * N * N).map(|i| i as f64).collect()
}
