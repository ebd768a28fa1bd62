//! Solution by factors in single precision, for f64 and c64: beside `solve`, which is by factors in double precision.

use warplu::resident::{DeviceBuffer, Size, SolveRefinedPlan, Stream, of};
use warplu::{BatchMut, Device, Double, Element, bf16, c32, c64, f16};

use crate::case::Case;
use crate::contender::Contender;
use crate::failure::{Failure, Result};
use crate::inputs::Arrays;
use crate::judge::{Ends, ends};

/// warplu's ways to do so, where there are any for the type.
pub(crate) trait Refinable: Element {
    /// On matrices in device memory.
    fn on_device<'a>(device: &Device, arrays: Arrays<'a, Self>) -> Result<Box<dyn Contender<Self> + 'a>>;

    /// From host memory to host memory that is there already.
    fn on_host<'a>(
        device: &'a Device,
        case: &'a Case,
        inputs: (&'a [Self], &'a [Self]),
    ) -> Result<Box<dyn Contender<Self> + 'a>>;
}

macro_rules! refinable {
    ($($t:ident)*) => {$(
        impl Refinable for $t {
            fn on_device<'a>(device: &Device, arrays: Arrays<'a, Self>) -> Result<Box<dyn Contender<Self> + 'a>> {
                let &Case { n, batch, rhs, .. } = arrays.case;
                let codes = [device.buffer(batch)?, device.buffer(batch)?];
                let plan = SolveRefinedPlan::new(device, Size::order(n).batch(batch).rhs(rhs))?;
                Ok(Box::new(OnDevice { plan, codes, arrays }))
            }

            fn on_host<'a>(
                device: &'a Device,
                case: &'a Case,
                inputs: (&'a [Self], &'a [Self]),
            ) -> Result<Box<dyn Contender<Self> + 'a>> {
                let &Case { n, batch, rhs, .. } = case;
                // Written once, so that all pages are there.
                let x = vec![<$t as warplu::Scalar>::ONE; batch * n * rhs];
                Ok(Box::new(OnHost { device, case, inputs, x }))
            }
        }
    )*};
}
refinable!(f64 c64);

macro_rules! not_refinable {
    ($($t:ident)*) => {$(
        impl Refinable for $t {
            fn on_device<'a>(_: &Device, _: Arrays<'a, Self>) -> Result<Box<dyn Contender<Self> + 'a>> {
                Err(only_double())
            }

            fn on_host<'a>(
                _: &'a Device,
                _: &'a Case,
                _: (&'a [Self], &'a [Self]),
            ) -> Result<Box<dyn Contender<Self> + 'a>> {
                Err(only_double())
            }
        }
    )*};
}
not_refinable!(f16 bf16 f32 c32);

fn only_double() -> Failure {
    Failure::Bench("solve-refined is for double precision: give --dtype f64 or c64".to_owned())
}

struct OnDevice<'a, T: Double> {
    plan: SolveRefinedPlan<T>,
    /// Of refinement, and the statuses.
    codes: [DeviceBuffer<i32>; 2],
    arrays: Arrays<'a, T>,
}

struct OnHost<'a, T: Double> {
    device: &'a Device,
    case: &'a Case,
    inputs: (&'a [T], &'a [T]),
    x: Vec<T>,
}

impl<T: Double> Contender<T> for OnDevice<'_, T> {
    fn restore(&mut self) -> Result<()> {
        Ok(self.arrays.restore()?)
    }

    fn run(&mut self) -> Result<()> {
        let Arrays { stream, a, b, out, case, .. } = &mut self.arrays;
        let &Case { n, batch, rhs, layout, .. } = *case;
        let (a, b) = (layout.device(&*a, batch, (n, n))?, layout.device(&*b, batch, (n, rhs))?);
        let mut x = layout.device_mut(&mut *out, batch, (n, rhs))?;
        let [refinement, status] = &mut self.codes;
        Ok(self.plan.run(stream, of::SolveRefined { a: &a, b: &b, x: &mut x, refinement, status })?)
    }

    fn ends(&self) -> Result<Ends<T>> {
        Ok(Ends::Solution(self.arrays.ends(&self.arrays.out)?))
    }

    fn kernels(&self) -> Vec<&'static str> {
        self.plan.kernels()
    }

    fn stream(&self) -> Option<&Stream> {
        Some(self.arrays.stream)
    }
}

impl<T: Double> Contender<T> for OnHost<'_, T> {
    fn restore(&mut self) -> Result<()> {
        Ok(())
    }

    fn run(&mut self) -> Result<()> {
        let &Case { n, batch, rhs, layout, .. } = self.case;
        let (a, b) = (layout.host(self.inputs.0, batch, (n, n))?, layout.host(self.inputs.1, batch, (n, rhs))?);
        let mut x: BatchMut<'_, T> = layout.host_mut(&mut self.x, batch, (n, rhs))?;
        let _ = self.device.solve_refined_into(&a, &b, &mut x)?;
        Ok(())
    }

    fn ends(&self) -> Result<Ends<T>> {
        Ok(Ends::Solution(ends(&self.x, self.case.batch)))
    }

    fn stream(&self) -> Option<&Stream> {
        None
    }
}
