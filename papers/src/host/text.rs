//! Published algorithms as text: `name`, or `name:option=value,option=value`.

use std::fmt;
use std::str::FromStr;

use warplu::{Algorithm, Error, Result};

use super::{Allocation, Columns, Correction, Interchange, Published, Strategy};

/// All with their default options, in the order that messages list them.
const DEFAULTS: [Published; 6] = [
    Published::LEFT_LOOKING,
    Published::RIGHT_LOOKING,
    Published::CORRECTED,
    Published::ELIMINATION,
    Published::ELEMENT_WISE,
    Published::BORDERING,
];

const INTERCHANGES: [(&str, Interchange); 3] =
    [("sequential", Interchange::Sequential), ("grouped", Interchange::Grouped), ("delayed", Interchange::Delayed)];
const CORRECTIONS: [(&str, Correction); 2] = [("timely", Correction::Timely), ("delayed", Correction::Delayed)];
const ALLOCATIONS: [(&str, Allocation); 2] = [("static", Allocation::Static), ("dynamic", Allocation::Dynamic)];
const COLUMNS: [(&str, Columns); 2] = [("swap", Columns::Swap), ("gather", Columns::Gather)];
const STRATEGIES: [(&str, Strategy); 4] = [
    ("rows", Strategy::Rows),
    ("rows-shared", Strategy::RowsShared),
    ("columns", Strategy::Columns),
    ("columns-shared", Strategy::ColumnsShared),
];
const PIVOTING: [(&str, bool); 2] = [("yes", true), ("no", false)];
const LU_WIDTHS: [(&str, u32); 7] = [("8", 8), ("10", 10), ("14", 14), ("16", 16), ("18", 18), ("24", 24), ("32", 32)];
const INVERSE_WIDTHS: [(&str, u32); 6] = [("8", 8), ("14", 14), ("16", 16), ("20", 20), ("24", 24), ("28", 28)];
const THREADS: [(&str, u32); 5] = [("64", 64), ("128", 128), ("256", 256), ("512", 512), ("1024", 1024)];
const TILES: [(&str, Option<u32>); 4] = [("auto", None), ("8", Some(8)), ("16", Some(16)), ("32", Some(32))];
const BLOCKS: [(&str, Option<u32>); 8] = [
    ("auto", None),
    ("1", Some(1)),
    ("32", Some(32)),
    ("64", Some(64)),
    ("96", Some(96)),
    ("128", Some(128)),
    ("192", Some(192)),
    ("256", Some(256)),
];

/// The name of a value.
fn name<V: PartialEq>(values: &[(&'static str, V)], value: &V) -> &'static str {
    values.iter().find(|(_, v)| v == value).map_or("?", |(name, _)| name)
}

impl fmt::Display for Published {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::LeftLooking { nb, interchange } | Self::RightLooking { nb, interchange } => {
                write!(f, ":nb={nb},interchange={}", name(&INTERCHANGES, interchange))
            }
            Self::Corrected { nb, upper, lower, allocation, columns } => {
                let (upper, lower) = (name(&CORRECTIONS, upper), name(&CORRECTIONS, lower));
                let (allocation, columns) = (name(&ALLOCATIONS, allocation), name(&COLUMNS, columns));
                write!(f, ":nb={nb},upper={upper},lower={lower},allocation={allocation},columns={columns}")
            }
            Self::Elimination { strategy, threads, pivoting } => {
                let (strategy, pivoting) = (name(&STRATEGIES, strategy), name(&PIVOTING, pivoting));
                write!(f, ":strategy={strategy},threads={threads},pivoting={pivoting}")
            }
            Self::ElementWise { tile } => write!(f, ":tile={}", name(&TILES, tile)),
            Self::Bordering { block } => write!(f, ":block={}", name(&BLOCKS, block)),
        }
    }
}

impl FromStr for Published {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        let Some(&default) = DEFAULTS.iter().find(|a| a.name() == name) else {
            let names: Vec<_> = DEFAULTS.iter().map(|a| a.name()).collect();
            return Err(Error::UnknownAlgorithm(format!(
                "unknown algorithm {name:?}: use auto, latency, {} or kernel:NAME",
                names.join(", ")
            )));
        };
        options.split(',').filter(|option| !option.is_empty()).try_fold(default, |mut algorithm, option| {
            set(&mut algorithm, option)?;
            Ok(algorithm)
        })
    }
}

/// An algorithm as text: one of warplu's own, or a published one.
///
/// ```
/// assert_eq!(papers::parse("bordering")?.to_string(), "bordering:block=auto");
/// assert_eq!(papers::parse("auto")?, warplu::Algorithm::Auto);
/// # Ok::<(), warplu::Error>(())
/// ```
///
/// # Errors
/// [`Error::UnknownAlgorithm`], with what there is.
pub fn parse(text: &str) -> Result<Algorithm> {
    match text.split(':').next() {
        Some("auto" | "latency" | "kernel") => text.parse(),
        _ => text.parse().map(Published::into),
    }
}

/// Sets an option, `name=value`.
fn set(algorithm: &mut Published, option: &str) -> Result<()> {
    let (key, value) = option.split_once('=').unwrap_or((option, ""));
    let owner = algorithm.name();
    let given = Given { owner, key, value };
    match (algorithm, key) {
        (Published::LeftLooking { nb, .. } | Published::RightLooking { nb, .. }, "nb") => given.pick(&LU_WIDTHS, nb),
        (Published::LeftLooking { interchange, .. }, "interchange") => given.pick(&INTERCHANGES, interchange),
        (Published::RightLooking { interchange, .. }, "interchange") => given.pick(&INTERCHANGES[..2], interchange),
        (Published::Corrected { nb, .. }, "nb") => given.pick(&INVERSE_WIDTHS, nb),
        (Published::Corrected { upper, .. }, "upper") => given.pick(&CORRECTIONS, upper),
        (Published::Corrected { lower, .. }, "lower") => given.pick(&CORRECTIONS, lower),
        (Published::Corrected { allocation, .. }, "allocation") => given.pick(&ALLOCATIONS, allocation),
        (Published::Corrected { columns, .. }, "columns") => given.pick(&COLUMNS, columns),
        (Published::Elimination { strategy, .. }, "strategy") => given.pick(&STRATEGIES, strategy),
        (Published::Elimination { threads, .. }, "threads") => given.pick(&THREADS, threads),
        (Published::Elimination { pivoting, .. }, "pivoting") => given.pick(&PIVOTING, pivoting),
        (Published::ElementWise { tile }, "tile") => given.pick(&TILES, tile),
        (Published::Bordering { block }, "block") => given.pick(&BLOCKS, block),
        (algorithm, _) => Err(Error::UnknownAlgorithm(format!(
            "the algorithm {owner} has no option {key:?}: with all its options it is {algorithm}"
        ))),
    }
}

/// An option as it was given.
struct Given<'a> {
    owner: &'static str,
    key: &'a str,
    value: &'a str,
}

impl Given<'_> {
    /// Sets `place` to the value of that name.
    fn pick<V: Copy>(&self, values: &[(&'static str, V)], place: &mut V) -> Result<()> {
        let Self { owner, key, value } = self;
        let Some((_, found)) = values.iter().find(|(name, _)| name == value) else {
            let names: Vec<_> = values.iter().map(|(name, _)| *name).collect();
            return Err(Error::UnknownAlgorithm(format!(
                "{owner}: {key} cannot be {value:?}: use {}",
                names.join(", ")
            )));
        };
        *place = *found;
        Ok(())
    }
}
