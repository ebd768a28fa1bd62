//! `--ragged`: a batch of matrices of many orders, beside uniform batches of the same matrices, one after the other.

use std::time::Instant;

use warplu::resident::{
    DeviceRagged, DeviceRaggedMut, InversePlan, LuPlan, RaggedSizes, Size, SolvePlan, Stream, SystemSizes, of,
};
use warplu::verify::{Random, make_definite, ratios, solution_ratio};
use warplu::{Batch, Device, Element, Ragged, RaggedMut};
use warplu_bench_schema::{Library, Place, Row, Seconds};

use crate::case::{Case, Effort, Op};
use crate::dtype::with_element;
use crate::failure::{Failure, Result};
use crate::machine::is_cpu;
use crate::results::{self, gflops};
use crate::table;
use crate::text::{say, tell};

/// What orders and numbers are drawn from.
const SEED: u64 = 1;

/// What was measured.
struct Times {
    ragged: Seconds,
    uniform: Seconds,
    /// Of the ragged batch.
    ratio: Option<f64>,
}

/// Matrices of one order, one after the other.
#[derive(Clone, Copy)]
struct Group {
    n: usize,
    count: usize,
    /// The first elements of matrices and of right-hand sides.
    a: usize,
    b: usize,
}

/// A ragged batch: its matrices and right-hand sides are drawn in any order, and lie by order.
struct Drawn<T> {
    groups: Vec<Group>,
    /// Of each matrix.
    orders: Vec<usize>,
    offsets: (Vec<usize>, Vec<usize>),
    a: Vec<T>,
    b: Vec<T>,
}

/// The rows of a case, whose matrices are of orders drawn from `orders`: on device memory, where that is another, and
/// from host memory to host memory.
pub(crate) fn measure(device: &Device, case: &Case, orders: &[usize], effort: Effort) -> Vec<Row> {
    with_element!(case.dtype, T => all::<T>(device, case, orders, effort)).unwrap_or_else(|failure| {
        tell(format_args!("ragged {case}: {failure}"));
        Vec::new()
    })
}

fn all<T: Element>(device: &Device, case: &Case, orders: &[usize], effort: Effort) -> Result<Vec<Row>> {
    if !matches!(case.op, Op::Lu | Op::Inv | Op::Solve | Op::Det) {
        return Err(Failure::Bench("ragged batches are measured for lu, inv, solve and det".to_owned()));
    }
    let device = &match case.ways.first() {
        Some(way) => device.with(way.algorithm).with(way.pivoting),
        None => device.clone(),
    };
    let drawn = Drawn::<T>::new(case, orders);
    let mut rows = Vec::new();
    if !is_cpu(device) && case.op != Op::Det {
        let stream = device.stream()?;
        let seconds = stream.with_context(|| drawn.on_device(device, &stream, case, effort))??;
        drawn.rows(case, Place::Device, seconds, &mut rows);
    }
    if is_cpu(device) || effort.host || case.op == Op::Det {
        drawn.rows(case, Place::Host, drawn.on_host(device, case, effort)?, &mut rows);
    }
    Ok(rows)
}

impl<T: Element> Drawn<T> {
    fn new(case: &Case, among: &[usize]) -> Self {
        let mut random = Random::new(SEED);
        let orders: Vec<usize> = (0..case.batch).map(|_| among[random.below(among.len())]).collect();
        let mut by_order: Vec<usize> = (0..case.batch).collect();
        by_order.sort_by_key(|&b| orders[b]);
        let (mut groups, mut offsets) = (Vec::new(), (vec![0; case.batch], vec![0; case.batch]));
        let (mut a, mut b) = (0, 0);
        for group in by_order.chunk_by(|&x, &y| orders[x] == orders[y]) {
            let n = orders[group[0]];
            groups.push(Group { n, count: group.len(), a, b });
            for &member in group {
                (offsets.0[member], offsets.1[member]) = (a, b);
                (a, b) = (a + n * n, b + n * case.rhs);
            }
        }
        let (mut a, b) = (random.elements(a), random.elements(b));
        if case.is_definite() {
            for (&at, &n) in offsets.0.iter().zip(&orders) {
                make_definite(&mut a[at..][..n * n], n);
            }
        }
        Self { groups, orders, offsets, a, b }
    }

    fn sizes(&self, rhs: usize) -> Vec<(usize, usize)> {
        self.orders.iter().map(|&n| (n, rhs)).collect()
    }

    fn on_host(&self, device: &Device, case: &Case, effort: Effort) -> Result<Times> {
        let &Case { op, rhs, layout, .. } = case;
        let (a, b) = (&self.a, &self.b);
        let (orders, sides) = (&self.orders, self.sizes(rhs));
        let a = Ragged::strided(a, orders, &self.offsets.0, |i| layout.strides(orders[i], orders[i]))?;
        let b = Ragged::strided(b, &sides, &self.offsets.1, |i| layout.strides(orders[i], rhs))?;
        // Inverses go to memory that is there: pages of new memory cost more than what is to be compared.
        let mut inverses = if op == Op::Inv { self.a.clone() } else { Vec::new() };
        let ragged = time(effort, None, || match op {
            Op::Lu => device.lu(&a).map(drop),
            Op::Inv => {
                let strides = |i: usize| layout.strides(orders[i], orders[i]);
                let mut to = RaggedMut::strided(&mut inverses, orders, &self.offsets.0, strides)?;
                device.invert_into(&a, &mut to).map(drop)
            }
            Op::Solve => device.solve(&a, &b).map(drop),
            _ => device.det(&a).map(drop),
        })?;
        let batches = |&Group { n, count, a, b }: &Group| {
            let a = layout.host(&self.a[a..][..count * n * n], count, (n, n))?;
            Ok((a, layout.host(&self.b[b..][..count * n * rhs], count, (n, rhs))?))
        };
        let batches: Vec<(Batch<'_, T>, Batch<'_, T>)> =
            self.groups.iter().map(batches).collect::<warplu::Result<_>>()?;
        let uniform = time(effort, None, || {
            batches.iter().zip(&self.groups).try_for_each(|((a, b), group)| match op {
                Op::Lu => device.lu(a).map(drop),
                Op::Inv => {
                    let &Group { n, count, a: first, .. } = group;
                    let mut to = layout.host_mut(&mut inverses[first..][..count * n * n], count, (n, n))?;
                    device.invert_into(a, &mut to).map(drop)
                }
                Op::Solve => device.solve(a, b).map(drop),
                _ => device.det(a).map(drop),
            })
        })?;
        let ratio = match op {
            Op::Lu => {
                let lu = device.lu(&a)?;
                self.ratio(|i| Ok(ratios::factors(&self.one(case, i)?, &lu.factors(i)?, lu.pivots(i)?, 0).norm))?
            }
            Op::Inv => {
                let x = device.invert(&a)?.matrices;
                self.ratio(|i| Ok(ratios::inverse(&self.one(case, i)?, &x.one(i), 0).norm))?
            }
            Op::Solve => {
                let x = device.solve(&a, &b)?.x;
                self.ratio(|i| Ok(solution_ratio(&self.one(case, i)?, &self.sides(case, i)?, &x.one(i), 0)))?
            }
            _ => None,
        };
        Ok(Times { ragged, uniform, ratio })
    }

    /// Matrix i, as a batch of one.
    fn one(&self, case: &Case, i: usize) -> warplu::Result<Batch<'_, T>> {
        let n = self.orders[i];
        case.layout.host(&self.a[self.offsets.0[i]..][..n * n], 1, (n, n))
    }

    /// Its right-hand sides.
    fn sides(&self, case: &Case, i: usize) -> warplu::Result<Batch<'_, T>> {
        let n = self.orders[i];
        case.layout.host(&self.b[self.offsets.1[i]..][..n * case.rhs], 1, (n, case.rhs))
    }

    /// The worse ratio of the first and the last matrix.
    fn ratio(&self, of: impl Fn(usize) -> warplu::Result<f64>) -> warplu::Result<Option<f64>> {
        let [first, last] = [of(0)?, of(self.orders.len() - 1)?];
        Ok(Some(ratios::worst(first, last)).map(|ratio| if ratio.is_finite() { ratio } else { f64::MAX }))
    }

    fn on_device(&self, device: &Device, stream: &Stream, case: &Case, effort: Effort) -> Result<Times> {
        let &Case { op, rhs, layout, batch, .. } = case;
        let (a, b, mut status) = (device.upload(&self.a)?, device.upload(&self.b)?, device.buffer::<i32>(batch)?);
        let (orders, offsets, groups) = (&self.orders, &self.offsets, &self.groups);
        let (squares, oblongs) =
            (|i: usize| layout.strides(orders[i], orders[i]), |i: usize| layout.strides(orders[i], rhs));
        let matrices = |group: &Group| {
            let &Group { n, count, a: first, .. } = group;
            layout.device(a.slice(first..first + count * n * n)?, count, (n, n))
        };
        let on = Some(stream);
        Ok(match op {
            Op::Lu => {
                let (mut ended, mut lu) = (device.buffer(self.a.len())?, device.buffer(self.a.len())?);
                let sizes = &RaggedSizes::orders(orders)?;
                let (plan, mut pivots) = (LuPlan::<T>::new(device, sizes)?, device.ragged_pivots(sizes)?);
                let from = DeviceRagged::strided(&a, sizes, &offsets.0, squares)?;
                let mut to = DeviceRaggedMut::strided(&mut ended, sizes, &offsets.0, squares)?;
                let ragged = time(effort, on, || {
                    plan.run(stream, of::Lu { a: &from, lu: &mut to, pivots: &mut pivots, status: &mut status })
                })?;
                let plan = |group: &Group| {
                    let size = Size::order(group.n).batch(group.count);
                    Ok((LuPlan::<T>::new(device, size)?, device.pivots(group.count, group.n)?))
                };
                let mut plans = groups.iter().map(plan).collect::<warplu::Result<Vec<_>>>()?;
                let uniform = time(effort, on, || {
                    plans.iter_mut().zip(groups).try_for_each(|((plan, pivots), group)| {
                        let &Group { n, count, a: first, .. } = group;
                        let mut to = layout.device_mut(lu.slice_mut(first..first + count * n * n)?, count, (n, n))?;
                        plan.run(stream, of::Lu { a: &matrices(group)?, lu: &mut to, pivots, status: &mut status })
                    })
                })?;
                let (lu, pivots) = (ended.to_vec()?, pivots.to_vecs()?);
                let own =
                    |i: usize| layout.host(&lu[offsets.0[i]..][..orders[i] * orders[i]], 1, (orders[i], orders[i]));
                let ratio = self.ratio(|i| Ok(ratios::factors(&self.one(case, i)?, &own(i)?, &pivots[i], 0).norm))?;
                Times { ragged, uniform, ratio }
            }
            Op::Solve => {
                let (mut ended, mut x) = (device.buffer(self.b.len())?, device.buffer(self.b.len())?);
                let sizes = SystemSizes::new(&self.sizes(rhs))?;
                let plan = SolvePlan::<T>::new(device, &sizes)?;
                let from = DeviceRagged::strided(&a, sizes.matrices(), &offsets.0, squares)?;
                let sides = DeviceRagged::strided(&b, sizes.sides(), &offsets.1, oblongs)?;
                let mut to = DeviceRaggedMut::strided(&mut ended, sizes.sides(), &offsets.1, oblongs)?;
                let ragged = time(effort, on, || {
                    plan.run(stream, of::Solve { a: &from, b: &sides, x: &mut to, status: &mut status })
                })?;
                let plan =
                    |group: &Group| SolvePlan::<T>::new(device, Size::order(group.n).batch(group.count).rhs(rhs));
                let plans = groups.iter().map(plan).collect::<warplu::Result<Vec<_>>>()?;
                let uniform = time(effort, on, || {
                    plans.iter().zip(groups).try_for_each(|(plan, group)| {
                        let &Group { n, count, b: first, .. } = group;
                        let range = first..first + count * n * rhs;
                        let sides = layout.device(b.slice(range.clone())?, count, (n, rhs))?;
                        let mut to = layout.device_mut(x.slice_mut(range)?, count, (n, rhs))?;
                        plan.run(stream, of::Solve { a: &matrices(group)?, b: &sides, x: &mut to, status: &mut status })
                    })
                })?;
                let x = ended.to_vec()?;
                let own = |i: usize| layout.host(&x[offsets.1[i]..][..orders[i] * rhs], 1, (orders[i], rhs));
                let ratio =
                    self.ratio(|i| Ok(solution_ratio(&self.one(case, i)?, &self.sides(case, i)?, &own(i)?, 0)))?;
                Times { ragged, uniform, ratio }
            }
            _ => {
                let (mut ended, mut inverse) = (device.buffer(self.a.len())?, device.buffer(self.a.len())?);
                let sizes = RaggedSizes::orders(orders)?;
                let plan = InversePlan::<T>::new(device, &sizes)?;
                let from = DeviceRagged::strided(&a, &sizes, &offsets.0, squares)?;
                let mut to = DeviceRaggedMut::strided(&mut ended, &sizes, &offsets.0, squares)?;
                let ragged = time(effort, on, || {
                    plan.run(stream, of::Inverse { a: &from, inverse: &mut to, status: &mut status })
                })?;
                let plan = |group: &Group| InversePlan::<T>::new(device, Size::order(group.n).batch(group.count));
                let plans = groups.iter().map(plan).collect::<warplu::Result<Vec<_>>>()?;
                let uniform = time(effort, on, || {
                    plans.iter().zip(groups).try_for_each(|(plan, group)| {
                        let &Group { n, count, a: first, .. } = group;
                        let range = inverse.slice_mut(first..first + count * n * n)?;
                        let inverse = &mut layout.device_mut(range, count, (n, n))?;
                        plan.run(stream, of::Inverse { a: &matrices(group)?, inverse, status: &mut status })
                    })
                })?;
                let x = ended.to_vec()?;
                let own =
                    |i: usize| layout.host(&x[offsets.0[i]..][..orders[i] * orders[i]], 1, (orders[i], orders[i]));
                let ratio = self.ratio(|i| Ok(ratios::inverse(&self.one(case, i)?, &own(i)?, 0).norm))?;
                Times { ragged, uniform, ratio }
            }
        })
    }

    /// Both rows, and how they compare.
    fn rows(&self, case: &Case, place: Place, times: Times, rows: &mut Vec<Row>) {
        let flops: f64 = self.orders.iter().map(|&n| Case { n, batch: 1, ..case.clone() }.flops()).sum();
        let Times { ragged, uniform, ratio } = times;
        for (name, seconds, ratio) in [("ragged", ragged, ratio), ("one order after the other", uniform, None)] {
            let least = self.groups.first().map_or(0, |group| group.n as u32);
            let n = self.groups.last().map_or(0, |group| group.n as u32);
            let row = results::row(case, Library::Warplu, Some(name.to_owned()), place, seconds);
            let row = Row { gflops: gflops(flops, seconds), n, ratio, orders: Some((least, n)), ..row };
            table::line(&row);
            rows.push(row);
        }
        let [ragged, uniform] = [ragged, uniform].map(|seconds| seconds.median);
        say(format_args!("ragged: {:.2} times as fast as one order after the other", uniform / ragged));
    }
}

/// Seconds of each run: on a stream device time, else by the clock.
fn time(
    effort: Effort,
    stream: Option<&Stream>,
    mut run: impl FnMut() -> warplu::Result<()>,
) -> warplu::Result<Seconds> {
    (0..effort.warmup).try_for_each(|_| run())?;
    let mut seconds = Vec::new();
    for _ in 0..effort.reps {
        let (clock, start) = (Instant::now(), stream.map(Stream::record).transpose()?);
        run()?;
        seconds.push(match (stream, start) {
            (Some(stream), Some(start)) => stream.record()?.seconds_since(&start)?,
            _ => clock.elapsed().as_secs_f64(),
        });
    }
    Ok(Seconds::of(seconds))
}
