//! What all plans are: a route for each size of matrices, and the memory that these work in.

use std::marker::PhantomData;

use numbers::matrix::Matrices;
use numbers::op::Op;

use super::bound::Bound;
use super::of::{OperandsOf, PlanOf};
use super::of_order_0::Known;
use super::rooms::Rooms;
use super::sizes::{PlanSizes, Sizes};
use super::stream::Stream;
use crate::backend::Backend;
use crate::device::Device;
use crate::error::Result;
use crate::launch::Launcher;
use crate::operation::{Access, Operands, Operation, Route, Size, Work};
use crate::route::Space;
use crate::triangle::Triangle;

/// Groups of matrices of one size under way at once on a GPU.
const LANES: usize = 8;

/// A plan for an operation `O` on matrices of one size or of many, with elements of type `T`: the kernels, which are
/// loaded, and the memory that they work in. The operations are those of [`of`](super::of); each has a name for its
/// plans, such as [`SolvePlan`](super::SolvePlan).
#[derive(Debug)]
pub struct Plan<O, T> {
    planned: Planned,
    of: PhantomData<fn() -> (O, T)>,
}

/// The same, whatever operation and type it is of.
#[derive(Debug)]
struct Planned {
    operation: Operation,
    sizes: Sizes,
    parts: Vec<Part>,
    of_order_0: Vec<OfOrder0>,
    rooms: Rooms,
}

/// What is done with a group of matrices of one size.
#[derive(Debug)]
struct Part {
    /// Which.
    group: usize,
    route: Route,
    space: Space,
    lane: usize,
}

/// Matrices of order 0, whose results are known.
#[derive(Debug)]
struct OfOrder0 {
    /// Which group.
    group: usize,
    /// Of each operand; none where nothing is written for them.
    results: Vec<Option<Known>>,
}

/// What a run is given besides the sizes of the plan.
pub struct Given<B> {
    pub(super) operands: B,
    /// Of solutions from LU factors: of which matrices they are.
    pub(super) op: Op,
    /// Where Cholesky factors are.
    pub(super) triangle: Triangle,
}

impl<B> From<B> for Given<B> {
    fn from(operands: B) -> Self {
        Self { operands, op: Op::None, triangle: Triangle::Lower }
    }
}

impl<O: PlanOf<T>, T> Plan<O, T> {
    /// A plan for matrices of a [`Size`](super::Size), or of many sizes: [`RaggedSizes`](super::RaggedSizes),
    /// [`SystemSizes`](super::SystemSizes).
    ///
    /// ```
    /// use warplu::Device;
    /// use warplu::resident::{InversePlan, RaggedSizes, Size};
    /// let device = Device::best();
    /// let plan = InversePlan::<f64>::new(&device, Size::order(64).batch(1000))?; // 1000 matrices at most
    /// let plan_of_many = InversePlan::<f64>::new(&device, &RaggedSizes::orders(&[64, 3, 3])?)?;
    /// # let _ = (plan, plan_of_many);
    /// # Ok::<(), warplu::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) where the device's algorithm does not do the operation, or
    /// leaves no factors to start from; [`Error::Shape`](crate::Error::Shape) for sizes that are too large, or not those
    /// of square matrices; the driver's errors.
    pub fn new(device: &Device, sizes: impl Into<PlanSizes>) -> Result<Self> {
        Ok(Self { planned: Planned::new(device, O::operation(), sizes.into().0)?, of: PhantomData })
    }

    /// Enqueues the operation. Operands are given by their names, in the struct of the plan's operation.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape), which names the operand, if one is not of the plan's sizes or of more
    /// matrices, or anything is of another device; the driver's errors.
    pub fn run<'r>(&self, stream: &Stream, operands: impl OperandsOf<'r, O, T>) -> Result<()> {
        let given = operands.bind();
        self.planned
            .enqueue(stream, Given { operands: given.operands.as_ref(), op: given.op, triangle: given.triangle })
    }
}

impl<O, T> Plan<O, T> {
    /// The names of warplu's own kernels that it launches; those of published algorithms are not among them.
    ///
    /// ```
    /// # use warplu::Device;
    /// # use warplu::resident::{LuPlan, Size};
    /// let plan = LuPlan::<f64>::new(&Device::sim(), Size::order(64).batch(1000))?;
    /// assert!(!plan.kernels().is_empty());
    /// # Ok::<(), warplu::Error>(())
    /// ```
    #[must_use]
    pub fn kernels(&self) -> Vec<&'static str> {
        self.planned.kernels()
    }

    /// Bytes of device memory that it works in.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.planned.rooms.bytes()
    }
}

impl Planned {
    fn kernels(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.parts.iter().flat_map(|part| part.route.kernels()).collect();
        if self.parts.len() > 1 {
            names.sort_unstable();
            names.dedup();
        }
        names
    }

    fn new(device: &Device, operation: Operation, sizes: Sizes) -> Result<Self> {
        let (single, groups) = (device.single()?, sizes.groups(&operation)?);
        let some = || groups.iter().enumerate().filter(|(_, size)| size.n > 0);
        let of_order_0 = (0..groups.len()).filter(|&group| groups[group].n == 0).map(|group| {
            let count = if let Sizes::Many(..) = sizes { sizes.most(group) } else { 0 };
            let results = operation.operands.iter().map(|operand| Known::new(device, operand, count));
            Ok(OfOrder0 { group, results: results.collect::<Result<_>>()? })
        });
        let of_order_0 = of_order_0.collect::<Result<_>>()?;
        let lanes = match single.backend {
            Backend::Cuda(_) => LANES.min(some().count()).max(1),
            Backend::Cpu | Backend::Sim(_) => 1,
        };
        let (mut loads, mut bytes, mut parts) = (vec![0.0; lanes], vec![0; lanes], Vec::new());
        for (group, &Size { n, rhs }) in some() {
            let (mut space, most) = (Space::default(), sizes.most(group));
            let route = operation.route(&single, Size { n, rhs }, &mut space)?;
            // To the lane that has the least to do yet: the largest orders come first.
            let lane = (0..lanes).min_by(|&a, &b| f64::total_cmp(&loads[a], &loads[b])).unwrap_or(0);
            loads[lane] += most as f64 * (n * n) as f64 * (n + 3 * rhs) as f64;
            bytes[lane] = bytes[lane].max(if space.each() == 0 { 0 } else { space.bytes(most)? });
            parts.push(Part { group, route, space, lane });
        }
        let rooms = Rooms::new(device, &bytes)?;
        Ok(Self { operation, sizes, parts, of_order_0, rooms })
    }

    /// Enqueues the operation for each group, for as many matrices as the first operand has. Operands are those that the
    /// operation has, in order; where a result takes the place of what it is made from, both are the same.
    fn enqueue(&self, stream: &Stream, given: Given<&[Bound<'_>]>) -> Result<()> {
        let Given { operands: bound, op, triangle } = given;
        self.operation.check_count(bound.len())?;
        let batch = self.sizes.check(&bound[0])?;
        let all = || self.operation.operands.iter().zip(bound);
        all().try_for_each(|(operand, bound)| bound.expect(operand, &self.sizes, batch))?;
        self.rooms.check(stream, bound.iter().map(|bound| bound.allocation))?;
        if batch == 0 {
            return Ok(());
        }
        let uses = all().map(|(operand, bound)| (bound.allocation, operand.access));
        let addresses = bound.iter().filter_map(Bound::addresses).map(|addresses| (addresses, Access::Read));
        let known = self.of_order_0.iter().flat_map(|group| &group.results).flatten().filter_map(Known::allocation);
        let uses = uses.chain(addresses).chain(known.map(|values| (values, Access::Read)));
        self.rooms.run(stream, uses, |lanes| {
            for OfOrder0 { group, results } in &self.of_order_0 {
                let members = self.sizes.members(*group, batch);
                all().zip(results).try_for_each(|((operand, bound), result)| {
                    result.as_ref().map_or(Ok(()), |result| result.write(lanes.at(0).0, operand, bound, members))
                })?;
            }
            for part in &self.parts {
                let ((queue, own), batch) = (lanes.at(part.lane), self.sizes.members(part.group, batch).1 as u64);
                let launcher = &Launcher { backend: &self.rooms.backend, queue };
                let (room, memory) = (part.space.room(own.address(), batch), Some(&own.allocation.memory));
                let operands: &dyn Operands = &OfGroup { plan: self, bound, group: part.group };
                let how = op.into();
                let work = Work { launcher, batch, operands, how, triangle, room, memory };
                // SAFETY: checked to be what the operation takes, and of this machine; apart by their borrows; pivots
                // are below n; buffers outlive the work on them.
                unsafe { part.route.enqueue(&work)? };
            }
            Ok(())
        })
    }
}

/// The operands of a run that a group has.
struct OfGroup<'a> {
    plan: &'a Planned,
    bound: &'a [Bound<'a>],
    group: usize,
}

impl Operands for OfGroup<'_> {
    fn at(&self, number: usize) -> Matrices<u8> {
        self.bound[number].of_group(&self.plan.operation.operands[number], &self.plan.sizes, self.group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::{self, ElementType, Extent, Operand};
    use crate::resident::{DeviceBatch, DeviceRagged, DeviceSlice, Pivots, SystemSizes};

    const SIZE: Size = Size { n: 2, rhs: 3 };

    /// Whether plans may be for an operation.
    fn has_plan(operation: &Operation) -> bool {
        operation.operands.iter().all(|operand| !matches!(operand.extent, Extent::SideRows | Extent::PerSide))
    }

    /// Gives each operand wrong in each way, and the others as they should be.
    fn gives_wrong<'a>(plan: &Planned, stream: &Stream, given: &dyn Fn(&Operand, usize) -> Bound<'a>, ways: usize) {
        let operation = plan.operation;
        for (wrong, operand) in operation.operands.iter().enumerate() {
            for way in 1..=ways {
                let one = |(at, other)| given(other, if at == wrong { way } else { 0 });
                let bound: Vec<_> = operation.operands.iter().enumerate().map(one).collect();
                let told = plan.enqueue(stream, Given::from(&bound[..])).unwrap_err().to_string();
                // What the first operand is may decide how many matrices there are.
                let is_named = told.contains(operand.name);
                assert!(is_named || wrong == 0, "{operation:?}, {}, {way}: {told}", operand.name);
            }
        }
        assert!(plan.enqueue(stream, Given::from(&[][..])).is_err());
    }

    /// Each operand of each operation is given with elements of another type, and of another shape.
    #[test]
    fn an_operand_that_is_wrong_is_named() {
        let device = Device::cpu();
        let stream = device.stream().unwrap();
        let (numbers, others) = (device.upload(&[1.0; 12]).unwrap(), device.upload(&[0.0_f32; 12]).unwrap());
        let (codes, few_codes) = (device.upload(&[0; 2]).unwrap(), device.upload(&[0; 1]).unwrap());
        let few_numbers = numbers.slice(..1).unwrap();
        let (pivots, of_order_1) =
            (device.upload_pivots(&[0, 1, 0, 1], 2).unwrap(), device.upload_pivots(&[0; 4], 1).unwrap());
        let given = |operand: &Operand, way: usize| -> Bound<'_> {
            let (rows, cols) = operand.extent.shape(SIZE);
            if operand.extent.is_matrix() {
                return match way {
                    0 => (&DeviceBatch::row_major(&numbers, 2, rows, cols).unwrap()).into(),
                    1 => (&DeviceBatch::row_major(&others, 2, rows, cols).unwrap()).into(),
                    _ => (&DeviceBatch::row_major(&numbers, 2, 3, 1).unwrap()).into(),
                };
            }
            let is_code = operand.element == ElementType::of::<i32>();
            match (way, operand.extent) {
                (1, _) => DeviceSlice::from(&others).into(),
                (_, Extent::Rows) => <&Pivots>::into(if way == 0 { &pivots } else { &of_order_1 }),
                (0, _) if is_code => DeviceSlice::from(&codes).into(),
                (0, _) => DeviceSlice::from(&numbers).into(),
                (_, _) if is_code => DeviceSlice::from(&few_codes).into(),
                (_, _) => few_numbers.into(),
            }
        };
        for operation in operation::all().into_iter().filter(has_plan) {
            let size = crate::resident::Size::order(SIZE.n).rhs(SIZE.rhs).batch(2);
            gives_wrong(&Planned::new(&device, operation, Sizes::One(size)).unwrap(), &stream, &given, 2);
        }
    }

    /// The same of plans for many sizes: also with something else in its place.
    #[test]
    fn a_ragged_operand_that_is_wrong_is_named() {
        let (device, sizes) = (Device::cpu(), SystemSizes::new(&[(2, 3), (1, 2)]).unwrap());
        let stream = device.stream().unwrap();
        let other_sizes = SystemSizes::new(&[(1, 1), (1, 1)]).unwrap();
        let (numbers, others) = (device.upload(&[1.0; 8]).unwrap(), device.upload(&[0.0_f32; 8]).unwrap());
        let (codes, few) = (device.upload(&[0; 2]).unwrap(), device.upload(&[0; 1]).unwrap());
        let (pivots, of_others) =
            (device.ragged_pivots(&sizes.matrices).unwrap(), device.ragged_pivots(&other_sizes.matrices).unwrap());
        let len = |sizes: &crate::resident::RaggedSizes| sizes.shapes().iter().map(|shape| shape.len()).sum::<usize>();
        // Those of matrices, and of right-hand sides.
        let of = |sizes: &SystemSizes| {
            let table = |of| DeviceRagged::row_major(numbers.slice(..len(of)).unwrap(), of).unwrap();
            [&sizes.matrices, &sizes.sides].map(table)
        };
        let (right, of_other_sizes) = (of(&sizes), of(&other_sizes));
        let of_other_type = [&sizes.matrices, &sizes.sides]
            .map(|of| DeviceRagged::row_major(others.slice(..len(of)).unwrap(), of).unwrap());
        let few_numbers = numbers.slice(..1).unwrap();
        let given = |operand: &Operand, way: usize| -> Bound<'_> {
            let sides = usize::from(operand.extent == Extent::Sides);
            let is_code = operand.element == ElementType::of::<i32>();
            match (operand.extent, way) {
                (Extent::Square | Extent::Sides, 0) => (&right[sides]).into(),
                (Extent::Square | Extent::Sides, 1) => (&of_other_type[sides]).into(),
                (Extent::Square | Extent::Sides, 2) => (&of_other_sizes[sides]).into(),
                (Extent::Rows, 0) => (&pivots).into(),
                (Extent::Rows, 2) => (&of_others).into(),
                (Extent::One, 0) if is_code => DeviceSlice::from(&codes).into(),
                (Extent::One, 0) => DeviceSlice::from(&numbers).into(),
                (Extent::One, 2) if is_code => DeviceSlice::from(&few).into(),
                (Extent::One, 2) => few_numbers.into(),
                (Extent::One, 3) => (&pivots).into(),
                (Extent::One | Extent::Rows, 1) => DeviceSlice::from(&others).into(),
                _ => DeviceSlice::from(&numbers).into(),
            }
        };
        for operation in operation::all().into_iter().filter(has_plan) {
            let plan = Planned::new(&device, operation, Sizes::Many(sizes.matrices.clone(), Some(sizes.sides.clone())))
                .unwrap();
            gives_wrong(&plan, &stream, &given, 3);
        }
    }
}
