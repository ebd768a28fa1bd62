//! warplu's plans, on matrices in device memory.

use std::any::Any;

use warplu::resident::{
    DetPlan, DeviceBatch, DeviceBuffer, InversePlan, LuInversePlan, LuPlan, LuSolvePlan, SolvePlan, Stream,
};
use warplu::{Algorithm, Device, Element, Scalar};

use super::case::{Case, Op};
use super::inputs::Arrays;
use super::judge::Ends;
use super::measure::Contender;
use crate::failure::Result;

/// A plan for the case's operation, and its memory.
#[derive(Debug)]
pub(super) struct Resident<'a, T: Element> {
    arrays: Arrays<'a, T>,
    plan: Plan<T>,
    /// Factors of 16-bit types, which do not fit in the place of their matrices.
    wide: DeviceBuffer<T::Scalar>,
    pivots: DeviceBuffer<u32>,
    status: DeviceBuffer<i32>,
    phase: DeviceBuffer<T::Scalar>,
    log_abs: DeviceBuffer<<T::Scalar as Scalar>::Real>,
}

#[derive(Debug)]
enum Plan<T: Element> {
    Lu(LuPlan<T>),
    Inv(InversePlan<T>),
    LuInv(LuInversePlan<T>),
    Solve(SolvePlan<T>),
    LuSolve(LuSolvePlan<T>),
    Det(DetPlan<T>),
    Copy,
}

impl<'a, T: Element> Resident<'a, T> {
    /// On a device with an algorithm. Factors to start from are made by warplu's own choice.
    pub(super) fn new(device: &Device, arrays: Arrays<'a, T>) -> warplu::Result<Self> {
        let &Case { op, n, batch, rhs, .. } = arrays.case;
        let plan = match op {
            Op::Lu => Plan::Lu(LuPlan::new(device, n, batch)?),
            Op::Inv => Plan::Inv(InversePlan::new(device, n, batch)?),
            Op::LuInv => Plan::LuInv(LuInversePlan::new(device, n, batch)?),
            Op::Solve => Plan::Solve(SolvePlan::new(device, n, batch, rhs)?),
            Op::LuSolve => Plan::LuSolve(LuSolvePlan::new(device, n, batch, rhs)?),
            Op::Det => Plan::Det(DetPlan::new(device, n, batch)?),
            Op::Copy => Plan::Copy,
        };
        let wide = if factors_in_place(&arrays.a).is_some() { 0 } else { batch * n * n };
        let mut resident = Self {
            wide: device.buffer(wide)?,
            pivots: device.buffer(batch * n)?,
            status: device.buffer(batch)?,
            phase: device.buffer(batch)?,
            log_abs: device.buffer(batch)?,
            arrays,
            plan,
        };
        if op.is_from_factors() {
            let plan = LuPlan::new(&device.clone().with_algorithm(Algorithm::Auto), n, batch)?;
            resident.factor(&plan)?;
            if wide == 0 {
                resident.arrays.keep_factors()?;
            }
        }
        Ok(resident)
    }

    /// Where factors are: in the place of the matrices if they fit there.
    fn factors(&self) -> &DeviceBuffer<T::Scalar> {
        factors_in_place(&self.arrays.a).unwrap_or(&self.wide)
    }

    fn factor(&self, plan: &LuPlan<T>) -> warplu::Result<()> {
        let (a, lu) = (self.square(&self.arrays.a)?, self.square(self.factors())?);
        plan.run(self.arrays.stream, &a, &lu, &self.pivots, &self.status)
    }

    fn square<'b, E: Element>(&self, buffer: &'b DeviceBuffer<E>) -> warplu::Result<DeviceBatch<'b, E>> {
        let Case { n, batch, layout, .. } = *self.arrays.case;
        layout.device(buffer, batch, (n, n))
    }

    fn right_hand_sides<'b>(&self, buffer: &'b DeviceBuffer<T>) -> warplu::Result<DeviceBatch<'b, T>> {
        let Case { n, batch, rhs, layout, .. } = *self.arrays.case;
        layout.device(buffer, batch, (n, rhs))
    }

    fn enqueue(&self) -> warplu::Result<()> {
        let Self { arrays, pivots, status, .. } = self;
        let Arrays { stream, a, b, out, .. } = arrays;
        match &self.plan {
            Plan::Lu(plan) => self.factor(plan),
            Plan::Inv(plan) => plan.run(stream, &self.square(a)?, &self.square(out)?, status),
            Plan::LuInv(plan) => {
                plan.run(stream, &self.square(self.factors())?, pivots, status, &self.square(out)?, status)
            }
            Plan::Solve(plan) => {
                let (b, x) = (self.right_hand_sides(b)?, self.right_hand_sides(out)?);
                plan.run(stream, &self.square(a)?, &b, &x, status)
            }
            Plan::LuSolve(plan) => {
                let (b, x) = (self.right_hand_sides(b)?, self.right_hand_sides(out)?);
                plan.run(stream, &self.square(self.factors())?, pivots, status, warplu::Op::None, &b, &x)
            }
            Plan::Det(plan) => plan.run(stream, &self.square(a)?, &self.phase, &self.log_abs, status),
            Plan::Copy => stream.copy(a, 0, out, 0, a.len()),
        }
    }
}

impl<T: Element> Contender<T> for Resident<'_, T> {
    fn restore(&mut self) -> Result<()> {
        Ok(self.arrays.restore()?)
    }

    fn run(&mut self) -> Result<()> {
        Ok(self.enqueue()?)
    }

    fn ends(&self) -> Result<Ends<T>> {
        let arrays = &self.arrays;
        Ok(match arrays.case.op {
            Op::Lu => Ends::Factors(arrays.ends(self.factors())?, arrays.ends(&self.pivots)?),
            Op::Inv | Op::LuInv => Ends::Inverse(arrays.ends(&arrays.out)?),
            Op::Solve | Op::LuSolve => Ends::Solution(arrays.ends(&arrays.out)?),
            Op::Det => Ends::Determinants(arrays.ends(&self.phase)?, arrays.ends(&self.log_abs)?),
            Op::Copy => Ends::Copy(arrays.ends(&arrays.out)?),
        })
    }

    fn kernels(&self) -> Vec<&'static str> {
        match &self.plan {
            Plan::Lu(plan) => plan.kernels(),
            Plan::Inv(plan) => plan.kernels(),
            Plan::LuInv(plan) => plan.kernels(),
            Plan::Solve(plan) => plan.kernels(),
            Plan::LuSolve(plan) => plan.kernels(),
            Plan::Det(_) | Plan::Copy => Vec::new(),
        }
    }

    fn stream(&self) -> Option<&Stream> {
        Some(self.arrays.stream)
    }
}

/// The buffer as one of factors, if its type is theirs.
fn factors_in_place<T: Element>(a: &DeviceBuffer<T>) -> Option<&DeviceBuffer<T::Scalar>> {
    (a as &dyn Any).downcast_ref()
}
