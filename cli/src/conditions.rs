//! `--rcond`: reciprocal condition numbers beside what a verb writes.

use std::path::PathBuf;

use serde::{Serialize, Serializer};
use warplu::out_of_core::Sink;
use warplu::{Conditions, Element, Norm, Real, RealOf};

use crate::common::count;
use crate::failure::Result;
use crate::input::Input;
use crate::npy::NpySink;
use crate::output::Output;
use crate::ranks::{self, Part};

/// Options of the verbs that can tell condition numbers.
#[derive(clap::Args, Debug)]
pub(crate) struct ConditionArgs {
    /// Also write the reciprocal condition number of each matrix, from 0 (singular) to 1, NaN if not finite: shape ()
    /// or (batch), of the real type of A, float32 for float16; of an archive, an archive. Exact up to order 32, else
    /// estimated as by LAPACK
    #[arg(long, value_name = "RCOND.npy")]
    rcond: Option<PathBuf>,
    /// The norm of condition numbers: 1 or inf
    #[arg(long, value_name = "NORM", default_value = "1", requires = "rcond")]
    norm: Norm,
    /// Say of matrices with a reciprocal condition number below R that they are ill-conditioned [default: the unit
    /// roundoff, 5.96e-8 or 1.11e-16]
    #[arg(long, value_name = "R", value_parser = parse_limit, requires = "rcond")]
    rcond_limit: Option<f64>,
}

/// Condition numbers on their way to a file.
#[derive(Debug)]
pub(crate) struct ConditionSink<T: Element> {
    sink: NpySink<RealOf<T>>,
    part: Part,
    found: IllConditioned,
}

/// What the report says of condition numbers.
#[derive(Debug, Serialize)]
pub(crate) struct IllConditioned {
    #[serde(serialize_with = "as_text")]
    norm: Norm,
    /// The least of a matrix that is neither singular nor not finite, if there is one.
    min: Option<f64>,
    /// What is below it is ill-conditioned.
    limit: f64,
    /// Only these; they are not among the bad ones.
    ill_conditioned: Vec<One>,
}

/// A matrix that is ill-conditioned; with its name, in an archive.
#[derive(Clone, Debug, Serialize)]
struct One {
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    rcond: f64,
}

impl ConditionArgs {
    /// Where condition numbers go, if they are asked for.
    pub(crate) fn path(&self) -> Option<&PathBuf> {
        self.rcond.as_ref()
    }

    /// The norm they are of.
    pub(crate) fn norm(&self) -> Norm {
        self.norm
    }
}

impl<T: Element> ConditionSink<T> {
    /// Of the matrices `a`, if there is an output.
    pub(crate) fn new(args: &ConditionArgs, output: Option<Output>, a: &Input) -> Result<Option<Self>> {
        let Some(output) = output else { return Ok(None) };
        let sink = NpySink::new(output, real_descr::<T>(), &a.shape_of(&[]))?;
        Ok(Some(Self { sink, part: a.part(), found: IllConditioned::new::<T>(args) }))
    }

    /// Writes those of the matrices from number `first` on, which `find` finds in a norm.
    pub(crate) fn take(
        &mut self,
        first: usize,
        find: impl FnOnce(Norm) -> warplu::Result<Conditions<T>>,
    ) -> warplu::Result<()> {
        let found = &mut self.found;
        let conditions = find(found.norm)?;
        self.sink.write(first, &conditions.rcond)?;
        found.add(self.part.first + first, &conditions);
        Ok(())
    }

    pub(crate) fn into_parts(self) -> (Output, IllConditioned) {
        (self.sink.into_output(), self.found)
    }
}

impl IllConditioned {
    /// Of no matrices yet, of arithmetic in the type that T's is in.
    pub(crate) fn new<T: Element>(args: &ConditionArgs) -> Self {
        let limit = args.rcond_limit.unwrap_or_else(|| Conditions::<T>::unit_roundoff().to_f64());
        Self { norm: args.norm, min: None, limit, ill_conditioned: Vec::new() }
    }

    /// Adds matrices from number `first` on.
    pub(crate) fn add<T: Element>(&mut self, first: usize, conditions: &Conditions<T>) {
        for (b, rcond) in conditions.below(Real::from_f64(f64::INFINITY)) {
            let (index, rcond) = (first + b, rcond.to_f64());
            self.min = Some(self.min.map_or(rcond, |min| min.min(rcond)));
            if rcond < self.limit {
                self.ill_conditioned.push(One { index, name: None, rcond });
            }
        }
    }

    /// What all ranks have found together; they call it at the same time. `name` names a matrix of an archive.
    pub(crate) fn of_all_ranks<'a>(mut self, name: impl Fn(usize) -> Option<&'a str>) -> Result<Self> {
        let mins = ranks::gather(self.min.as_slice())?;
        self.min = mins.into_iter().flatten().reduce(f64::min);
        if ranks::size() > 1 {
            let own: Vec<_> = self.ill_conditioned.iter().map(|one| [one.index as u64, one.rcond.to_bits()]).collect();
            let all = ranks::gather(&own)?.into_iter().flatten();
            let one = |[index, bits]: [u64; 2]| One { index: index as usize, name: None, rcond: f64::from_bits(bits) };
            self.ill_conditioned = all.map(one).collect();
        }
        for one in &mut self.ill_conditioned {
            one.name = name(one.index).map(str::to_owned);
        }
        Ok(self)
    }

    /// How many there are, and the worst, which `name` names, in a line; nothing where there is none.
    pub(crate) fn summary(&self, name: impl Fn(usize) -> String) -> Option<String> {
        let worst = self.ill_conditioned.iter().min_by(|a, b| a.rcond.total_cmp(&b.rcond))?;
        let all = count(self.ill_conditioned.len(), "matrix");
        Some(format!(
            "ill-conditioned: {all} with a reciprocal condition number below {:.3e}; the worst is {} with \
             {:.3e}",
            self.limit,
            name(worst.index),
            worst.rcond
        ))
    }
}

/// The descriptor of the real type of the arithmetic.
pub(crate) fn real_descr<T: Element>() -> &'static str {
    if size_of::<RealOf<T>>() == size_of::<f32>() { "<f4" } else { "<f8" }
}

fn as_text<S: Serializer>(norm: &Norm, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(norm)
}

fn parse_limit(text: &str) -> std::result::Result<f64, String> {
    let limit = text.parse().ok().filter(|limit| (0.0..=1.0).contains(limit));
    limit.ok_or_else(|| "give a number from 0 to 1, such as 1e-12".to_owned())
}
