//! The second step: X = W L^-1, panels from right to left, in the place of W.

use simt::hint::opaque;
use simt::{block, sync_threads, thread};

use super::{Block, TriangleArgs, columns_of};
use kernels_gpu::collective::vote::any_thread;
use numbers::matrix::View;
use numbers::scalar::Scalar;
use numbers::status::NON_FINITE;

/// Before a panel is solved it is corrected for all finished columns: X1 = (W1 - X2 L21) L11^-1.
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
    if args.status.load(b) != 0 {
        return; // the whole block
    }
    let mut finite = true;
    let mut panel = args.panel_end;
    while panel > args.panel {
        panel -= 1;
        let (j0, width) = columns_of::<NB>(panel, args.n);
        finite &= if DELAYED {
            block.lower_delayed::<NB>(j0, width, args.n)
        } else {
            block.lower_timely::<NB>(j0, width, args.n)
        };
        sync_threads();
    }
    if any_thread(!finite, block.flags) && thread::index() == 0 {
        args.status.store(b, NON_FINITE);
    }
}

impl<T: Scalar> Block<T> {
    /// Whether this thread's part of X1 is finite.
    #[inline(always)]
    fn lower_delayed<const NB: usize>(&self, j0: u32, width: u32, n: u32) -> bool {
        // Rows of L11 and L21, a row a thread.
        let mut k = j0 + thread::index();
        while k < n || k < j0 + NB as u32 {
            let j0 = opaque(j0);
            for c in 0..NB as u32 {
                let inside = c < width && k < n && k > j0 + c;
                self.panel.store((k - j0) * NB as u32 + c, if inside { self.lu.load(k, j0 + c) } else { T::ZERO });
            }
            k += block::dim();
        }
        sync_threads();

        let mut finite = true;
        let mut i = thread::index();
        while i < n {
            finite &= self.lower_delayed_row::<NB>(i, j0, width, n);
            i += block::dim();
        }
        finite
    }

    /// Row i. Whether it is finite.
    #[inline(always)]
    fn lower_delayed_row<const NB: usize>(&self, i: u32, j0: u32, width: u32, n: u32) -> bool {
        let j0 = opaque(j0);
        let mut row = [T::ZERO; NB]; // row i of X1
        for c in 0..NB {
            if (c as u32) < width && i <= j0 + c as u32 {
                row[c] = self.w.load(i, j0 + c as u32);
            }
        }
        let mut k = j0 + width;
        while k < n {
            let (x, l) = (self.w.load(i, k), self.panel.offset((k - j0) * NB as u32));
            for c in 0..NB {
                row[c] = row[c].sub_mul(x, l.load(c as u32));
            }
            k += 1;
        }
        let l11 = |r: u32, c: u32| self.panel.load(r * NB as u32 + c);
        self.solve_lower(&mut row, i, j0, width, l11)
    }

    /// Whether this thread's part of X1 is finite.
    #[inline(always)]
    fn lower_timely<const NB: usize>(&self, j0: u32, width: u32, n: u32) -> bool {
        // Columns of L10 and L11, a column a thread.
        let mut j = thread::index();
        while j < j0 + NB as u32 {
            let j0 = opaque(j0);
            for q in 0..NB as u32 {
                let inside = q < width && j0 + q > j;
                self.panel.store(j * NB as u32 + q, if inside { self.lu.load(j0 + q, j) } else { T::ZERO });
            }
            j += block::dim();
        }
        sync_threads();

        let corrected = j0 + width < n; // what is below the diagonal is no longer zero
        let mut finite = true;
        let mut i = thread::index();
        while i < n {
            finite &= self.lower_timely_row::<NB>(i, j0, width, corrected);
            i += block::dim();
        }
        finite
    }

    /// Row i. Whether it is finite.
    #[inline(always)]
    fn lower_timely_row<const NB: usize>(&self, i: u32, j0: u32, width: u32, corrected: bool) -> bool {
        let j0 = opaque(j0);
        let mut row = [T::ZERO; NB]; // row i of X1
        for c in 0..NB {
            if (c as u32) < width && (corrected || i <= j0 + c as u32) {
                row[c] = self.w.load(i, j0 + c as u32);
            }
        }
        let l11 = self.panel.offset(j0 * NB as u32);
        let l11 = |r: u32, c: u32| l11.load(c * NB as u32 + r);
        let finite = self.solve_lower(&mut row, i, j0, width, l11);

        let mut j = 0;
        while j < j0 {
            let mut x = if corrected || i <= j { self.w.load(i, j) } else { T::ZERO };
            let l = self.panel.offset(j * NB as u32);
            for q in 0..NB {
                x = x.sub_mul(row[q], l.load(q as u32));
            }
            self.w.store(i, j, x);
            j += 1;
        }
        finite
    }

    /// Row i of X1 = row L11^-1, stored. Whether it is finite.
    #[inline(always)]
    fn solve_lower<const NB: usize>(
        &self,
        row: &mut [T; NB],
        i: u32,
        j0: u32,
        width: u32,
        l11: impl Fn(u32, u32) -> T,
    ) -> bool {
        let mut finite = true;
        for c in (0..NB).rev() {
            for r in c + 1..NB {
                row[c] = row[c].sub_mul(row[r], l11(r as u32, c as u32));
            }
            if (c as u32) < width {
                finite &= row[c].is_finite();
                self.w.store(i, j0 + c as u32, row[c]);
            }
        }
        finite
    }
}
