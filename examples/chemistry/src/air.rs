//! The air of a cell: how fast its reactions are, and what comes into it.

use simt::Pod;

use crate::kinetics;
use crate::pollu::{REACTIONS, SPECIES};

/// What does not change in a cell.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Air {
    /// Rate constants: per minute, or per minute and ppm.
    pub constants: [f64; REACTIONS],
    /// ppm a minute of each species.
    pub emission: [f64; SPECIES],
}

// SAFETY: numbers of 8 bytes.
unsafe impl Pod for Air {}

impl Air {
    /// dy/dt: chemistry and emissions.
    #[inline(always)]
    pub fn rates(&self, y: &[f64; SPECIES]) -> [f64; SPECIES] {
        let mut change = kinetics::rates(&self.constants, y);
        change.iter_mut().zip(self.emission).for_each(|(change, emission)| *change += emission);
        change
    }

    /// The derivatives of [`Air::rates`].
    #[inline(always)]
    pub fn jacobian(&self, y: &[f64; SPECIES]) -> [[f64; SPECIES]; SPECIES] {
        kinetics::jacobian(&self.constants, y)
    }
}
