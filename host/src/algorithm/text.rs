//! Algorithms as text: `name`, or `name:option=value,option=value`; a kernel is `kernel:name`.

use std::fmt;
use std::str::FromStr;

use kernels_gpu::entry::Entry;
use kernels_gpu::table::ENTRIES;

use super::{Algorithm, Allocation, Columns, Correction, Interchange, Strategy};
use crate::error::{Error, Result};

/// All algorithms with their default options, in the order that messages list them.
const DEFAULTS: [Algorithm; 7] = [
    Algorithm::Auto,
    Algorithm::LEFT_LOOKING,
    Algorithm::RIGHT_LOOKING,
    Algorithm::CORRECTED,
    Algorithm::ELIMINATION,
    Algorithm::ELEMENT_WISE,
    Algorithm::BORDERING,
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

/// The name of a value.
fn name<V: PartialEq>(values: &[(&'static str, V)], value: &V) -> &'static str {
    values.iter().find(|(_, v)| v == value).map_or("?", |(name, _)| name)
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::Auto | Self::Bordering => Ok(()),
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
            Self::Kernel(name) => write!(f, ":{name}"),
        }
    }
}

impl FromStr for Algorithm {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (given, options) = text.split_once(':').unwrap_or((text, ""));
        if given == Self::Kernel("").name() {
            let found = ENTRIES.iter().map(Entry::base_name).find(|name| *name == options);
            return found.map(Self::Kernel).ok_or_else(|| {
                Error::UnknownAlgorithm(format!("no kernel is called {options:?}: `warplu info` lists them"))
            });
        }
        let Some(&default) = DEFAULTS.iter().find(|a| a.name() == given) else {
            let names: Vec<_> = DEFAULTS.iter().map(|a| a.name()).collect();
            return Err(Error::UnknownAlgorithm(format!(
                "unknown algorithm {given:?}: use {} or kernel:NAME",
                names.join(", ")
            )));
        };
        options.split(',').filter(|option| !option.is_empty()).try_fold(default, |mut algorithm, option| {
            set(&mut algorithm, option)?;
            Ok(algorithm)
        })
    }
}

/// Sets an option, `name=value`.
fn set(algorithm: &mut Algorithm, option: &str) -> Result<()> {
    let (key, value) = option.split_once('=').unwrap_or((option, ""));
    let owner = algorithm.name();
    let given = Given { owner, key, value };
    match (algorithm, key) {
        (Algorithm::LeftLooking { nb, .. } | Algorithm::RightLooking { nb, .. }, "nb") => given.pick(&LU_WIDTHS, nb),
        (Algorithm::LeftLooking { interchange, .. }, "interchange") => given.pick(&INTERCHANGES, interchange),
        (Algorithm::RightLooking { interchange, .. }, "interchange") => given.pick(&INTERCHANGES[..2], interchange),
        (Algorithm::Corrected { nb, .. }, "nb") => given.pick(&INVERSE_WIDTHS, nb),
        (Algorithm::Corrected { upper, .. }, "upper") => given.pick(&CORRECTIONS, upper),
        (Algorithm::Corrected { lower, .. }, "lower") => given.pick(&CORRECTIONS, lower),
        (Algorithm::Corrected { allocation, .. }, "allocation") => given.pick(&ALLOCATIONS, allocation),
        (Algorithm::Corrected { columns, .. }, "columns") => given.pick(&COLUMNS, columns),
        (Algorithm::Elimination { strategy, .. }, "strategy") => given.pick(&STRATEGIES, strategy),
        (Algorithm::Elimination { threads, .. }, "threads") => given.pick(&THREADS, threads),
        (Algorithm::Elimination { pivoting, .. }, "pivoting") => given.pick(&PIVOTING, pivoting),
        (Algorithm::ElementWise { tile }, "tile") => given.pick(&TILES, tile),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_is_its_text() {
        assert_eq!("kernel:lu_small8".parse::<Algorithm>().unwrap(), Algorithm::Kernel("lu_small8"));
        for algorithm in DEFAULTS.into_iter().chain([Algorithm::Kernel("solve_block")]) {
            assert_eq!(algorithm.to_string().parse::<Algorithm>().unwrap(), algorithm);
        }
        for algorithm in DEFAULTS {
            assert_eq!(algorithm.name().parse::<Algorithm>().unwrap(), algorithm);
        }
    }

    #[test]
    fn options_are_set() {
        let parsed: Algorithm = "elimination:strategy=rows-shared,pivoting=no,threads=64".parse().unwrap();
        assert_eq!(parsed, Algorithm::Elimination { strategy: Strategy::RowsShared, threads: 64, pivoting: false });
    }

    #[test]
    fn faults_are_named_with_their_remedy() {
        let message = |text: &str| text.parse::<Algorithm>().unwrap_err().to_string();
        assert!(message("gauss").contains("elimination"));
        assert!(message("left-looking:nb=9").contains("nb cannot be \"9\": use 8, 10"));
        assert!(message("right-looking:interchange=delayed").contains("use sequential, grouped"));
        assert!(message("kernel:lu_small8_f32").contains("warplu info"));
        assert!(message("bordering:nb=8").contains("no option \"nb\""));
    }
}
