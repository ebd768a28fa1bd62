//! The panel before, applied to this one: so it need not wait for an update of its own.

use simt::{cluster, sync_threads, thread};

use crate::numbers::mma::Mma;
use crate::schedule::multi_block::panel::THREADS;
use crate::schedule::multi_block::panel::rows::PanelRows;
use crate::schedule::multi_block::panel::storage::SharedStorage;
use crate::schedule::multi_block::{StepArgs, Workspace, pivot_rows};

/// Updates `rows`, those of the panel that begins at column `k`, by the panel before. The first block stores U12 to matrix `b`.
#[inline(always)]
pub fn catch_up<T: Mma, const NB: usize, const LANE_ROWS: usize>(
    rows: &mut PanelRows<T, NB, LANE_ROWS>,
    shared: &SharedStorage<T, NB, LANE_ROWS>,
    args: &StepArgs<T>,
    work: &Workspace<T>,
    b: u64,
) {
    let (n, k) = (args.n, args.column);
    let before = k - NB as u32;
    pivot_rows::load_triangle::<T, NB>(work, shared.triangle, before, THREADS);
    sync_threads();
    if thread::index() < NB as u32 {
        let column = k + thread::index();
        let u = pivot_rows::solve::<T, NB>(work, shared.triangle, before, column, true);
        for i in 0..NB {
            shared.u.store((i * NB) as u32 + thread::index(), u[i]);
        }
        if cluster::rank() == 0 && column < n {
            pivot_rows::store(&args.lu.matrix(b), &u, before, column);
        }
    }
    sync_threads();
    for r in 0..LANE_ROWS {
        if rows.is_candidate[r] {
            let l = work.at(shared.row_numbers.load(r as u32 * THREADS + thread::index()), before);
            let mut next = T::load_global_vector(l, 0);
            let mut v = 0;
            while v < (NB / T::VECTOR) as u32 {
                let multipliers = next;
                if v + 1 < (NB / T::VECTOR) as u32 {
                    next = T::load_global_vector(l, v + 1); // on its way meanwhile
                }
                for i in 0..T::VECTOR {
                    let u: [T; NB] = T::load_row(shared.u.offset((v * T::VECTOR as u32 + i as u32) * NB as u32), 0);
                    for c in 0..NB {
                        rows.x[r][c] = rows.x[r][c].sub_mul(multipliers[i], u[c]);
                    }
                }
                v += 1;
            }
        }
    }
}
