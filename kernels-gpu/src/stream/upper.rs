//! Where U goes, and back-substitution.

use simt::global::Global;
use simt::shared::Shared;
use simt::{block, pipeline, sync_threads, thread, warp};

use crate::matrix::GlobalMatrix;
use crate::product::Product;
use crate::scalar::{Real, Scalar};
use crate::stream::NB;
use crate::stream::strip::Strip;
use crate::wide::Wide;

/// Where U goes as it comes up.
pub trait Sink<T>: Copy {
    /// Whether there is room for the columns and rows that the last panel lacks.
    const WHOLE: bool;
    /// Where element (i, j) goes.
    fn place(&self, i: u32, j: u32) -> Global<T>;
    /// From there to the next row's.
    fn row_step(&self) -> i64;
}

impl<T: Scalar> Sink<T> for GlobalMatrix<T> {
    const WHOLE: bool = false;

    #[inline(always)]
    fn place(&self, i: u32, j: u32) -> Global<T> {
        self.at(i, j)
    }

    #[inline(always)]
    fn row_step(&self) -> i64 {
        self.row_stride()
    }
}

/// U in device memory, panel after panel as far down as its diagonal: shape (strip(panels), NB).
#[derive(Clone, Copy)]
pub struct Strips<T>(pub Global<T>);

/// Rows of the panels before panel `p`.
const fn strip(p: u32) -> u32 {
    NB as u32 / 2 * p * (p + 1)
}

/// Numbers of U of a matrix of order `n`.
#[must_use]
pub const fn upper_numbers(n: u32) -> u32 {
    NB as u32 * strip(n.div_ceil(NB as u32))
}

impl<T: Scalar> Sink<T> for Strips<T> {
    const WHOLE: bool = true;

    #[inline(always)]
    fn place(&self, i: u32, j: u32) -> Global<T> {
        let (p, c) = (j / NB as u32, j % NB as u32);
        self.0.offset(((strip(p) + i) * NB as u32 + c) as i64)
    }

    #[inline(always)]
    fn row_step(&self) -> i64 {
        NB as i64
    }
}

/// U in shared memory, in the order of [`Strips`].
pub struct Upper<T: Scalar> {
    /// Shape (strip(panels), NB).
    rows: Strip<T>,
    /// What numbers are multiplied by before they are by the reciprocals of pivots: shape (8 panels).
    scales: Shared<T::Real>,
    /// Reciprocals of the pivots that were scaled so: shape (8 panels).
    reciprocals: Shared<T>,
    /// Order of the matrix.
    n: u32,
}

impl<T: Product> Upper<T> {
    /// Brings U of a matrix of order `n` to `room`. By all threads; two barriers.
    #[inline(always)]
    pub fn bring(from: Strips<T>, room: Shared<T>, n: u32) -> Self {
        let order = n.div_ceil(NB as u32) * NB as u32;
        let mut v = thread::index();
        while v < upper_numbers(n) / T::VECTOR as u32 {
            T::copy_vector(room, Strip::<T>::part_of_all(v), from.0, v);
            v += block::dim();
        }
        pipeline::commit();
        pipeline::wait_prior::<0>();
        sync_threads(); // U is there
        let reciprocals = room.offset(upper_numbers(n));
        let upper = Self { rows: Strip::new(room), scales: reciprocals.offset(order).cast(), reciprocals, n };
        let mut i = thread::index();
        while i < order {
            let pivot = if i < n { upper.rows.load(strip(i / NB as u32) + i, i % NB as u32) } else { T::ONE };
            let scale = T::Real::safe_scale(pivot.abs1());
            upper.scales.store(i, scale);
            upper.reciprocals.store(i, pivot.scale(scale).reciprocal());
            i += block::dim();
        }
        sync_threads(); // reciprocals are there
        upper
    }

    /// Solves for the right-hand side `y`, shape (8 panels), zeros after the matrix's rows. Passes each row and its number on. By a
    /// warp, whose lanes have up to `R` rows.
    ///
    /// All lanes solve for a panel's rows, and then each takes the panel from its own rows above.
    #[inline(always)]
    pub fn substitute<const R: usize>(&self, y: Shared<T>, mut found: impl FnMut(u32, T)) {
        let lane = warp::lane();
        let panels = self.n.div_ceil(NB as u32);
        let mut own = [T::ZERO; R];
        for r in 0..R {
            if 32 * (r as u32) + lane < NB as u32 * panels {
                own[r] = y.load(32 * r as u32 + lane);
            }
        }
        let mut p = panels;
        while p > 0 {
            p -= 1;
            let (first, panel) = (NB as u32 * p, self.rows.skip(strip(p) / NB as u32));
            let diagonal = panel.skip(p);
            for r in 0..R {
                if 32 * (r as u32) + lane - lane % NB as u32 == first {
                    y.store(32 * r as u32 + lane, own[r]);
                }
            }
            warp::sync(warp::ALL);
            let mut x: [T; NB] = T::load_row(y.offset(first), 0);
            let scales: [T::Real; NB] = T::Real::load_row(self.scales.offset(first), 0);
            let reciprocals: [T; NB] = T::load_row(self.reciprocals.offset(first), 0);
            for c in (0..NB).rev() {
                x[c] = x[c].scale(scales[c]) * reciprocals[c];
                for i in 0..c {
                    x[i] = x[i].sub_mul(diagonal.load_row(i as u32)[c], x[c]);
                }
            }
            let mut mine = x[0];
            for c in 1..NB {
                mine = if lane == c as u32 { x[c] } else { mine };
            }
            if lane < NB as u32 && first + lane < self.n {
                found(first + lane, mine);
            }
            for r in 0..R {
                let i = 32 * r as u32 + lane;
                if i < first {
                    let u = panel.load_row(i);
                    for c in 0..NB {
                        own[r] = own[r].sub_mul(u[c], x[c]);
                    }
                }
            }
        }
    }
}
