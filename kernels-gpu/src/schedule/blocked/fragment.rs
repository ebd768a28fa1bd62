//! A slab as it lies in the registers of a warp, and on its way between them and device memory.

use simt::global::Global;
use simt::hint::opaque;
use simt::warp;

use crate::memory::matrix::GlobalMatrix;
use crate::numbers::scalar::Scalar;
use crate::schedule::blocked::NB;

/// A panel of a warp: `[r][m]` are rows `32 r + 16 m ..`, 16 of them. Lane 4 i + j has elements (i, 2 j), (i, 2 j + 1),
/// (i + 8, 2 j) and (i + 8, 2 j + 1) of these.
///
/// It is a factor of a product, too, where column 2 j is taken for column j, and 2 j + 1 for j + 4: the order of columns does not
/// matter, as long as the rows of the other factor have the same.
pub type Tile<T, const R: usize> = [[[T; 4]; 2]; R];

/// The steps of a lane's rows in tiles: `[r][2 m + h]` is that of row `32 r + 16 m + 8 h + lane / 4`.
pub type Steps<const R: usize> = [[u32; 4]; R];

/// Where a lane's elements are.
#[derive(Clone, Copy)]
pub struct Place {
    /// Its first row.
    pub row: u32,
    /// Its first column in a panel.
    pub column: u32,
}

impl Place {
    /// This lane's, where a warp has `32 * R` rows.
    #[inline(always)]
    pub fn own<const R: usize>() -> Self {
        let lane = warp::lane();
        Self { row: warp::index() * 32 * R as u32 + lane / 4, column: lane % 4 * 2 }
    }

    /// Panel `p` of a matrix of order `n`, zeros beyond.
    #[inline(always)]
    pub fn load<T: Scalar, const R: usize>(self, a: &GlobalMatrix<T>, p: u32, n: u32) -> Tile<T, R> {
        let mut tile = [[[T::ZERO; 4]; 2]; R];
        self.visit::<T, R>(a, p, n, |r, m, e, at| tile[r][m][e] = at.load(0));
        tile
    }

    /// Stores it.
    #[inline(always)]
    pub fn store<T: Scalar, const R: usize>(self, tile: &Tile<T, R>, a: &GlobalMatrix<T>, p: u32, n: u32) {
        self.visit::<T, R>(a, p, n, |r, m, e, at| at.store(0, tile[r][m][e]));
    }

    /// Calls `f` for each element that there is.
    #[inline(always)]
    fn visit<T: Scalar, const R: usize>(
        self,
        a: &GlobalMatrix<T>,
        p: u32,
        n: u32,
        mut f: impl FnMut(usize, usize, usize, Global<T>),
    ) {
        let column = p * NB as u32 + self.column;
        let mut first = a.at(opaque(self.row), column); // else addresses are kept for all panels
        for c in 0..2 {
            let is_column = column + (c as u32) < n;
            a.walk::<16>(first, |i, at| {
                if i < 4 * R && is_column && self.row + (8 * i as u32) < n {
                    f(i / 4, i / 2 % 2, i % 2 * 2 + c, at);
                }
            });
            first = first.offset(a.col_stride());
        }
    }
}
