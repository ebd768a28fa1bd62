//! Lines that are printed.

use std::fmt::Display;
use std::io::{self, Write};

/// A line on stdout; where nobody reads it, so be it.
pub(crate) fn say(line: impl Display) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// A line on stderr, likewise.
pub(crate) fn tell(line: impl Display) {
    let _ = writeln!(io::stderr(), "warplu-bench: {line}");
}
