//! That dependencies are what deny.toml allows: their licences, their versions and where they come from. `cargo deny`
//! reads the same file; to build that takes minutes, this a second.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde::Deserialize;

use crate::error::{Error, List};
use crate::process;

/// What is read of deny.toml.
#[derive(Deserialize)]
struct Policy {
    licenses: Licenses,
    bans: Bans,
}

#[derive(Deserialize)]
struct Licenses {
    allow: Vec<String>,
}

#[derive(Deserialize)]
struct Bans {
    skip: Vec<Skip>,
}

/// A version that may be there beside another.
#[derive(Deserialize)]
struct Skip {
    /// Name and version, of which the first numbers are enough: `syn@2`.
    #[serde(rename = "crate")]
    spec: String,
}

/// A package, as `cargo tree` has it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Package<'a> {
    name: &'a str,
    version: &'a str,
    /// Empty where it comes from crates.io.
    source: &'a str,
    license: &'a str,
}

pub(crate) fn run() -> Result<(), Error> {
    let file = process::root().join("deny.toml");
    let text = fs::read_to_string(&file).map_err(Error::io(&file))?;
    let policy: Policy = toml::from_str(&text).map_err(|fault| Error::Policy(fault.to_string()))?;
    let mut cargo = process::cargo();
    cargo.args(["tree", "--quiet", "--locked", "--workspace", "--all-features", "--target", "all"]);
    cargo.args(["--edges", "normal,build,dev", "--prefix", "none", "--format", "{p}|{l}"]);
    let tree = process::output(&mut cargo)?;
    let packages: BTreeSet<_> = tree.lines().filter_map(package).collect();
    List(faults(&policy, &packages)).none_or(Error::Dependencies)?;
    say!("{} packages, as deny.toml allows", packages.len());
    Ok(())
}

/// Asks the database of advisories, which CI cannot reach everywhere.
pub(crate) fn advisories() -> Result<(), Error> {
    if process::output(process::cargo().args(["deny", "--version"])).is_err() {
        return Err(Error::NoCargoDeny);
    }
    process::run(process::cargo().args(["deny", "check", "advisories"]))
}

/// A package of a line such as `serde_derive v1.0.2 (proc-macro)|MIT (*)`, if it is not of this workspace.
fn package(line: &str) -> Option<Package<'_>> {
    let (package, license) = line.split_once('|')?;
    let mut words = package.split_whitespace();
    let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
    let source = words.map(|word| word.trim_matches(['(', ')'])).find(|&word| word != "proc-macro").unwrap_or("");
    let own = source.starts_with(&*process::root().to_string_lossy());
    let license = license.strip_suffix("(*)").unwrap_or(license).trim();
    (!own).then_some(Package { name, version, source, license })
}

/// What is not as it should be, a line each.
fn faults(policy: &Policy, packages: &BTreeSet<Package<'_>>) -> Vec<String> {
    let mut faults = Vec::new();
    for Package { name, version, source, license } in packages {
        if !allowed(license, &policy.licenses.allow) {
            faults.push(format!("{name} {version} has the licence {license:?}, which is not on the list"));
        }
        if !source.is_empty() {
            faults.push(format!("{name} {version} comes from {source}, not from crates.io"));
        }
    }
    let skipped = |package: &Package<'_>| policy.bans.skip.iter().any(|skip| skip.is(package));
    let mut versions: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for package in packages.iter().filter(|package| !skipped(package)) {
        versions.entry(package.name).or_default().push(package.version);
    }
    let several = versions.iter().filter(|(_, versions)| versions.len() > 1);
    faults.extend(several.map(|(name, versions)| {
        format!("{name} is there as {}: update who asks for the older, or skip it with a reason", versions.join(", "))
    }));
    let unused = policy.bans.skip.iter().filter(|skip| !packages.iter().any(|package| skip.is(package)));
    faults.extend(unused.map(|skip| format!("{} is skipped, and is not there: remove it from the list", skip.spec)));
    faults
}

impl Skip {
    fn is(&self, package: &Package<'_>) -> bool {
        let (name, version) = self.spec.split_once('@').unwrap_or((&self.spec, ""));
        let mut numbers = package.version.split('.');
        name == package.name && version.split_terminator('.').all(|number| numbers.next() == Some(number))
    }
}

/// Whether one may choose only licences of the list. An older spelling has `/` for OR.
fn allowed(expression: &str, list: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    any(&mut words, list) && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

/// One or more alternatives.
fn any(words: &mut Words<'_>, list: &[String]) -> bool {
    let mut is = all(words, list);
    while words.next_if_eq(&"OR").is_some() {
        is |= all(words, list);
    }
    is
}

/// One or more licences that hold together.
fn all(words: &mut Words<'_>, list: &[String]) -> bool {
    let mut is = one(words, list);
    while words.next_if_eq(&"AND").is_some() {
        is &= one(words, list);
    }
    is
}

/// A licence, with its exception if it has one, or an expression in brackets.
fn one(words: &mut Words<'_>, list: &[String]) -> bool {
    if words.next_if_eq(&"(").is_some() {
        let is = any(words, list);
        return words.next_if_eq(&")").is_some() && is;
    }
    let mut license = words.next().unwrap_or("").to_owned();
    if words.next_if_eq(&"WITH").is_some() {
        license = format!("{license} WITH {}", words.next().unwrap_or(""));
    }
    list.contains(&license)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(allow: &[&str], skip: &[&str]) -> Policy {
        let skip = skip.iter().map(|&spec| Skip { spec: spec.to_owned() }).collect();
        Policy {
            licenses: Licenses { allow: allow.iter().map(|&name| name.to_owned()).collect() },
            bans: Bans { skip },
        }
    }

    #[test]
    fn licences_are_expressions() {
        let list = ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
        for expression in [
            "MIT",
            "GPL-3.0-only OR MIT",
            "MIT/Apache-2.0",
            "Apache-2.0 / MIT",
            "Apache-2.0 WITH LLVM-exception",
            "(MIT OR Apache-2.0) AND Zlib",
            "GPL-3.0-only AND MIT OR Zlib",
        ] {
            assert!(allowed(expression, &list), "{expression}");
        }
        for expression in
            ["", "Apache-2.0", "MIT AND GPL-3.0-only", "(MIT", "MIT)", "MIT Zlib", "MIT WITH LLVM-exception", "MIT AND"]
        {
            assert!(!allowed(expression, &list), "{expression}");
        }
    }

    #[test]
    fn packages_are_lines_of_the_tree() {
        let of = |name, version, source, license| Some(Package { name, version, source, license });
        assert_eq!(package("half v2.7.1|MIT OR Apache-2.0 (*)"), of("half", "2.7.1", "", "MIT OR Apache-2.0"));
        assert_eq!(package("paste v1.0.15 (proc-macro)|MIT"), of("paste", "1.0.15", "", "MIT"));
        let source = "https://example.org/cust?rev=1#12345678";
        assert_eq!(package(&format!("cust v0.4.0 ({source})|MIT")), of("cust", "0.4.0", source, "MIT"));
        assert_eq!(package(&format!("xtask v0.1.0 ({})|MIT", process::root().join("xtask").display())), None);
        assert_eq!(package(""), None);
    }

    #[test]
    fn what_the_policy_does_not_allow_is_named() {
        let lines = ["a v1.0.0|GPL-3.0-only", "b v1.2.0|MIT", "b v2.0.0|MIT", "c v0.1.0 (https://example.org/c)|MIT"];
        let packages: BTreeSet<_> = lines.iter().filter_map(|line| package(line)).collect();
        let found = faults(&policy(&["MIT"], &["b@3"]), &packages).join("\n");
        for part in ["a 1.0.0 has the licence", "b is there as 1.2.0, 2.0.0", "c 0.1.0 comes from", "b@3 is skipped"] {
            assert!(found.contains(part), "{found}");
        }
        assert!(faults(&policy(&["MIT", "GPL-3.0-only"], &["b@1", "c@0.1"]), &packages).len() == 1, "the source of c");
    }

    #[test]
    fn versions_are_skipped_by_their_first_numbers() {
        let lines = ["b v1.2.0|MIT", "b v12.0.0|MIT"];
        let packages: Vec<_> = lines.iter().filter_map(|line| package(line)).collect();
        let is =
            |spec: &str| packages.iter().map(|package| Skip { spec: spec.to_owned() }.is(package)).collect::<Vec<_>>();
        assert_eq!(is("b@1"), [true, false]);
        assert_eq!(is("b@1.2.0"), [true, false]);
        assert_eq!(is("b@1.3"), [false, false]);
        assert_eq!(is("b"), [true, true]);
        assert_eq!(is("a@1"), [false, false]);
    }
}
