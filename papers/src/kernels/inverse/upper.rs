//! The first step: W = U^-1, panels from left to right.

use simt::hint::opaque;
use simt::{block, sync_threads, thread, warp};

use super::{Block, TriangleArgs, columns_of};
use numbers::matrix::View;
use numbers::scalar::Scalar;

/// Before a panel is solved it is corrected for all finished columns: W1 = (I1 - W0 U01) U11^-1.
#[inline(always)]
pub fn delayed<T: Scalar, const NB: usize>(args: TriangleArgs<T>) {
    panels::<T, NB, true>(&args);
}

/// After a panel is solved all remaining columns are corrected for it.
#[inline(always)]
pub fn timely<T: Scalar, const NB: usize>(args: TriangleArgs<T>) {
    panels::<T, NB, false>(&args);
}

#[inline(always)]
fn panels<T: Scalar, const NB: usize, const DELAYED: bool>(args: &TriangleArgs<T>) {
    let block = Block::new(args);
    let b = (args.first + block::index() as u64) as i64;
    let status = args.lu_status.load(b);
    sync_threads(); // `status` may be `lu_status`
    if args.panel == 0 && thread::index() == 0 {
        args.status.store(b, status);
    }
    if status != 0 {
        return; // the whole block
    }
    let mut panel = args.panel;
    while panel < args.panel_end {
        let (j0, width) = columns_of::<NB>(panel, args.n);
        if DELAYED {
            block.upper_delayed::<NB>(j0, width);
        } else {
            block.upper_timely::<NB>(j0, width, args.n);
        }
        sync_threads();
        panel += 1;
    }
}

impl<T: Scalar> Block<T> {
    #[inline(always)]
    fn upper_delayed<const NB: usize>(&self, j0: u32, width: u32) {
        // Rows of U01 and U11, a row a thread.
        let mut k = thread::index();
        while k < j0 + NB as u32 {
            let j0 = opaque(j0);
            for c in 0..NB as u32 {
                let outside = if k == j0 + c { T::ONE } else { T::ZERO };
                let inside = c < width && k <= j0 + c;
                self.panel.store(k * NB as u32 + c, if inside { self.lu.load(k, j0 + c) } else { outside });
            }
            k += block::dim();
        }
        sync_threads();

        let mut i = thread::index();
        while i < j0 + width {
            self.delayed_row::<NB>(i, j0, width);
            i += block::dim();
        }
    }

    /// Row i.
    #[inline(always)]
    fn delayed_row<const NB: usize>(&self, i: u32, j0: u32, width: u32) {
        let mut row = [T::ZERO; NB]; // row i of W1
        let mut k = i - warp::lane(); // W0 is upper triangular: the warp begins where its first row does
        while k < j0 {
            let x = if k >= i { self.w.load(i, k) } else { T::ZERO };
            let u = self.panel.offset(k * NB as u32);
            for c in 0..NB {
                row[c] = row[c].sub_mul(x, u.load(c as u32));
            }
            k += 1;
        }
        let j0 = opaque(j0);
        for c in 0..NB {
            if i == j0 + c as u32 {
                row[c] = T::ONE;
            }
        }
        let u11 = self.panel.offset(j0 * NB as u32);
        let u11 = |r: u32, c: u32| u11.load(r * NB as u32 + c);
        self.solve_and_store(&mut row, i, j0, width, u11);
    }

    #[inline(always)]
    fn upper_timely<const NB: usize>(&self, j0: u32, width: u32, n: u32) {
        // Columns of U11 and U12, a column a thread.
        let mut j = j0 + thread::index();
        while j < n || j < j0 + NB as u32 {
            let j0 = opaque(j0);
            for q in 0..NB as u32 {
                let outside = if j == j0 + q { T::ONE } else { T::ZERO };
                let inside = j < n && j0 + q <= j;
                self.panel.store((j - j0) * NB as u32 + q, if inside { self.lu.load(j0 + q, j) } else { outside });
            }
            j += block::dim();
        }
        sync_threads();

        let mut i = thread::index();
        while i < j0 + width {
            self.timely_row::<NB>(i, j0, width, n);
            i += block::dim();
        }
    }

    /// Row i.
    #[inline(always)]
    fn timely_row<const NB: usize>(&self, i: u32, j0: u32, width: u32, n: u32) {
        let j0 = opaque(j0);
        let mut row = [T::ZERO; NB]; // row i of W1
        for c in 0..NB {
            if (c as u32) < width && i < j0 {
                row[c] = self.w.load(i, j0 + c as u32);
            }
            if i == j0 + c as u32 {
                row[c] = T::ONE;
            }
        }
        let u11 = |r: u32, c: u32| self.panel.load(c * NB as u32 + r);
        self.solve_and_store(&mut row, i, j0, width, u11);

        let mut j = j0 + width;
        while j < n {
            // The panel's own rows are still zero.
            let mut x = if i < j0 { self.w.load(i, j) } else { T::ZERO };
            let u = self.panel.offset((j - j0) * NB as u32);
            for q in 0..NB {
                x = x.sub_mul(row[q], u.load(q as u32));
            }
            self.w.store(i, j, x);
            j += 1;
        }
    }

    /// Row i of W1 = row U11^-1, stored from the diagonal on.
    #[inline(always)]
    fn solve_and_store<const NB: usize>(
        &self,
        row: &mut [T; NB],
        i: u32,
        j0: u32,
        width: u32,
        u11: impl Fn(u32, u32) -> T,
    ) {
        for c in 0..NB {
            for r in 0..c {
                row[c] = row[c].sub_mul(row[r], u11(r as u32, c as u32));
            }
            row[c] = row[c].divide(u11(c as u32, c as u32).divisor());
            if (c as u32) < width && i <= j0 + c as u32 {
                self.w.store(i, j0 + c as u32, row[c]);
            }
        }
    }
}
