//! How systems were solved by factors in single precision, for `solve --refine`.

use std::path::Path;

use serde::Serialize;
use warplu::Refinement;

use crate::common::count;
use crate::dtype::Dtype;
use crate::failure::{Failure, Result};
use crate::ranks::{self, Part};

/// What the report says of refinement.
#[derive(Debug, Serialize)]
pub(crate) struct Refined {
    /// The most corrections of a matrix that converged, if one did.
    most_corrections: Option<u32>,
    in_double: Vec<InDouble>,
}

/// A matrix that was factored in double precision.
#[derive(Debug, Serialize)]
struct InDouble {
    index: usize,
    /// LAPACK's.
    iter: i32,
}

impl Refined {
    /// From how the matrices of this rank's part were solved; all ranks call it at the same time.
    pub(crate) fn of_all_ranks(own: &[Refinement], part: Part) -> Result<Self> {
        let corrections = |how: &Refinement| match how {
            Refinement::Converged(steps) => Some(*steps),
            _ => None,
        };
        let most = own.iter().filter_map(corrections).max();
        let others = own.iter().enumerate().filter(|(_, how)| !how.is_converged());
        let others = others.map(|(at, how)| [(part.first + at) as i64, how.code().into()]);
        let in_double = ranks::gather(&others.collect::<Vec<_>>())?.into_iter().flatten();
        Ok(Self {
            most_corrections: ranks::gather(most.as_slice())?.into_iter().flatten().max(),
            in_double: in_double.map(|[index, iter]| InDouble { index: index as usize, iter: iter as i32 }).collect(),
        })
    }

    /// In the words of the line that says what was done.
    pub(crate) fn summary(&self) -> String {
        let mut text = match self.most_corrections {
            Some(most) => format!("with up to {}", count(most as usize, "correction")),
            None => "without corrections".to_owned(),
        };
        if !self.in_double.is_empty() {
            text += &format!(", {} in double precision,", count(self.in_double.len(), "matrix"));
        }
        text
    }
}

/// The error of a file of another type.
pub(crate) fn not_double(path: &Path, dtype: Dtype) -> Failure {
    let name = dtype.numpy_name();
    let fault = format!("holds {name}, but --refine is for float64 and complex128: leave it out, or convert the files");
    Failure::input(path, fault)
}
