//! A lane's part of the panels of its warp, and of a right-hand side.

use simt::{block, warp};

use crate::memory::transpose_buffer::{Panel, TransposeBuffer};
use numbers::matrix::GlobalMatrix;
use numbers::scalar::Scalar;

/// The rows that a lane holds of its warp's panels.
///
/// Registers need constant indices. So panels rotate through the slots: the one that is factored next is in slot 0.
pub struct Tiles<T, const LANE_ROWS: usize, const NB: usize, const PANELS: usize, const RHS: usize = 0> {
    /// One panel a slot; shape (PANELS, LANE_ROWS, NB).
    pub panels: [Panel<T, LANE_ROWS, NB>; PANELS],
    /// The same rows of this warp's right-hand side; shape (RHS, LANE_ROWS).
    pub rhs: [[T; LANE_ROWS]; RHS],
    /// Whether it has one.
    pub has_rhs: bool,
    /// How often the panels have been rotated.
    rotations: u32,
}

impl<T: Scalar, const LANE_ROWS: usize, const NB: usize, const PANELS: usize, const RHS: usize>
    Tiles<T, LANE_ROWS, NB, PANELS, RHS>
{
    /// All zeros.
    #[inline(always)]
    #[must_use]
    pub fn zeros() -> Self {
        Self {
            panels: [[[T::ZERO; NB]; LANE_ROWS]; PANELS],
            rhs: [[T::ZERO; LANE_ROWS]; RHS],
            has_rhs: false,
            rotations: 0,
        }
    }

    /// The panel of the matrix that is in slot `s`, possibly one beyond the last.
    #[inline(always)]
    pub fn panel(&self, s: usize) -> u32 {
        let own = s as u32 + self.rotations;
        let own = if own < PANELS as u32 { own } else { own - PANELS as u32 };
        own * (block::dim() / warp::SIZE) + warp::index()
    }

    /// Moves each panel to the slot before, and the first to the last slot.
    #[inline(always)]
    pub fn rotate(&mut self) {
        let first = self.panels[0];
        for s in 1..PANELS {
            self.panels[s - 1] = self.panels[s];
        }
        self.panels[PANELS - 1] = first;
        self.rotations += 1;
    }

    /// Loads this warp's panels of a matrix of order `n`, continued by the identity.
    ///
    /// All loads are issued before the first is waited for.
    #[inline(always)]
    pub fn load(&mut self, buffer: &TransposeBuffer<T, LANE_ROWS, NB>, a: &GlobalMatrix<T>, n: u32) {
        for s in 0..PANELS {
            self.panels[s] = TransposeBuffer::<T, LANE_ROWS, NB>::load(a, self.panel(s) * NB as u32, n);
        }
        if !a.column_is_dense() {
            for s in 0..PANELS {
                self.panels[s] = buffer.transpose(&self.panels[s]);
            }
        }
    }
}
