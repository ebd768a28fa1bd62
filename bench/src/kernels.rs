//! `--kernel`: single kernels of warplu's own.

use std::str::FromStr;

use kernels_gpu::entry::Family;
use kernels_gpu::table;
use numbers::problem::Problem;
use numbers::scalar::ScalarKind;
use warplu::{Algorithm, Device, Pivoting};

use crate::case::Op;
use crate::failure::{Failure, Result};

/// What `--kernel` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// Each that does the operation and fits.
    All,
    /// One, by its name without its type.
    One(&'static str),
}

impl FromStr for Kernel {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        match format!("kernel:{text}").parse() {
            Ok(Algorithm::Kernel(name)) => Ok(Self::One(name)),
            Ok(_) => Err(format!("{text:?} is no kernel: `warplu info` lists them")),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Kernel {
    /// The kernels of `named` that do an operation. That one which is named does not take the type or the order shows
    /// when it is measured; of all those that do not are left out.
    pub(crate) fn of(
        named: &[Self],
        device: &Device,
        (op, pivoting): (Op, Pivoting),
        kind: ScalarKind,
        problem: &Problem,
    ) -> Result<Vec<Algorithm>> {
        let (Some(limit), Some(tier)) = (device.info().shared_limit(), device.info().tier()) else {
            let message = format!("{device} runs no kernels: add --device cuda or sim, or leave --kernel out");
            return Err(Failure::Usage(message));
        };
        let family = family(op, pivoting);
        let mut names = Vec::new();
        for kernel in named {
            match kernel {
                Self::All => {
                    let own = table::entries().filter(|entry| Some(entry.family) == family && entry.kind == kind);
                    let fitting = own.filter(|entry| entry.tiers.contains(&tier) && entry.fits(problem, limit));
                    names.extend(fitting.map(|entry| entry.base_name()));
                }
                Self::One(name) => {
                    let does = table::entries().any(|entry| entry.base_name() == *name && Some(entry.family) == family);
                    names.extend(does.then_some(*name));
                }
            }
        }
        Ok(names.into_iter().map(Algorithm::Kernel).collect())
    }
}

/// The kernels that do a whole operation.
fn family(op: Op, pivoting: Pivoting) -> Option<Family> {
    match op {
        Op::Lu if pivoting == Pivoting::Partial => Some(Family::Getrf),
        Op::Lu => Some(Family::GetrfNopiv),
        Op::Inv => Some(Family::Inverse),
        Op::LuInv => Some(Family::Getri),
        Op::Solve => Some(Family::Gesv),
        Op::LuSolve => Some(Family::Getrs),
        Op::SolveRefined | Op::Det | Op::Chol | Op::CholInv | Op::CholSolve | Op::Copy => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(named: &[&str], op: Op, n: u32) -> Vec<Algorithm> {
        let named: Vec<_> = named.iter().map(|name| name.parse().unwrap()).collect();
        Kernel::of(&named, &Device::sim(), (op, Pivoting::Partial), ScalarKind::F64, &Problem { n, batch: 9, rhs: 1 })
            .unwrap()
    }

    #[test]
    fn all_are_those_that_fit() {
        let all = of(&["all"], Op::Lu, 16);
        assert!(!all.contains(&Algorithm::Kernel("getrf_in_registers_n8")), "{all:?}");
        assert!(
            all.contains(&Algorithm::Kernel("getrf_in_registers_n16"))
                && all.contains(&Algorithm::Kernel("getrf_global"))
        );
        assert!(!of(&["all"], Op::Lu, 1000).contains(&Algorithm::Kernel("getrf_blocked_r2_p4_w8")));
        assert!(of(&["all"], Op::Det, 8).is_empty());
    }

    #[test]
    fn pivoting_has_kernels_of_its_own() {
        let (problem, pivoting) = (Problem { n: 20, batch: 9, rhs: 1 }, Pivoting::None);
        let all = Kernel::of(&[Kernel::All], &Device::sim(), (Op::Lu, pivoting), ScalarKind::F64, &problem).unwrap();
        let names = ["getrf_nopiv_in_registers_n24", "getrf_nopiv_in_registers_n32", "getrf_nopiv_global"];
        assert!(all.len() == 3 && names.into_iter().all(|name| all.contains(&Algorithm::Kernel(name))), "{all:?}");
    }

    #[test]
    fn one_is_for_its_operation() {
        let one = [Algorithm::Kernel("getri_lane_per_rhs_n8")];
        assert_eq!(of(&["getri_lane_per_rhs_n8"], Op::LuInv, 9), one);
        assert!(of(&["getri_lane_per_rhs_n8"], Op::Lu, 8).is_empty());
        assert!("getrf_in_registers_n8_f64".parse::<Kernel>().unwrap_err().contains("warplu info"));
        let problem = Problem { n: 1, batch: 1, rhs: 1 };
        assert!(
            Kernel::of(&[Kernel::All], &Device::cpu(), (Op::Lu, Pivoting::Partial), ScalarKind::F32, &problem).is_err()
        );
    }
}
