//! Transposition, as LAPACKE does it for matrices that lie row by row.

/// Rows and columns of a block, which the cache holds in both orders.
const BLOCK: usize = 16;

/// Writes the transposes of matrices that have `rows` rows of `cols` numbers, one after the other.
pub(super) fn transpose<S: Copy>(from: &[S], to: &mut [S], rows: usize, cols: usize) {
    for (from, to) in from.chunks_exact(rows * cols).zip(to.chunks_exact_mut(rows * cols)) {
        for top in (0..rows).step_by(BLOCK) {
            for left in (0..cols).step_by(BLOCK) {
                for j in left..cols.min(left + BLOCK) {
                    let column = &mut to[j * rows..][..rows];
                    for i in top..rows.min(top + BLOCK) {
                        column[i] = from[i * cols + j];
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_is_the_same() {
        for (rows, cols) in [(1, 1), (2, 3), (16, 17), (40, 5)] {
            let from: Vec<usize> = (0..2 * rows * cols).collect();
            let (mut there, mut back) = (vec![0; from.len()], vec![0; from.len()]);
            transpose(&from, &mut there, rows, cols);
            assert_eq!(there[rows * cols + rows - 1], from[rows * cols + (rows - 1) * cols]);
            transpose(&there, &mut back, cols, rows);
            assert_eq!(back, from);
        }
    }
}
