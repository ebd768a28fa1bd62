//! How many packages a user compiles.

use std::collections::BTreeSet;

use super::Number;
use crate::error::Error;
use crate::process;

/// What users build, on the machine that this runs on.
const BUILDS: [(&str, &[&str]); 3] = [
    ("packages of warplu", &["--package", "warplu", "--no-default-features"]),
    ("packages of warplu with cuda", &["--package", "warplu", "--no-default-features", "--features", "cuda"]),
    // The default members of the workspace.
    ("packages of the program", &[]),
];

/// Counts the packages of each, those of the workspace among them.
pub(super) fn numbers() -> Result<Vec<Number>, Error> {
    let number = |(name, flags): (&str, &[&str])| {
        let mut cargo = process::cargo();
        cargo.args(["tree", "--quiet", "--locked", "--edges", "normal,build", "--prefix", "none"]).args(flags);
        Ok(Number::new(name, count(&process::output(&mut cargo)?)))
    };
    BUILDS.into_iter().map(number).collect()
}

/// Counts what differs in name or version.
fn count(tree: &str) -> u64 {
    let package = |line| {
        let mut words = str::split_whitespace(line);
        Some((words.next()?, words.next()?.strip_prefix('v')?))
    };
    tree.lines().filter_map(package).collect::<BTreeSet<_>>().len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_counted_once() {
        let tree = "warplu v0.1.0 (/home/user/host)\nhalf v2.7.1\nlibm v0.2.15\nhalf v2.7.1 (*)\n\n\
                    syn v1.0.1\nsyn v2.0.1\npaste v1.0.15 (proc-macro)\n[build-dependencies]\n";
        assert_eq!(count(tree), 6);
    }
}
