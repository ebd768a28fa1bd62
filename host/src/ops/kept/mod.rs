//! Factors of matrices of one size, LU's and Cholesky's alike, and the calls that use them.

mod memory;

use std::sync::Arc;

use numbers::op::Op;
use numbers::scalar::Scalar;

use self::memory::{Kept, MachineFactors};
use super::det::{Determinants, Logs};
use super::inverse::Inverse;
use super::solve::Solution;
use crate::batch::Batch;
use crate::call::Call;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::{Layout, product};
use crate::lend::{BatchRoom, Lend, Lent, Return, check_sides, square};
use crate::matrices::Matrices;
use crate::operation::{Access, Extent, Operand, Operation, Size};
use crate::ragged::Spot;
use crate::statuses::Statuses;
use kernels_cpu::fresh::{Fresh, filled};

pub(super) use self::memory::HostFactors;
pub(crate) use self::memory::quiet;

/// What an operation of factorization has left of a batch.
#[derive(Clone, Debug)]
pub struct Factored<S> {
    device: Device,
    n: usize,
    /// That of the factors on the host.
    layout: Layout,
    status: Statuses,
    has_pivots: bool,
    kept: Arc<Kept<S>>,
}

impl<S: Element + Scalar> Factored<S> {
    /// Factors matrices.
    pub(super) fn of(device: &Device, operation: &Operation, a: Lent<'_>) -> Result<Self> {
        Self::made(device, operation, a, true, None)
    }

    /// Factors matrices, in the memory of `old` factors of the same size if there are any. `may_stay` says whether
    /// factors may be kept in the machine's memory, where they fit there.
    pub(super) fn made(
        device: &Device,
        operation: &Operation,
        a: Lent<'_>,
        may_stay: bool,
        old: Option<Kept<S>>,
    ) -> Result<Self> {
        let (n, batch, layout) = square(a)?;
        let (size, has_pivots) =
            (Size::order(n), operation.operands.iter().any(|operand| operand.extent == Extent::Rows));
        device.check_algorithm()?;
        let machine = match old {
            Some(Kept::Machine(old)) => Some(old.emptied()),
            Some(Kept::Host(old)) if !device.has_own_memory() => {
                let HostFactors { mut factors, mut pivots } = old;
                factors.layout = layout;
                let mut out = factors.view_mut();
                let mut call = Call::on(device, (operation, size), &[a, Lent::write(&mut out)])?;
                if has_pivots {
                    call.values(&mut pivots, n);
                }
                let codes = call.perform(operation, size)?;
                let kept = Kept::Host(HostFactors { factors, pivots });
                return Ok(Self::new(device, (n, layout, has_pivots), &codes, kept));
            }
            _ if !may_stay => None,
            _ => MachineFactors::new(device, batch, n, has_pivots)?,
        };
        if let Some(machine) = machine {
            let mut call = Call::on(device, (operation, size), &[a])?;
            machine.factor_ports(&mut call, n, layout);
            let codes =
                call.perform_then(operation, (size, Op::None), filled(0, batch)?, &|launcher, chunk, status| {
                    machine.keep_status(launcher, chunk, status)
                })?;
            return Ok(Self::new(device, (n, layout, has_pivots), &codes, Kept::Machine(machine)));
        }
        let mut factors = Fresh::new(product(&[batch, n, n])?)?;
        let mut pivots = Fresh::new(if has_pivots { product(&[batch, n])? } else { 0 })?;
        let mut call = Call::on(device, (operation, size), &[a])?;
        call.fresh(&mut factors, n, n, layout);
        if has_pivots {
            call.fresh(&mut pivots, n, 1, Layout::column_major(n, 1));
        }
        let codes = call.perform(operation, size)?;
        // SAFETY: the call has written both.
        let (factors, pivots) = unsafe { (factors.written(), pivots.written()) };
        let kept = Kept::Host(HostFactors { factors: Matrices::new(factors, batch, n, n, layout), pivots });
        Ok(Self::new(device, (n, layout, has_pivots), &codes, kept))
    }

    /// Factors that there are, of which `element` tells what is kept of each matrix, and its status code, given where to
    /// put it: on a GPU in its memory.
    pub(super) fn from_parts(
        device: &Device,
        given: &Batch<'_, S>,
        pivots: Option<&[u32]>,
        keep: impl Fn(usize, &mut dyn FnMut(usize, usize, S)) -> i32,
    ) -> Result<Self> {
        let (n, batch) = (given.order()?, given.batch());
        let (layout, mut codes) = (given.output_layout(n, n), filled(0, batch)?);
        let mut data = filled(S::ZERO, product(&[batch, n, n])?)?;
        for (b, code) in codes.iter_mut().enumerate() {
            *code = keep(b, &mut |i, j, x| data[layout.at(b, i, j)] = x);
        }
        let factors = Matrices::new(data, batch, n, n, layout);
        let host = HostFactors { factors, pivots: pivots.unwrap_or_default().to_vec() };
        Self::from_host(device, host, pivots.is_some(), &codes)
    }

    /// Factors on the host: on a GPU in its memory.
    fn from_host(device: &Device, host: HostFactors<S>, has_pivots: bool, codes: &[i32]) -> Result<Self> {
        let (n, layout, batch) = (host.factors.rows(), host.factors.layout(), host.factors.batch());
        let kept = match MachineFactors::new(device, batch, n, has_pivots)? {
            Some(machine) => {
                machine.fill(device, &host, codes)?;
                Kept::Machine(machine)
            }
            None => Kept::Host(host),
        };
        Ok(Self::new(device, (n, layout, has_pivots), codes, kept))
    }

    /// Some of the factors, by their numbers, as factors of their own: all of them as they are, others from the host,
    /// beside those.
    pub(super) fn some(&self, places: &[usize]) -> Result<Self> {
        if places.iter().copied().eq(0..self.batch()) {
            return Ok(self.clone());
        }
        let (n, batch, HostFactors { factors, pivots }) = (self.n, places.len(), self.host()?);
        let rows = if self.has_pivots { n } else { 0 };
        let mut data = filled(S::ZERO, product(&[batch, n, n])?)?;
        let (mut some_pivots, mut codes) = (filled(0, product(&[batch, rows])?)?, filled(0, batch)?);
        for (at, &place) in places.iter().enumerate() {
            data[at * n * n..][..n * n].copy_from_slice(factors.matrix(place));
            some_pivots[at * rows..][..rows].copy_from_slice(&pivots[place * rows..][..rows]);
            codes[at] = self.status[place].code();
        }
        let host = HostFactors { factors: Matrices::new(data, batch, n, n, self.layout), pivots: some_pivots };
        Self::from_host(&with_less(&self.device, self.machine_bytes()), host, self.has_pivots, &codes)
    }

    fn new(device: &Device, (n, layout, has_pivots): (usize, Layout, bool), codes: &[i32], kept: Kept<S>) -> Self {
        let (device, status, kept) = (device.clone(), Statuses::from_codes(codes), Arc::new(kept));
        Self { device, n, layout, status, has_pivots, kept }
    }

    /// Factors other matrices, in the memory of these factors if they are of the same size and nobody else has a clone.
    /// `may_stay` as in [`Self::made`].
    pub(super) fn refactor(&mut self, operation: &Operation, a: Lent<'_>, may_stay: bool) -> Result<()> {
        let same = (a.sizes.count(), a.sizes.shape(0).0) == (self.batch(), self.n);
        let nothing = HostFactors { factors: Matrices::new(Vec::new(), 0, 0, 0, self.layout), pivots: Vec::new() };
        let old = std::mem::replace(&mut self.kept, Arc::new(Kept::Host(nothing)));
        (self.n, self.status) = (0, Statuses::from_codes(&[]));
        *self = Self::made(&self.device, operation, a, may_stay, Arc::into_inner(old).filter(|_| same))?;
        Ok(())
    }

    /// The same factors, whose calls are of this device.
    pub(super) fn on(self, device: Device) -> Self {
        Self { device, ..self }
    }

    pub(super) fn device(&self) -> &Device {
        &self.device
    }

    pub(super) fn n(&self) -> usize {
        self.n
    }

    pub(super) fn batch(&self) -> usize {
        self.status.len()
    }

    pub(super) fn layout(&self) -> Layout {
        self.layout
    }

    pub(super) fn status(&self) -> &Statuses {
        &self.status
    }

    /// Bytes of a machine's memory, at most.
    pub(super) fn machine_bytes(&self) -> usize {
        self.kept.machine_bytes()
    }

    /// The status codes, for calls on the factors.
    pub(super) fn codes(&self) -> Result<Vec<i32>> {
        let mut codes = filled(0, self.batch())?;
        codes.iter_mut().zip(&self.status).for_each(|(code, status)| *code = status.code());
        Ok(codes)
    }

    /// The factors on the host, brought over by the first who asks.
    pub(super) fn host(&self) -> Result<&HostFactors<S>> {
        match &*self.kept {
            Kept::Host(host) => Ok(host),
            Kept::Machine(machine) => machine.host(&self.device, self.batch(), self.n, self.layout),
        }
    }

    /// They, with their statuses, as the next ports of a call.
    pub(super) fn ports<'a>(&'a self, call: &mut Call<'a>, codes: &'a [i32]) {
        let n = self.n;
        match &*self.kept {
            Kept::Host(HostFactors { factors, pivots }) => {
                call.elements(&factors.data, n, n, factors.layout);
                if self.has_pivots {
                    call.values_in(pivots, n);
                }
                call.values_in(codes, 1);
            }
            Kept::Machine(machine) => machine.ports(call, n, self.layout),
        }
    }

    /// Solutions in memory of their own.
    pub(super) fn solution<T: Element>(
        &self,
        operation: &Operation,
        b: &impl Lend,
        op: Op,
    ) -> Result<Solution<Matrices<T>>> {
        let read = Lent::read(b);
        check_sides(sides_of(operation), (self.batch(), self.n), read)?;
        let mut room = Matrices::<T>::room_like(b)?;
        let codes = self.solve(&self.device, operation, [read, Lent::write(&mut room)], op)?;
        // SAFETY: the call has written every solution.
        Ok(Solution { x: unsafe { Matrices::written(room) }, status: Statuses::from_codes(&codes) })
    }

    /// Solves to where the second of the operands is, and returns the status codes. `device` is that of the factors,
    /// which may be told less of what is done.
    pub(super) fn solve(
        &self,
        device: &Device,
        operation: &Operation,
        sides: [Lent<'_>; 2],
        op: Op,
    ) -> Result<Vec<i32>> {
        let codes = self.codes()?;
        let mut call = Call::new(device, self.batch());
        self.ports(&mut call, &codes);
        let size = Size { n: self.n, rhs: sides[0].cols() };
        call.lend((operation, size), &sides)?;
        call.solve_from_factors(operation, (size, op), codes.clone())
    }

    /// Solves with some of the factors, by their numbers, from the host.
    pub(super) fn solve_some(
        &self,
        operation: &Operation,
        places: &[usize],
        sides: [Lent<'_>; 2],
        op: Op,
    ) -> Result<Vec<i32>> {
        let (n, batch, HostFactors { factors, pivots }) = (self.n, places.len(), self.host()?);
        let start = factors.as_slice().as_ptr().cast_mut();
        let spot = |place: &usize| Spot::new(start, place * n * n, n.into(), factors.layout());
        let mut codes = filled(0, batch)?;
        codes.iter_mut().zip(places).for_each(|(code, &place)| *code = self.status[place].code());
        let mut some_pivots = filled(0, if self.has_pivots { product(&[batch, n])? } else { 0 })?;
        let each = some_pivots.chunks_exact_mut(n.max(1)).zip(places);
        each.for_each(|(some, &place)| some.copy_from_slice(&pivots[place * n..][..n]));
        let mut call = Call::new(&self.device, batch);
        call.reserve(self.machine_bytes());
        // SAFETY: borrowed with the factors; what is to be read is not written through.
        unsafe { call.anywhere::<S>(places.iter().map(spot).collect(), Access::Read) };
        if self.has_pivots {
            call.values_in(&some_pivots, n);
        }
        call.values_in(&codes, 1);
        let size = Size { n, rhs: sides[0].cols() };
        call.lend((operation, size), &sides)?;
        call.solve_from_factors(operation, (size, op), codes.clone())
    }

    /// Inverses in memory of their own.
    pub(super) fn inverse<T: Element>(&self, operation: &Operation) -> Result<Inverse<Matrices<T>>> {
        let mut room = BatchRoom::new(self.batch(), (self.n, self.n), self.layout)?;
        let status = self.invert(operation, Lent::write(&mut room))?;
        // SAFETY: the call has written every matrix.
        Ok(Inverse { matrices: unsafe { Matrices::written(room) }, status })
    }

    /// Inverts to where the operand is.
    pub(super) fn invert(&self, operation: &Operation, inverse: Lent<'_>) -> Result<Statuses> {
        let (codes, size) = (self.codes()?, Size::order(self.n));
        let mut call = Call::new(&self.device, self.batch());
        self.ports(&mut call, &codes);
        call.lend((operation, size), &[inverse])?;
        Ok(Statuses::from_codes(&call.perform(operation, size)?))
    }

    /// Determinants.
    pub(super) fn det<T: Element>(&self, operation: &Operation) -> Result<Determinants<T>> {
        let codes = self.codes()?;
        let mut call = Call::new(&self.device, self.batch());
        self.ports(&mut call, &codes);
        let mut logs = Logs::new(self.batch())?;
        logs.find_from_factors(call, operation, self.n)?;
        Ok(logs.with(&codes))
    }
}

/// The device, with so much less memory.
pub(super) fn with_less(device: &Device, bytes: usize) -> Device {
    match device.memory_limit {
        Some(limit) => device.clone().with_memory_limit(limit.saturating_sub(bytes)),
        None => device.clone(),
    }
}

/// The right-hand sides of an operation.
pub(super) fn sides_of(operation: &Operation) -> &'static Operand {
    let sides = operation.operands.iter().find(|operand| operand.extent == Extent::Sides);
    sides.unwrap_or_else(|| unreachable!("solutions have right-hand sides"))
}
