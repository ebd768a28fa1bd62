//! Which algorithm a call uses: warplu's own choice, one of its kernels, or one of another crate.

use std::fmt;
use std::str::FromStr;

use kernels_gpu::entry::{Entry, Family};
use kernels_gpu::table;

use crate::choice;
use crate::error::{Error, Result};
use crate::extend::Other;

/// The algorithm of the calls and plans that a [`Device`](crate::Device) makes; see
/// [`Device::with`](crate::Device::with).
///
/// As text, for example on the command line: `auto`, `latency` or `kernel:NAME`. Algorithms of other crates, such as the
/// published ones, have names and options of their own.
///
/// ```
/// use warplu::Algorithm;
/// let algorithm: Algorithm = "kernel:getrf_global".parse()?;
/// assert_eq!(algorithm, Algorithm::Kernel("getrf_global"));
/// assert_eq!(Algorithm::Auto.to_string(), "auto");
/// # Ok::<(), warplu::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// warplu's choice by operation, type and order.
    #[default]
    Auto,
    /// warplu's choice for one matrix or few: kernels that have a matrix done soonest, where [`Auto`](Self::Auto) takes
    /// those that do most matrices in a given time. It is a choice of the caller's, since results are as accurate but
    /// not the same bits, and those of a matrix are not to depend on how many there are. On the CPU it is `Auto`.
    Latency,
    /// One of warplu's own kernels, whatever [`Auto`](Self::Auto) would choose: to measure it, and to tune the choice.
    /// It does the step that it is for, LU, solution or inverse from factors, or the solution or the inverse at once;
    /// other steps of a call are as for [`Auto`](Self::Auto). The name is without its type: `getrf_global`.
    Kernel(&'static str),
    /// An algorithm of another crate.
    Other(Other),
}

impl Algorithm {
    /// Whether rows are interchanged, so that a matrix is found singular only if it is: unless a
    /// [`Pivoting`](crate::Pivoting) says otherwise.
    ///
    /// ```
    /// use warplu::Algorithm;
    ///
    /// assert!(Algorithm::Auto.pivots());
    /// assert!(!Algorithm::Kernel("getrf_nopiv_global").pivots());
    /// ```
    #[must_use]
    pub fn pivots(self) -> bool {
        match self {
            Self::Auto | Self::Latency => true,
            Self::Kernel(name) => choice::family(name) != Some(Family::GetrfNopiv),
            Self::Other(other) => other.extension().pivots(),
        }
    }

    /// Whether warplu chooses the kernels.
    pub(crate) const fn chooses(self) -> bool {
        matches!(self, Self::Auto | Self::Latency)
    }

    /// The name, without options.
    ///
    /// ```
    /// assert_eq!(warplu::Algorithm::Kernel("getrf_global").name(), "kernel");
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Latency => "latency",
            Self::Kernel(_) => "kernel",
            Self::Other(other) => other.extension().name(),
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto | Self::Latency => f.write_str(self.name()),
            Self::Kernel(name) => write!(f, "{}:{name}", self.name()),
            Self::Other(other) => write!(f, "{}", other.extension()),
        }
    }
}

impl FromStr for Algorithm {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        match name {
            "auto" if options.is_empty() => Ok(Self::Auto),
            "latency" if options.is_empty() => Ok(Self::Latency),
            "auto" | "latency" => {
                Err(Error::UnknownAlgorithm(format!("the algorithm {name} has no options: {options:?}")))
            }
            "kernel" => {
                let found = table::entries().map(Entry::base_name).find(|name| *name == options);
                found.map(Self::Kernel).ok_or_else(|| {
                    Error::UnknownAlgorithm(format!("no kernel is called {options:?}: `warplu info` lists them"))
                })
            }
            _ => Err(Error::UnknownAlgorithm(format!(
                "unknown algorithm {name:?}: use auto, latency or kernel:NAME; the published algorithms are in programs \
                 built with --features papers"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn algorithms_are_their_text() {
        for algorithm in [Algorithm::Auto, Algorithm::Latency, Algorithm::Kernel("getrf_global")] {
            assert_eq!(algorithm.to_string().parse::<Algorithm>().unwrap(), algorithm);
        }
    }

    #[test]
    fn faults_are_named_with_their_remedy() {
        let message = |text: &str| text.parse::<Algorithm>().unwrap_err().to_string();
        assert!(message("kernel:getrf_global_f32").contains("warplu info"));
        assert!(message("auto:nb=8").contains("no options"));
        assert!(message("gauss").contains("unknown algorithm \"gauss\": use auto"));
    }
}
