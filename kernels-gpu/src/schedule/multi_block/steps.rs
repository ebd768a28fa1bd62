//! The steps, in order, for whoever launches them.

/// A step of LU by many blocks a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The matrices to the workspace.
    Pack,
    /// The factorization of the panel that begins at `column`, after its update by the one before.
    Panel {
        /// The first column.
        column: u32,
    },
    /// The update of columns `begin..` by the panel that begins at `column`. It may overlap with the next panel, but not with the one
    /// after that, whose columns it updates.
    Update {
        /// First column of the panel.
        column: u32,
        /// First column to update.
        begin: u32,
    },
    /// From the workspace to the factors.
    Unpack,
}

/// The steps for matrices of order `n` with panels of `nb` columns.
pub fn steps(n: u32, nb: u32) -> impl Iterator<Item = Step> {
    let panels = (0..n).step_by(nb as usize).flat_map(move |column| {
        let next = (column + nb < n).then_some(Step::Panel { column: column + nb });
        let update = (column + 2 * nb < n).then_some(Step::Update { column, begin: column + 2 * nb });
        [next, update].into_iter().flatten()
    });
    let first = [Step::Pack, Step::Panel { column: 0 }];
    first.into_iter().chain(panels).chain(std::iter::once(Step::Unpack))
}
