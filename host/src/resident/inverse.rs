//! The plan that inverts.

use kernels_gpu::entry::{Entry, Family};
use kernels_gpu::matrix::Matrices;
use kernels_gpu::scalar::Scalar;
use simt::global::Global;

use super::factored::{LuInversePlan, cast, size};
use super::lu::{LuPlan, OwnFactors};
use super::{DeviceBatch, DeviceBuffer, Stream, matrices_at};
use crate::algorithm::Algorithm;
use crate::device::Device;
use crate::element::Element;
use crate::error::Result;
use crate::layout::Layout;
use crate::machine::Machine;
use crate::steps::{Size, Steps, border_scratch, fused, prepare_bordering, prepare_only};

/// A^-1 by LU with partial pivoting, or by the device's algorithm. Where one kernel inverts matrices of this order, the
/// plan has no memory of its own (16-bit types: the matrices in f32).
#[derive(Debug)]
pub struct InversePlan<T: Element> {
    machine: Machine,
    size: Size,
    way: Way<T>,
}

#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "a plan is made once, and lies where its user put it")]
enum Way<T: Element> {
    /// One kernel; for 16-bit types in place on the matrices in f32: shape (batch, n, n).
    Fused { entry: &'static Entry, wide: Option<DeviceBuffer<T::Scalar>> },
    /// Factors, then the inverse from them.
    Factors { lu: LuPlan<T>, inverse: LuInversePlan<T>, factors: OwnFactors<T::Scalar> },
    /// Bordering, with its scratch memory, and for 16-bit types the matrices in f32: shape (batch, n, n).
    Bordering { scratch: DeviceBuffer<T::Scalar>, wide: Option<DeviceBuffer<T::Scalar>> },
}

impl<T: Element> InversePlan<T> {
    /// A plan for `batch` matrices of order `n`.
    ///
    /// # Errors
    /// [`Error::Unsupported`](crate::Error::Unsupported) on the CPU or where the device's algorithm does not invert; the
    /// driver's errors.
    pub fn new(device: &Device, n: usize, batch: usize) -> Result<Self> {
        let machine = device.machine()?.clone();
        let size = size(n, batch, 1)?;
        let wide = || {
            let Some(variant) = T::CONVERSION else { return Ok(None) };
            prepare_only(&machine, Family::Widen, variant, T::Scalar::KIND)?;
            prepare_only(&machine, Family::Narrow, variant, T::Scalar::KIND)?;
            device.buffer(batch * n * n).map(Some)
        };
        let way = if let Some(entry) = fused(&machine, device.algorithm, Family::Invert, T::Scalar::KIND, size)? {
            machine.prepare(entry, entry.shape(&size.problem()).shared_bytes)?;
            Way::Fused { entry, wide: wide()? }
        } else if device.algorithm == Algorithm::Bordering {
            prepare_bordering(&machine, T::Scalar::KIND, size)?;
            Way::Bordering { scratch: device.buffer(border_scratch(size))?, wide: wide()? }
        } else {
            Way::Factors {
                lu: LuPlan::new(device, n, batch)?,
                inverse: LuInversePlan::in_factors(device, n, batch)?,
                factors: OwnFactors::new(device, n, batch)?,
            }
        };
        Ok(Self { machine, size, way })
    }

    /// The names of warplu's own kernels that it launches; those of published algorithms are not among them.
    #[must_use]
    pub fn kernels(&self) -> Vec<&'static str> {
        match &self.way {
            Way::Fused { entry, .. } => vec![entry.name],
            Way::Factors { lu, inverse, .. } => [lu.kernels(), inverse.kernels()].concat(),
            Way::Bordering { .. } => Vec::new(),
        }
    }

    /// Bytes of memory that a plan for matrices of order `n` takes for each.
    pub(crate) fn scratch(device: &Device, n: usize) -> Result<usize> {
        let (one, element) = (size(n, 1, 1)?, size_of::<T::Scalar>());
        let is_fused = fused(device.machine()?, device.algorithm, Family::Invert, T::Scalar::KIND, one)?.is_some();
        let own = match device.algorithm {
            _ if is_fused => 0,
            Algorithm::Bordering => border_scratch(one) * element,
            Algorithm::Corrected { .. } => OwnFactors::<T::Scalar>::bytes(n) + n * n * element, // and room to work
            _ => OwnFactors::<T::Scalar>::bytes(n),
        };
        Ok(own + if T::CONVERSION.is_some() { n * n * element } else { 0 })
    }

    /// Enqueues the inversion; the inverse is all NaN where the status is not 0.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if a batch is not of the plan's size.
    pub fn run(
        &self,
        stream: &Stream,
        a: &DeviceBatch<'_, T>,
        inverse: &DeviceBatch<'_, T>,
        status: &DeviceBuffer<i32>,
    ) -> Result<()> {
        let (n, batch) = (self.size.n as usize, self.size.batch as usize);
        let (a, inverse) = (a.expect(batch, n, n, "a")?, inverse.expect(batch, n, n, "inverse")?);
        let status = status.global_of(batch, "status")?;
        let steps = Steps { machine: &self.machine, queue: &stream.queue };
        // SAFETY: the sizes were checked.
        unsafe { self.enqueue(&steps, self.size.batch, a, inverse, status) }
    }

    /// # Safety
    /// As for [`Steps::inverse`], for the first `batch` matrices.
    pub(crate) unsafe fn enqueue(
        &self,
        steps: &Steps<'_>,
        batch: u64,
        a: Matrices<T>,
        inverse: Matrices<T>,
        status: Global<i32>,
    ) -> Result<()> {
        let size = Size { batch, ..self.size };
        let n = size.n;
        let whole =
            |wide: &DeviceBuffer<T::Scalar>| matrices_at(wide.address(), Layout::column_major(n as usize, n as usize));
        // SAFETY: the caller's promise; the plan's own buffers are of its size.
        unsafe {
            match &self.way {
                Way::Fused { entry, wide } => match (T::CONVERSION, wide) {
                    (Some(variant), Some(wide)) => {
                        let wide = whole(wide);
                        steps.widen(variant, a, wide, (n, n), batch)?;
                        steps.invert(entry, wide, wide, status, size)?;
                        steps.narrow(variant, wide, inverse, (n, n), batch)
                    }
                    _ => steps.invert::<T::Scalar>(entry, cast(a), cast(inverse), status, size),
                },
                Way::Factors { lu, inverse: invert, factors } => {
                    let own = factors.with(status);
                    lu.enqueue(steps, batch, a, own)?;
                    // The factors are compact and column-major, so kernels that can may work in their place.
                    invert.enqueue(steps, batch, own, inverse, status, Some(factors.lu.global()))
                }
                Way::Bordering { scratch, wide } => match (T::CONVERSION, wide) {
                    (Some(variant), Some(wide)) => {
                        let wide = whole(wide);
                        steps.widen(variant, a, wide, (n, n), batch)?;
                        steps.border(wide, wide, status, scratch.global(), size)?;
                        steps.narrow(variant, wide, inverse, (n, n), batch)
                    }
                    _ => steps.border(cast(a), cast(inverse), status, scratch.global(), size),
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::SolvePlan;
    use super::*;
    use crate::device::Backend;

    /// The emulator's bytes that are in use.
    fn allocated(device: &Device) -> usize {
        match &device.backend {
            Backend::Machine(Machine::Sim { memory, .. }) => memory.allocated(),
            _ => unreachable!("the emulator"),
        }
    }

    fn plans_take_what_they_say<T: Element>() {
        const BATCH: usize = 3;
        for algorithm in [Algorithm::Auto, Algorithm::CORRECTED, Algorithm::BORDERING, Algorithm::ELIMINATION] {
            for n in [1, 8, 33, 64, 200] {
                let device = Device::sim().with_algorithm(algorithm);
                if let Ok(plan) = InversePlan::<T>::new(&device, n, BATCH) {
                    assert_eq!(allocated(&device), BATCH * InversePlan::<T>::scratch(&device, n).unwrap());
                    let is_fused = matches!(plan.way, Way::Fused { .. });
                    assert!(!is_fused || T::CONVERSION.is_some() || allocated(&device) == 0);
                }
                assert_eq!(allocated(&device), 0);
                for rhs in [1, 5] {
                    if let Ok(_plan) = SolvePlan::<T>::new(&device, n, BATCH, rhs) {
                        assert_eq!(allocated(&device), BATCH * SolvePlan::<T>::scratch(&device, n, rhs).unwrap());
                    }
                }
            }
        }
    }

    #[test]
    fn plans_take_the_memory_that_they_say() {
        plans_take_what_they_say::<f32>();
        plans_take_what_they_say::<crate::c64>();
        plans_take_what_they_say::<crate::bf16>();
    }
}
