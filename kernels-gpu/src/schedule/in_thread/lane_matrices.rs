//! A warp's matrices between device memory and registers, a matrix a lane.

use simt::layout::Layout;
use simt::shared::Shared;
use simt::warp;

use crate::memory::vector::Vectorized;
use crate::schedule::in_thread::{LaneMatrix, THREADS};
use crate::shape::{Problem, Shape};
use numbers::matrix::{Matrices, View};
use numbers::scalar::ScalarKind;

/// Vectors of 16 bytes from a lane's elements to the next lane's, if each lane has `vectors` of them: an odd number, so
/// that they begin in different banks.
const fn stride(vectors: u32) -> u32 {
    vectors | 1
}

/// Whether lanes access device memory themselves, because a lane's elements are one number, two, or one vector.
const fn is_direct<T: Vectorized>(elements: u32) -> bool {
    elements <= 2 || elements == T::VECTOR as u32
}

/// Numbers of shared memory that a warp takes on the way, for `elements` of each lane.
const fn staged_numbers<T: Vectorized>(elements: u32) -> u32 {
    let vector = T::VECTOR as u32;
    let of_a_lane = if elements.is_multiple_of(vector) { stride(elements / vector) * vector } else { elements };
    if is_direct::<T>(elements) { 0 } else { warp::SIZE * of_a_lane }
}

/// What the warps keep in shared memory on the way: matrices, or right-hand sides; shape (warps, 32, K), padded.
#[inline(always)]
fn staging<T: Vectorized>(layout: &mut Layout, n: u32) -> Shared<T> {
    layout.array(THREADS / warp::SIZE * staged_numbers::<T>(n * n))
}

/// The launch shape of these kernels.
#[must_use]
pub fn shape<T: Vectorized>(problem: &Problem, _: ScalarKind) -> Shape {
    let shared_bytes = Layout::bytes(|layout| staging::<T>(layout, problem.n));
    Shape { blocks: problem.batch.div_ceil(THREADS as u64), cluster: 1, threads: THREADS, shared_bytes }
}

/// A warp's matrices of one batch, of `ROWS` rows and `K` elements, in device memory.
#[derive(Clone, Copy)]
pub struct LaneMatrices<T: Vectorized, const ROWS: usize, const K: usize> {
    batch: Matrices<T>,
    lane: LaneMatrix,
    /// Whether they follow each other in memory without gaps, from a multiple of 16 bytes on.
    packed: bool,
    /// Whether that is row by row.
    by_rows: bool,
    /// Shape (32, K), padded.
    staging: Shared<T>,
}

/// Elements of a lane on their way: vectors that will be other lanes', or one element of its own in each.
pub type InFlight<T, const K: usize> = [[T; 4]; K];

impl<T: Vectorized, const ROWS: usize, const K: usize> LaneMatrices<T, ROWS, K> {
    const COLS: usize = K / ROWS;
    /// Vectors of a warp, and of a lane where they are whole.
    const WARP_VECTORS: usize = warp::SIZE as usize * K / T::VECTOR;
    const VECTORS: usize = K / T::VECTOR;
    const IS_WHOLE: bool = K.is_multiple_of(T::VECTOR);
    const IS_DIRECT: bool = is_direct::<T>(K as u32);

    /// Those of a batch of matrices of `cols` columns, of which `K / ROWS` move at a time.
    #[inline(always)]
    #[must_use]
    pub fn new(batch: Matrices<T>, cols: u32, lane: LaneMatrix) -> Self {
        let by_columns = (ROWS == 1 || batch.row_stride == 1) && (K == ROWS || batch.col_stride == ROWS as i64);
        let by_rows = K > ROWS && batch.col_stride == 1 && batch.row_stride == Self::COLS as i64;
        let packed = lane.full
            && batch.pointers.is_null()
            && batch.batch_stride == K as i64
            && cols == Self::COLS as u32
            && (by_columns || by_rows)
            && batch.base.offset(lane.first as i64 * K as i64).address().is_multiple_of(16);
        // SAFETY: `shape` asks for as much; `warp::sync` separates the accesses of the lanes.
        let staging = unsafe { Layout::place(|layout| staging::<T>(layout, ROWS as u32)) };
        let numbers = staged_numbers::<T>((ROWS * ROWS) as u32);
        Self { batch, lane, packed, by_rows, staging: staging.offset(warp::index() * numbers) }
    }

    /// Asks for columns `column..column + K / ROWS` of the matrices.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn request(&self, column: u32) -> InFlight<T, K> {
        let mut held = [[T::ZERO; 4]; K];
        if self.packed {
            let from = self.batch.base.offset(self.lane.first as i64 * K as i64);
            if K == 1 {
                held[0][0] = from.load(warp::lane() as i64);
            } else if K == 2 {
                held[0][..2].copy_from_slice(&T::load_global_pair(from.offset(2 * warp::lane() as i64)));
            } else if Self::IS_DIRECT {
                held[0] = T::load_global_vector(from, warp::lane());
            } else {
                for i in 0..K.div_ceil(T::VECTOR) {
                    let vector = warp::lane() + warp::SIZE * i as u32;
                    if Self::IS_WHOLE || vector < Self::WARP_VECTORS as u32 {
                        held[i] = T::load_global_vector(from, vector);
                    }
                }
            }
        } else {
            let columns = self.batch.matrix(self.lane.matrix).transposed(); // as rows
            for c in 0..Self::COLS {
                let part: [T; ROWS] = columns.load_part(column + c as u32, 0, T::ZERO, |_| self.lane.active);
                for r in 0..ROWS {
                    held[c * ROWS + r][0] = part[r];
                }
            }
        }
        held
    }

    /// This lane's elements of what was asked for, column by column.
    #[inline(always)]
    #[must_use]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn receive(&self, held: &InFlight<T, K>) -> [T; K] {
        let mut x = [T::ZERO; K];
        for e in 0..K {
            x[e] = held[e][0];
        }
        if !self.packed {
            return x;
        }
        if Self::IS_DIRECT {
            for e in 0..K {
                x[e] = held[0][e];
            }
        } else {
            warp::sync(warp::ALL); // other lanes may still read what was there
            for i in 0..K.div_ceil(T::VECTOR) {
                let vector = warp::lane() + warp::SIZE * i as u32;
                if Self::IS_WHOLE || vector < Self::WARP_VECTORS as u32 {
                    T::store_vector(self.staging, Self::place(vector), &held[i], 0);
                }
            }
            warp::sync(warp::ALL);
            x = self.load_own();
        }
        self.transposed(&x)
    }

    /// Writes this lane's elements, given column by column, to columns `column..column + K / ROWS`.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    pub fn store(&self, column: u32, x: &[T; K]) {
        if !self.packed {
            let columns = self.batch.matrix(self.lane.matrix).transposed(); // as rows
            for c in 0..Self::COLS {
                let mut part = [T::ZERO; ROWS];
                part.copy_from_slice(&x[c * ROWS..][..ROWS]);
                columns.store_part(column + c as u32, 0, &part, |_| self.lane.active);
            }
            return;
        }
        let to = self.batch.base.offset(self.lane.first as i64 * K as i64);
        let x = self.transposed(x);
        if K == 1 {
            to.store(warp::lane() as i64, x[0]);
        } else if K == 2 {
            T::store_global_pair(to.offset(2 * warp::lane() as i64), [x[0], x[1]]);
        } else if Self::IS_DIRECT {
            T::store_global_vector(to, warp::lane(), part(&x, 0));
        } else {
            warp::sync(warp::ALL); // other lanes may still read what was there
            self.store_own(&x);
            warp::sync(warp::ALL);
            for i in 0..K.div_ceil(T::VECTOR) {
                let vector = warp::lane() + warp::SIZE * i as u32;
                if Self::IS_WHOLE || vector < Self::WARP_VECTORS as u32 {
                    T::store_global_vector(to, vector, T::load_vector(self.staging, Self::place(vector)));
                }
            }
        }
    }

    /// Where a vector of the warp is in the staging, in vectors.
    #[inline(always)]
    fn place(vector: u32) -> u32 {
        let padding = if Self::IS_WHOLE && Self::VECTORS.is_multiple_of(2) { vector / Self::VECTORS as u32 } else { 0 };
        vector + padding
    }

    /// This lane's elements in the staging.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn load_own(&self) -> [T; K] {
        let mut x = [T::ZERO; K];
        if Self::IS_WHOLE {
            for v in 0..Self::VECTORS {
                let vector = T::load_vector(self.staging, warp::lane() * stride(Self::VECTORS as u32) + v as u32);
                for i in 0..T::VECTOR {
                    x[v * T::VECTOR + i] = vector[i];
                }
            }
        } else {
            let own = self.staging.offset(warp::lane() * K as u32);
            for e in 0..K {
                x[e] = own.load(e as u32);
            }
        }
        x
    }

    /// Writes them.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "nvptx64"), track_caller)]
    fn store_own(&self, x: &[T; K]) {
        if Self::IS_WHOLE {
            for v in 0..Self::VECTORS {
                let at = warp::lane() * stride(Self::VECTORS as u32) + v as u32;
                T::store_vector(self.staging, at, &part(x, v * T::VECTOR), 0);
            }
        } else {
            let own = self.staging.offset(warp::lane() * K as u32);
            for e in 0..K {
                own.store(e as u32, x[e]);
            }
        }
    }

    /// From the order in memory to column by column, or back: the same for square matrices.
    #[inline(always)]
    fn transposed(&self, x: &[T; K]) -> [T; K] {
        let mut y = *x;
        if K > ROWS {
            for e in 0..K {
                let other = x[e % ROWS * ROWS + e / ROWS];
                y[e] = if self.by_rows { other } else { y[e] };
            }
        }
        y
    }
}

/// The elements from `first` on that a vector has.
#[inline(always)]
fn part<T: Vectorized, const K: usize>(x: &[T; K], first: usize) -> [T; 4] {
    let mut part = [T::ZERO; 4];
    for i in 0..T::VECTOR {
        part[i] = x[first + i];
    }
    part
}
