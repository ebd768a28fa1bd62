//! warplu's plans, on matrices in device memory.

use std::any::Any;

use warplu::resident::{
    CholeskyInversePlan, CholeskyPlan, CholeskySolvePlan, DetPlan, DeviceBuffer, InPlace, InversePlan, LuInversePlan,
    LuPlan, LuSolvePlan, Pivots, Size, SolvePlan, Stream, of,
};
use warplu::{Algorithm, Device, Element, Scalar, Triangle};

use crate::case::{Case, Op};
use crate::contender::Contender;
use crate::failure::Result;
use crate::inputs::Arrays;
use crate::judge::Ends;

/// The triangle of Cholesky factors.
const LOWER: Triangle = Triangle::Lower;

/// A plan for the case's operation, and its memory.
#[derive(Debug)]
pub(crate) struct Resident<'a, T: Element> {
    arrays: Arrays<'a, T>,
    plan: Plan<T>,
    /// Factors of 16-bit types, which do not fit in the place of their matrices.
    wide: DeviceBuffer<T::Scalar>,
    pivots: Pivots,
    status: DeviceBuffer<i32>,
    lu_status: DeviceBuffer<i32>,
    values: DeviceBuffer<T::Scalar>,
    sign: DeviceBuffer<T::Scalar>,
    log_abs: DeviceBuffer<<T::Scalar as Scalar>::Real>,
}

#[derive(Debug)]
enum Plan<T: Element> {
    Lu(Factor<T>),
    Inv(InversePlan<T>),
    LuInv(LuInversePlan<T>),
    Solve(SolvePlan<T>),
    LuSolve(LuSolvePlan<T>),
    Det(DetPlan<T>),
    Chol(Factor<T>),
    CholInv(CholeskyInversePlan<T>),
    CholSolve(CholeskySolvePlan<T>),
    Copy,
}

/// Factorization in the place of the matrices, or of 16-bit types to factors in f32.
#[derive(Debug)]
enum Factor<T: Element> {
    InPlace(LuPlan<T::Scalar>),
    Apart(LuPlan<T>),
    CholeskyInPlace(CholeskyPlan<T::Scalar>),
    CholeskyApart(CholeskyPlan<T>),
}

impl<T: Element> Factor<T> {
    fn new(device: &Device, op: Op, size: Size) -> warplu::Result<Self> {
        match (op.is_cholesky(), T::NAME == <T::Scalar as Element>::NAME) {
            (false, true) => LuPlan::new(device, size).map(Self::InPlace),
            (false, false) => LuPlan::new(device, size).map(Self::Apart),
            (true, true) => CholeskyPlan::new(device, size).map(Self::CholeskyInPlace),
            (true, false) => CholeskyPlan::new(device, size).map(Self::CholeskyApart),
        }
    }

    fn kernels(&self) -> Vec<&'static str> {
        match self {
            Self::InPlace(plan) => plan.kernels(),
            Self::Apart(plan) => plan.kernels(),
            Self::CholeskyInPlace(_) | Self::CholeskyApart(_) => Vec::new(),
        }
    }
}

impl<'a, T: Element> Resident<'a, T> {
    /// On a device with an algorithm. Factors to start from are made by warplu's own choice.
    pub(crate) fn new(device: &Device, arrays: Arrays<'a, T>) -> warplu::Result<Self> {
        let &Case { op, n, batch, rhs, .. } = arrays.case;
        let size = Size::order(n).batch(batch).rhs(rhs);
        let plan = match op {
            Op::Lu => Plan::Lu(Factor::new(device, op, size)?),
            Op::Inv => Plan::Inv(InversePlan::new(device, size)?),
            Op::LuInv => Plan::LuInv(LuInversePlan::new(device, size)?),
            Op::Solve | Op::SolveRefined => Plan::Solve(SolvePlan::new(device, size)?),
            Op::LuSolve => Plan::LuSolve(LuSolvePlan::new(device, size)?),
            Op::Det => Plan::Det(DetPlan::new(device, size)?),
            Op::Chol => Plan::Chol(Factor::new(device, op, size)?),
            Op::CholInv => Plan::CholInv(CholeskyInversePlan::new(device, size)?),
            Op::CholSolve => Plan::CholSolve(CholeskySolvePlan::new(device, size)?),
            Op::Copy => Plan::Copy,
        };
        let wide = if factors_in_place(&arrays.a).is_some() { 0 } else { batch * n * n };
        let mut resident = Self {
            wide: device.buffer(wide)?,
            pivots: device.pivots(batch, n)?,
            status: device.buffer(batch)?,
            lu_status: device.buffer(batch)?,
            values: device.buffer(batch)?,
            sign: device.buffer(batch)?,
            log_abs: device.buffer(batch)?,
            arrays,
            plan,
        };
        if op.is_from_factors() {
            let plan = Factor::new(&device.with(Algorithm::Auto), op, size)?;
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

    fn factor(&mut self, plan: &Factor<T>) -> warplu::Result<()> {
        let Self { arrays, wide, pivots, lu_status, .. } = self;
        let &Case { n, batch, layout, .. } = arrays.case;
        match (plan, (&mut arrays.a as &mut dyn Any).downcast_mut::<DeviceBuffer<T::Scalar>>()) {
            (Factor::InPlace(plan), Some(a)) => {
                let lu = &mut layout.device_mut(&mut *a, batch, (n, n))?;
                plan.run(arrays.stream, of::Lu { a: InPlace, lu, pivots, status: lu_status })
            }
            (Factor::Apart(plan), _) => {
                let a = layout.device(&arrays.a, batch, (n, n))?;
                let lu = &mut layout.device_mut(wide, batch, (n, n))?;
                plan.run(arrays.stream, of::Lu { a: &a, lu, pivots, status: lu_status })
            }
            (Factor::CholeskyInPlace(plan), Some(a)) => {
                let factors = &mut layout.device_mut(a, batch, (n, n))?;
                plan.run(arrays.stream, of::Cholesky { a: InPlace, factors, triangle: LOWER, status: lu_status })
            }
            (Factor::CholeskyApart(plan), _) => {
                let a = layout.device(&arrays.a, batch, (n, n))?;
                let factors = &mut layout.device_mut(wide, batch, (n, n))?;
                plan.run(arrays.stream, of::Cholesky { a: &a, factors, triangle: LOWER, status: lu_status })
            }
            (Factor::InPlace(_) | Factor::CholeskyInPlace(_), None) => unreachable!("types of one name are one type"),
        }
    }

    fn enqueue(&mut self) -> warplu::Result<()> {
        if let Plan::Lu(_) | Plan::Chol(_) = self.plan {
            // Taken out for the time of the call, which borrows all else.
            let plan = std::mem::replace(&mut self.plan, Plan::Copy);
            let done = if let Plan::Lu(plan) | Plan::Chol(plan) = &plan { self.factor(plan) } else { Ok(()) };
            self.plan = plan;
            return done;
        }
        let Self { arrays, plan, wide, pivots, status, lu_status, values, sign, log_abs } = self;
        let Arrays { stream, a, b, out, case, .. } = arrays;
        let &Case { n, batch, rhs, layout, .. } = *case;
        let (square, tall) = ((n, n), (n, rhs));
        let factors = factors_in_place(a).unwrap_or(wide);
        let (lu_status, status) = (&*lu_status, status);
        match plan {
            Plan::Lu(_) | Plan::Chol(_) => Ok(()),
            Plan::CholInv(plan) => {
                let (factors, inverse) =
                    (&layout.device(factors, batch, square)?, &mut layout.device_mut(out, batch, square)?);
                let (triangle, factor_status) = (LOWER, lu_status);
                plan.run(stream, of::CholeskyInverse { factors, triangle, factor_status, inverse, status })
            }
            Plan::CholSolve(plan) => {
                let (factors, b) = (&layout.device(factors, batch, square)?, &layout.device(&*b, batch, tall)?);
                let (triangle, factor_status, x) = (LOWER, lu_status, &mut layout.device_mut(out, batch, tall)?);
                plan.run(stream, of::CholeskySolve { factors, triangle, factor_status, b, x, status })
            }
            Plan::Inv(plan) => {
                let (a, inverse) = (&layout.device(&*a, batch, square)?, &mut layout.device_mut(out, batch, square)?);
                plan.run(stream, of::Inverse { a, inverse, status })
            }
            Plan::LuInv(plan) => {
                let (lu, inverse) =
                    (&layout.device(factors, batch, square)?, &mut layout.device_mut(out, batch, square)?);
                plan.run(stream, of::LuInverse { lu, pivots: &*pivots, lu_status, inverse, status })
            }
            Plan::Solve(plan) => {
                let (a, b) = (&layout.device(&*a, batch, square)?, &layout.device(&*b, batch, tall)?);
                plan.run(stream, of::Solve { a, b, x: &mut layout.device_mut(out, batch, tall)?, status })
            }
            Plan::LuSolve(plan) => {
                let (lu, b) = (&layout.device(factors, batch, square)?, &layout.device(&*b, batch, tall)?);
                let (pivots, op, x) = (&*pivots, warplu::Op::None, &mut layout.device_mut(out, batch, tall)?);
                plan.run(stream, of::LuSolve { lu, pivots, lu_status, op, b, x, status })
            }
            Plan::Det(plan) => {
                let a = &layout.device(&*a, batch, square)?;
                plan.run(stream, of::Det { a, values, sign, log_abs, status })
            }
            Plan::Copy => stream.copy(&*a, out),
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
            Op::Lu => Ends::Factors(arrays.ends(self.factors())?, arrays.ends(self.pivots.buffer())?),
            Op::Chol => Ends::Cholesky(arrays.ends(self.factors())?),
            Op::Inv | Op::LuInv | Op::CholInv => Ends::Inverse(arrays.ends(&arrays.out)?),
            Op::Solve | Op::SolveRefined | Op::LuSolve | Op::CholSolve => Ends::Solution(arrays.ends(&arrays.out)?),
            Op::Det => Ends::Determinants(arrays.ends(&self.sign)?, arrays.ends(&self.log_abs)?),
            Op::Copy => Ends::Copy(arrays.ends(&arrays.out)?),
        })
    }

    fn kernels(&self) -> Vec<&'static str> {
        match &self.plan {
            Plan::Lu(plan) | Plan::Chol(plan) => plan.kernels(),
            Plan::Inv(plan) => plan.kernels(),
            Plan::LuInv(plan) => plan.kernels(),
            Plan::Solve(plan) => plan.kernels(),
            Plan::LuSolve(plan) => plan.kernels(),
            Plan::Det(_) | Plan::CholInv(_) | Plan::CholSolve(_) | Plan::Copy => Vec::new(),
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
