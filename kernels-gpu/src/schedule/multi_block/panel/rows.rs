//! A lane's rows of the panel: the elimination of a column.
//!
//! A column waits for the update by the pivot row before it, and no more: of that update, the next column gets its part
//! at once, and offers its candidates; the other columns get theirs while these travel through the cluster.

use simt::{thread, warp};

use crate::numbers::mma::Mma;
use crate::numbers::scalar::Real;
use crate::schedule::multi_block::Workspace;
use crate::schedule::multi_block::panel::candidates::Candidate;
use crate::schedule::multi_block::panel::exchange::{Exchange, OfBlock};
use crate::schedule::multi_block::panel::storage::SharedStorage;
use crate::schedule::multi_block::panel::{THREADS, position};

/// A lane's rows of a panel, numbers `256 r + thread` of the block's part.
pub struct PanelRows<T, const NB: usize, const LANE_ROWS: usize> {
    /// Their elements after the current column, which lack the update by it; before the first column all elements.
    pub x: [[T; NB]; LANE_ROWS],
    /// Their elements in the current column, up to date.
    current: [T; LANE_ROWS],
    /// Their elements of L in the column before; of its pivot row, the pivot.
    l: [T; LANE_ROWS],
    /// Where LAPACK's interchanges have moved them by now.
    positions: [u32; LANE_ROWS],
    /// The block's candidate for the current column.
    own: OfBlock,
    /// The element after the current column of the pivot row before.
    u: T,
}

impl<T: Mma, const NB: usize, const LANE_ROWS: usize> PanelRows<T, NB, LANE_ROWS> {
    /// The rows in shared memory, at the beginning.
    #[inline(always)]
    pub fn new(shared: &SharedStorage<T, NB, LANE_ROWS>, n: u32, k: u32) -> Self {
        let mut rows = Self {
            x: [[T::ZERO; NB]; LANE_ROWS],
            current: [T::ZERO; LANE_ROWS],
            l: [T::ZERO; LANE_ROWS],
            positions: [0; LANE_ROWS],
            own: OfBlock { warp: 0, position: 0 },
            u: T::ZERO,
        };
        for r in 0..LANE_ROWS {
            let i = Self::index(r);
            rows.positions[r] = position(k, i);
            if rows.positions[r] < n {
                rows.x[r] = T::load_row(shared.row(i), 0);
            }
        }
        rows
    }

    /// Which of the block's rows row `r` of the lane is.
    #[inline(always)]
    fn index(r: usize) -> u32 {
        r as u32 * THREADS + thread::index()
    }

    /// Whether row `r` is one of the `count` candidates from position `first` on.
    #[inline(always)]
    pub fn is_candidate(&self, r: usize, first: u32, count: u32) -> bool {
        self.positions[r].wrapping_sub(first) < count
    }

    /// Makes column 0 of the panel that begins at column `k` the current one.
    #[inline(always)]
    pub fn begin(&mut self, exchange: &Exchange<T, NB>, (n, k): (u32, u32)) {
        let mut words = [0; LANE_ROWS];
        for r in 0..LANE_ROWS {
            self.current[r] = self.x[r][0];
            words[r] = self.word(r, self.is_candidate(r, k, n - k));
        }
        self.send_candidate(exchange, &words, 0);
        for r in 0..LANE_ROWS {
            for i in 1..NB {
                self.x[r][i - 1] = self.x[r][i];
            }
        }
    }

    /// Makes column `c + 1` the current one, of at most `LEFT`. Returns the pivot of column `c`, and the block that has
    /// it.
    #[inline(always)]
    pub fn advance<const LEFT: usize>(
        &mut self,
        exchange: &Exchange<T, NB>,
        (n, k): (u32, u32),
        c: u32,
    ) -> (u32, Candidate<T>) {
        self.send_row::<LEFT>(exchange, c);
        let (block, pivot) = exchange.pivot(c, &self.own);
        self.divide(&pivot);
        let next = pivot.next.sub_mul(pivot.multiplier, self.u);
        let mut words = [0; LANE_ROWS];
        for r in 0..LANE_ROWS {
            self.current[r] = self.x[r][0].sub_mul(self.l[r], next);
            let is_left = self.is_candidate(r, k + c, n - k - c) && self.positions[r] != pivot.position;
            words[r] = self.word(r, is_left);
        }
        self.interchange(&pivot, k + c);
        self.send_candidate(exchange, &words, c + 1);
        (block, pivot)
    }

    /// Updates the columns after that, of which there are fewer than `LEFT`, by column `c`, whose pivot is in row
    /// `index` of `block`; and puts this column where the factored panel is in shared memory.
    #[inline(always)]
    pub fn update<const LEFT: usize>(
        &mut self,
        shared: &SharedStorage<T, NB, LANE_ROWS>,
        exchange: &Exchange<T, NB>,
        (k, c): (u32, u32),
        (block, index): (u32, u32),
    ) {
        self.store_l(shared, k, c);
        exchange.wait_for_rows(c);
        let row = exchange.row(c, block);
        let u: [T; LEFT] = T::load_row(row, 0);
        for r in 0..LANE_ROWS {
            for i in 1..LEFT {
                self.x[r][i - 1] = self.x[r][i].sub_mul(self.l[r], u[i]);
            }
        }
        self.u = u[1];
        let column = c + 1 + warp::lane();
        if block == exchange.rank && warp::index() == 0 && column < NB as u32 {
            shared.row(index).store(column, row.load(warp::lane()));
        }
    }

    /// Ends with column `c`, the last, and returns its pivot.
    #[inline(always)]
    pub fn end(
        &mut self,
        shared: &SharedStorage<T, NB, LANE_ROWS>,
        exchange: &Exchange<T, NB>,
        k: u32,
        c: u32,
    ) -> Candidate<T> {
        let (_, pivot) = exchange.pivot(c, &self.own);
        self.divide(&pivot);
        self.interchange(&pivot, k + c);
        self.store_l(shared, k, c);
        pivot
    }

    /// Divides the current column by its pivot.
    #[inline(always)]
    fn divide(&mut self, pivot: &Candidate<T>) {
        if pivot.value.is_moderate() {
            for r in 0..LANE_ROWS {
                self.l[r] = self.current[r] * pivot.reciprocal;
            }
        } else {
            let scale = T::Real::safe_scale(pivot.value.abs1());
            let reciprocal = pivot.value.scale(scale).reciprocal();
            for r in 0..LANE_ROWS {
                let is_zero = pivot.value == T::ZERO;
                self.l[r] = if is_zero { T::ZERO } else { self.current[r].scale(scale) * reciprocal };
            }
        }
    }

    /// Interchanges the pivot row and the one at position `first`. From then on, the former's element of L is the
    /// pivot.
    #[inline(always)]
    fn interchange(&mut self, pivot: &Candidate<T>, first: u32) {
        for r in 0..LANE_ROWS {
            let (at, is_pivot) = (self.positions[r], self.positions[r] == pivot.position);
            // Each by itself: LLVM else branches.
            let other = if at == first { pivot.position } else { at };
            self.positions[r] = if is_pivot { first } else { other };
            self.l[r] = if is_pivot { pivot.value } else { self.l[r] };
        }
    }

    /// What row `r`'s element in the current column is first compared by.
    #[inline(always)]
    fn word(&self, r: usize, is_candidate: bool) -> u32 {
        if is_candidate { Candidate::words(self.current[r]).0 } else { 0 }
    }

    /// Sends the block's candidate for column `c`, the current one.
    #[inline(always)]
    fn send_candidate(&mut self, exchange: &Exchange<T, NB>, words: &[u32; LANE_ROWS], c: u32) {
        let (mut word, mut value) = (words[0], self.current[0]);
        for r in 1..LANE_ROWS {
            value = if words[r] > word { self.current[r] } else { value };
            word = if words[r] > word { words[r] } else { word };
        }
        let holder = |word: u32| {
            let (mut own, mut is_held) = (self.candidate(0, words), words[0] == word);
            let mut is_tied = false;
            for r in 1..LANE_ROWS {
                is_tied |= is_held && words[r] == word;
                is_held |= words[r] == word;
                own = own.or(self.candidate(r, words), words[r] == word);
            }
            (own, is_tied)
        };
        let exact = || {
            let mut best = self.candidate(0, words);
            for r in 1..LANE_ROWS {
                let own = self.candidate(r, words);
                best = best.or(own, own.key() > best.key());
            }
            best
        };
        exchange.offer(c, (word, value), holder, exact);
        self.own = exchange.send(c);
    }

    /// Row `r`'s candidate, without its reciprocal.
    #[inline(always)]
    fn candidate(&self, r: usize, words: &[u32; LANE_ROWS]) -> Candidate<T> {
        Candidate {
            word: words[r],
            lower: Candidate::words(self.current[r]).1,
            position: self.positions[r],
            index: Self::index(r),
            value: self.current[r],
            reciprocal: T::ZERO,
            next: self.x[r][1],
            multiplier: self.l[r],
        }
    }

    /// Puts the elements of L in column `c`, and its pivot, where the factored panel is in shared memory.
    #[inline(always)]
    fn store_l(&self, shared: &SharedStorage<T, NB, LANE_ROWS>, k: u32, c: u32) {
        for r in 0..LANE_ROWS {
            if self.positions[r] >= k + c {
                shared.row(Self::index(r)).store(c, self.l[r]);
            }
        }
    }

    /// Sends the row of the block's candidate for column `c`, from the next column on.
    #[inline(always)]
    fn send_row<const LEFT: usize>(&self, exchange: &Exchange<T, NB>, c: u32) {
        let own = self.own;
        if warp::index() == own.warp {
            exchange.send_row::<LEFT>(c, |to| {
                for r in 0..LANE_ROWS {
                    // By the position, which differs from lane to lane: LLVM would make an index of the row's number.
                    if self.positions[r] == own.position {
                        let mut row = [T::ZERO; LEFT];
                        row.copy_from_slice(&self.x[r][..LEFT]);
                        T::store_row(to, &row, 0);
                    }
                }
            });
        }
    }

    /// Writes the list of candidates after the panel, and the pivot rows of its `width` columns.
    #[inline(always)]
    pub fn store_lists(
        &self,
        shared: &SharedStorage<T, NB, LANE_ROWS>,
        work: &Workspace<T>,
        (n, k, width): (u32, u32, u32),
        next_list: u32,
    ) {
        for r in 0..LANE_ROWS {
            let i = Self::index(r);
            if position(k, i) < n {
                let (row, at) = (shared.row_numbers.load(i), self.positions[r]);
                let list = if at < k + width { work.pivot_rows() } else { work.list(next_list) };
                list.store(at as i64, row);
            }
        }
    }
}
