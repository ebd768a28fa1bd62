//! Matrices of a batch by themselves: one after the other on each thread, or several threads on one.

use numbers::problem::Problem;

use super::params::Params;
use super::workspace::{Workspace, Workspaces};
use crate::element::CpuScalar;
use crate::error::Result;
use crate::parallel;

/// The least order of matrices that several threads work on together: they finish smaller ones no sooner than one.
const SHARED: usize = 640;
/// Products that a thread takes at least: to wake it takes as long as some ten thousand of them.
const LEAST: usize = 1 << 16;

/// Works on each matrix, with so many products for each of its elements, if there is memory for so many columns of it
/// on each thread. Where there are two threads for each matrix or more, they work on it together.
pub(super) fn for_each<S: CpuScalar>(
    size: Problem,
    columns: usize,
    products: usize,
    one: impl Fn(usize, &mut Workspace<S>, Params) + Sync + Send,
) -> Result<()> {
    let (batch, n) = (size.batch as usize, size.n as usize);
    let threads = rayon::current_num_threads();
    let workspaces = Workspaces::new(threads.min(batch), n, columns)?;
    let params = Params { parallel: n >= SHARED && 2 * batch <= threads, ..Params::default() };
    // Of small matrices, a thread takes some at a time.
    let products = n.saturating_mul(n).saturating_mul(products);
    let some = if params.parallel { 1 } else { LEAST.div_ceil(products.max(1)) };
    parallel::each(batch.div_ceil(some.max(1)), 1, &|part| {
        let first = part * some;
        workspaces.with(|workspace| (first..batch.min(first + some)).for_each(|b| one(b, workspace, params)));
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use numbers::scalar::c32;

    use super::super::testing::Random;
    use super::*;
    use crate::error::NoMemory;
    use warplu::{Batch, BatchMut, Device};

    #[test]
    fn what_there_is_no_memory_for_is_refused_before_any_work() {
        let size = |n| Problem { n, batch: 3, rhs: 1 };
        let refused = for_each::<f64>(size(1 << 20), 1 << 40, 1, |_, _, _| unreachable!("there is no memory"));
        assert!(matches!(refused, Err(NoMemory { .. })));
        assert!(for_each::<f64>(size(100), 107, 1, |b, _, _| assert!(b < 3)).is_ok());
    }

    /// LU, inverse and solution of one matrix, in this layout, on so many threads.
    fn results<T: CpuScalar>(n: usize, by_rows: bool, threads: usize) -> Vec<T> {
        let view = if by_rows { Batch::row_major } else { Batch::column_major };
        let view_mut = if by_rows { BatchMut::row_major } else { BatchMut::column_major };
        let mut random = Random(3);
        let (a, b) = (random.matrix::<T>(n, n), random.matrix::<T>(n, 3));
        let list = |m: &crate::mat::Mat<T>| -> Vec<T> {
            let (rows, columns) = m.shape();
            let at = |k: usize| if by_rows { m[(k / columns, k % columns)] } else { m[(k % rows, k / rows)] };
            (0..rows * columns).map(at).collect()
        };
        let (a, b) = (list(&a), list(&b));
        let mut out = [vec![T::ZERO; n * n], vec![T::ZERO; n * n], vec![T::ZERO; n * 3]];
        let mut pivots = vec![0; n];
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (device, a) = (Device::cpu(), view(&a, 1, n, n).unwrap());
            let [lu, inverse, x] = &mut out;
            device.lu_into(&a, &mut view_mut(lu, 1, n, n).unwrap(), &mut pivots).unwrap().check().unwrap();
            device.invert_into(&a, &mut view_mut(inverse, 1, n, n).unwrap()).unwrap().check().unwrap();
            let b = view(&b, 1, n, 3).unwrap();
            device.solve_into(&a, &b, &mut view_mut(x, 1, n, 3).unwrap()).unwrap().check().unwrap();
        });
        let in_columns = |m: &Vec<T>, columns: usize| -> Vec<T> {
            let at = |k: usize| if by_rows { k % n * columns + k / n } else { k };
            (0..n * columns).map(|k| m[at(k)]).collect()
        };
        [in_columns(&out[0], n), in_columns(&out[1], n), in_columns(&out[2], 3)].concat()
    }

    fn neither_threads_nor_layout_matter<T: CpuScalar>() {
        for n in [SHARED, SHARED + 33] {
            let expected = results::<T>(n, false, 1);
            for (by_rows, threads) in [(false, 4), (true, 1), (true, 3)] {
                assert!(
                    results::<T>(n, by_rows, threads) == expected,
                    "n = {n}, by rows: {by_rows}, {threads} threads"
                );
            }
        }
    }

    #[test]
    fn neither_threads_nor_layout_matter_to_f64() {
        neither_threads_nor_layout_matter::<f64>();
    }

    #[test]
    fn neither_threads_nor_layout_matter_to_c32() {
        neither_threads_nor_layout_matter::<c32>();
    }
}
