//! The sizes that plans are for, and the order in which they work on matrices of many.

use std::sync::Arc;

use super::bound::Bound;
use crate::error::{Error, Result};
use crate::layout::{check_order, product};
use crate::lend::Groups;
use crate::operation::{self, Extent, Operation};
use crate::ragged::Shape;
use crate::route::problem;
use crate::status::Status;
use crate::statuses::Statuses;

/// Matrices of one size: so many at most, and each with so many right-hand sides where there are any. One each, unless
/// something else is said.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{LuPlan, Size, SolvePlan};
/// let device = Device::cpu();
/// let factor = LuPlan::<f64>::new(&device, Size::order(64).batch(1000))?;
/// let solve = SolvePlan::<f64>::new(&device, Size::order(64).batch(1000).rhs(3))?;
/// # let _ = (factor, solve);
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub(super) of_each: operation::Size,
    pub(super) batch: usize,
}

impl Size {
    /// A matrix of order `n`, with one right-hand side.
    #[must_use]
    pub const fn order(n: usize) -> Self {
        Self { of_each: operation::Size { n, rhs: 1 }, batch: 1 }
    }

    /// At most `batch` matrices.
    #[must_use]
    pub const fn batch(self, batch: usize) -> Self {
        Self { batch, ..self }
    }

    /// `rhs` right-hand sides each.
    #[must_use]
    pub const fn rhs(self, rhs: usize) -> Self {
        Self { of_each: operation::Size { rhs, ..self.of_each }, ..self }
    }
}

/// The sizes of matrices of many sizes, or of their right-hand sides, and the order in which plans work on them: by size.
/// Of the same sizes in the same order, plans and tables have the same.
///
/// Statuses are written in this order, too; [`Self::statuses`] has them in that of the matrices.
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{InversePlan, RaggedSizes};
/// let sizes = RaggedSizes::orders(&[2, 9, 2])?;
/// assert_eq!(sizes.order(), [1, 0, 2]);
/// let plan = InversePlan::<f64>::new(&Device::cpu(), &sizes)?;
/// # let _ = plan;
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaggedSizes {
    /// The numbers of the matrices, one group after the other.
    order: Arc<[usize]>,
    groups: Arc<[Group]>,
}

/// Matrices of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) shape: Shape,
    /// Its first place in the order.
    pub(super) first: usize,
    /// How many they are.
    pub(super) count: usize,
    /// Rows of all matrices before it.
    pub(super) rows_before: usize,
}

/// The sizes of systems of equations of many sizes: of their matrices, and of their right-hand sides. Plans that factor
/// and that solve from the factors are made with the same: where matrices of one order have different numbers of
/// right-hand sides, the order of systems is not that of [`RaggedSizes::orders`].
///
/// ```
/// use warplu::Device;
/// use warplu::resident::{SolvePlan, SystemSizes};
/// let sizes = SystemSizes::new(&[(2, 1), (9, 3)])?; // orders, and numbers of right-hand sides
/// assert_eq!((sizes.matrices().batch(), sizes.sides().order()), (2, &[1, 0][..]));
/// let plan = SolvePlan::<f64>::new(&Device::cpu(), &sizes)?;
/// # let _ = plan;
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemSizes {
    pub(super) matrices: RaggedSizes,
    pub(super) sides: RaggedSizes,
}

/// The sizes that a plan is for: a [`Size`], or [`RaggedSizes`] for matrices of many, and [`SystemSizes`] where these have
/// right-hand sides.
#[derive(Clone, Debug)]
pub struct PlanSizes(pub(super) Sizes);

#[derive(Clone, Debug)]
pub(super) enum Sizes {
    One(Size),
    /// Of the matrices, and of their right-hand sides where these are said.
    Many(RaggedSizes, Option<RaggedSizes>),
}

impl From<Size> for PlanSizes {
    fn from(size: Size) -> Self {
        Self(Sizes::One(size))
    }
}

impl From<&SystemSizes> for PlanSizes {
    fn from(sizes: &SystemSizes) -> Self {
        Self(Sizes::Many(sizes.matrices.clone(), Some(sizes.sides.clone())))
    }
}

/// For what has no right-hand sides: these take [`SystemSizes`].
impl From<&RaggedSizes> for PlanSizes {
    fn from(matrices: &RaggedSizes) -> Self {
        Self(Sizes::Many(matrices.clone(), None))
    }
}

impl RaggedSizes {
    /// Square matrices of these orders.
    ///
    /// # Errors
    /// [`Error::Shape`] if these are too large for any memory.
    pub fn orders(orders: &[usize]) -> Result<Self> {
        let sizes: Vec<_> = orders.iter().map(|&n| (n, 1)).collect();
        SystemSizes::new(&sizes).map(|sizes| sizes.matrices)
    }

    /// How many matrices.
    ///
    /// ```
    /// # use warplu::resident::RaggedSizes;
    /// assert_eq!(RaggedSizes::orders(&[2, 9, 2])?.batch(), 3);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn batch(&self) -> usize {
        self.order.len()
    }

    /// The number of the matrix at each place.
    ///
    /// ```
    /// # use warplu::resident::RaggedSizes;
    /// assert_eq!(RaggedSizes::orders(&[2, 9, 2])?.order(), [1, 0, 2]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The statuses of the matrices from codes in the order of a plan.
    ///
    /// ```
    /// # use warplu::Status;
    /// # use warplu::resident::RaggedSizes;
    /// let sizes = RaggedSizes::orders(&[2, 9, 2])?;
    /// assert_eq!(sizes.statuses(&[0, 0, 1])?, [Status::Ok, Status::Ok, Status::Singular(1)]);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is a code for each matrix.
    pub fn statuses(&self, codes: &[i32]) -> Result<Statuses> {
        if codes.len() != self.batch() {
            return Err(Error::Shape(format!("{} codes are not those of {} matrices", codes.len(), self.batch())));
        }
        let mut statuses = vec![Status::Ok; codes.len()];
        self.order.iter().zip(codes).for_each(|(&b, &code)| statuses[b] = Status::from_code(code));
        Ok(Statuses::new(statuses))
    }

    pub(super) fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The sizes of the matrices, by their numbers.
    pub(super) fn shapes(&self) -> Vec<Shape> {
        let mut shapes = vec![Shape::from(0); self.batch()];
        for group in &*self.groups {
            self.order[group.first..][..group.count].iter().for_each(|&b| shapes[b] = group.shape);
        }
        shapes
    }
}

impl SystemSizes {
    /// Of matrices with these orders and numbers of right-hand sides.
    ///
    /// # Errors
    /// [`Error::Shape`] if these are too large for any memory.
    pub fn new(sizes: &[(usize, usize)]) -> Result<Self> {
        for &(n, rhs) in sizes {
            check_order(n, "rows and columns")?;
            check_order(rhs, "right-hand sides")?;
        }
        let size = |b: usize| sizes[b];
        let groups = Groups::new(sizes.len(), size, size)?.by_order(&size);
        let order: Arc<[usize]> = groups.as_slice().concat().into();
        let of = |shape: &dyn Fn((usize, usize)) -> Shape| {
            let (mut first, mut rows_before) = (0, 0);
            let group = |group: &Vec<usize>| {
                let (shape, count) = (shape(sizes[group[0]]), group.len());
                product(&[count, shape.rows.max(1), shape.cols.max(1), 16])?;
                let group = Group { shape, first, count, rows_before };
                (first, rows_before) = (first + count, rows_before + count * shape.rows);
                Ok(group)
            };
            let groups = groups.as_slice().iter().map(group).collect::<Result<Vec<_>>>()?;
            Ok::<_, Error>(RaggedSizes { order: Arc::clone(&order), groups: groups.into() })
        };
        Ok(Self { matrices: of(&|(n, _)| n.into())?, sides: of(&|sides| sides.into())? })
    }

    /// The sizes of the matrices.
    #[must_use]
    pub fn matrices(&self) -> &RaggedSizes {
        &self.matrices
    }

    /// The sizes of the right-hand sides, and of the solutions.
    #[must_use]
    pub fn sides(&self) -> &RaggedSizes {
        &self.sides
    }
}

impl Sizes {
    /// The order of the matrices of each group, and how many right-hand sides they have; none where the operation has
    /// none.
    ///
    /// # Errors
    /// [`Error::Shape`] if no memory holds them, or the matrices are not square.
    pub(super) fn groups(&self, operation: &Operation) -> Result<Vec<operation::Size>> {
        let has_sides = operation.operands.iter().any(|operand| operand.extent == Extent::Sides);
        let of = |n: usize, rhs: usize| operation::Size { n, rhs: if has_sides { rhs } else { 0 } };
        match self {
            Self::One(Size { of_each: operation::Size { n, rhs }, batch }) => {
                let size = of(*n, *rhs);
                problem(size.n, size.rhs)?;
                product(&[*batch, size.n.max(1), size.n.max(size.rhs).max(1), 16])?;
                Ok(vec![size])
            }
            Self::Many(matrices, sides) => {
                if let Some(group) = matrices.groups.iter().find(|group| group.shape.rows != group.shape.cols) {
                    return Err(Error::Shape(format!(
                        "the plan's matrices must be square, but some are {}: give the sizes of the matrices, not those \
                         of right-hand sides",
                        group.shape
                    )));
                }
                if has_sides && sides.is_none() {
                    return Err(Error::Shape(
                        "a plan that solves must know how many right-hand sides each matrix has: give `SystemSizes`"
                            .to_owned(),
                    ));
                }
                let of_each = sides.as_ref().unwrap_or(matrices).groups.iter();
                Ok(of_each.map(|group| of(group.shape.rows, group.shape.cols)).collect())
            }
        }
    }

    /// How many matrices a group has at most.
    pub(super) fn most(&self, group: usize) -> usize {
        self.members(group, if let Self::One(size) = self { size.batch } else { 0 }).1
    }

    /// The first matrix of a group in a run on `batch` matrices, and how many it has.
    pub(super) fn members(&self, group: usize, batch: usize) -> (usize, usize) {
        match self {
            Self::One(_) => (0, batch),
            Self::Many(matrices, _) => (matrices.groups[group].first, matrices.groups[group].count),
        }
    }

    /// For how many matrices a run is whose first operand is this.
    ///
    /// # Errors
    /// [`Error::Shape`] if these are more than the plan is for.
    pub(super) fn check(&self, first: &Bound<'_>) -> Result<usize> {
        match self {
            // What is of many sizes is told of as an operand.
            Self::One(size) if first.batch() > size.batch && !first.is_ragged() => Err(Error::Shape(format!(
                "the plan is for at most {} matrices, not for {}: make a larger one",
                size.batch,
                first.batch()
            ))),
            Self::One(_) => Ok(first.batch()),
            Self::Many(matrices, _) => Ok(matrices.batch()),
        }
    }
}
