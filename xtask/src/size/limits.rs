//! The limits of numbers: a file that is committed, so that what grows is seen in a commit that says why.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use super::Number;
use crate::error::{Error, List};
use crate::process;

/// Per cent of a limit. A number that is not above this much of it asks for a lower one.
const SLACK: u64 = 95;

#[derive(Debug)]
pub(super) struct Limits {
    /// The comment that the file begins with.
    head: String,
    by_name: BTreeMap<String, u64>,
}

/// Names the file of the limits.
fn file() -> PathBuf {
    process::root().join("xtask/limits.toml")
}

impl Limits {
    pub(super) fn read() -> Result<Self, Error> {
        let file = file();
        Self::parse(&fs::read_to_string(&file).map_err(Error::io(&file))?)
    }

    pub(super) fn write(&self) -> Result<(), Error> {
        let file = file();
        fs::write(&file, self.text()).map_err(Error::io(&file))
    }

    fn parse(text: &str) -> Result<Self, Error> {
        let head = text.lines().take_while(|line| line.starts_with('#')).map(|line| format!("{line}\n")).collect();
        let by_name = toml::from_str(text).map_err(|fault| Error::Limits(List(vec![fault.to_string()])))?;
        Ok(Self { head, by_name })
    }

    fn text(&self) -> String {
        self.by_name.iter().fold(self.head.clone(), |mut text, (name, limit)| {
            let _ = writeln!(text, "{name:?} = {limit}");
            text
        })
    }

    /// Fails where a limit is of nothing: it would hold nothing. `unmeasured` names what another run measures.
    pub(super) fn known(&self, numbers: &[Number], unmeasured: &[&str]) -> Result<(), Error> {
        let is_known = |name: &str| unmeasured.contains(&name) || numbers.iter().any(|number| number.name == name);
        let unknown = self.by_name.keys().filter(|name| !is_known(name));
        let faults = unknown.map(|name| format!("{name:?} is the name of nothing that is measured: remove it"));
        List(faults.collect()).none_or(Error::Limits)
    }

    /// Takes numbers for limits where there is none, or a higher one.
    pub(super) fn lower(&mut self, numbers: &[Number]) {
        for Number { name, value } in numbers {
            let limit = self.by_name.entry(name.clone()).or_insert(*value);
            *limit = (*limit).min(*value);
        }
    }

    /// Writes numbers beside their limits, with a hint where these hold nothing any more.
    pub(super) fn table(&self, numbers: &[Number]) -> String {
        let mut text = format!("{:32} {:>10} {:>10}\n", "", "today", "limit");
        for Number { name, value } in numbers {
            let limit = self.by_name.get(name);
            let shown = limit.map_or_else(|| "none".to_owned(), u64::to_string);
            let loose = limit.is_some_and(|limit| value < limit && value * 100 <= limit * SLACK);
            let hint = if loose { "  can be lowered: `cargo xtask size --lower`" } else { "" };
            let _ = writeln!(text, "{name:32} {value:>10} {shown:>10}{hint}");
        }
        text
    }

    /// Fails where a number is above its limit, or has none.
    pub(super) fn hold(&self, numbers: &[Number]) -> Result<(), Error> {
        let with_limits = || numbers.iter().map(|number| (number, self.by_name.get(&number.name)));
        let free = with_limits().filter(|(_, limit)| limit.is_none());
        let free = free.map(|(Number { name, value }, _)| format!("there is no line {name:?} = {value}"));
        List(free.collect()).none_or(Error::NoLimit)?;
        let above = with_limits().filter_map(|(Number { name, value }, limit)| {
            let limit = *limit.filter(|limit| value > limit)?;
            Some(format!("{name}: {value}, which is {} above {limit}", value - limit))
        });
        List(above.collect()).none_or(Error::Above)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Say why.\n\"duplicates\" = 40\n\"lines of host\" = 100\n";

    fn limits() -> Limits {
        Limits::parse(TEXT).unwrap()
    }

    fn numbers(lines: u64, duplicates: u64) -> [Number; 2] {
        [Number::new("lines of host", lines), Number::new("duplicates", duplicates)]
    }

    #[test]
    fn what_is_above_its_limit_is_named() {
        let hold = |lines, duplicates| limits().hold(&numbers(lines, duplicates));
        hold(100, 40).unwrap();
        let said = hold(103, 40).unwrap_err().to_string();
        for part in ["lines of host: 103, which is 3 above 100", "limits.toml", "says why"] {
            assert!(said.contains(part), "{said}");
        }
        assert!(!said.contains("duplicates"), "{said}");
        assert!(hold(1, 41).unwrap_err().to_string().contains("duplicates: 41, which is 1 above 40"));
    }

    #[test]
    fn a_number_without_a_limit_is_named() {
        let [lines, _] = numbers(1, 1);
        limits().hold(&[lines]).unwrap();
        let said = limits().hold(&[Number::new("lines of attic", 7)]).unwrap_err().to_string();
        assert!(said.contains("\"lines of attic\" = 7") && said.contains("--lower"), "{said}");
    }

    #[test]
    fn names_that_nothing_has_are_rejected() {
        limits().known(&numbers(1, 1), &[]).unwrap();
        let [lines, duplicates] = numbers(1, 1);
        limits().known(&[lines], &["duplicates"]).unwrap();
        let said = limits().known(&[duplicates], &[]).unwrap_err().to_string();
        assert!(said.contains("\"lines of host\" is the name of nothing"), "{said}");
        assert!(matches!(Limits::parse("duplicates = \"many\""), Err(Error::Limits(_))));
    }

    #[test]
    fn limits_are_lowered_and_never_raised() {
        let mut lowered = limits();
        let attic = Number::new("lines of attic", 7);
        lowered.lower(&numbers(101, 39).into_iter().chain([attic]).collect::<Vec<_>>());
        assert_eq!(
            lowered.text(),
            TEXT.replace("= 40", "= 39").replace("\"lines of h", "\"lines of attic\" = 7\n\"lines of h")
        );
        assert!(matches!(lowered.hold(&numbers(101, 39)), Err(Error::Above(_))));
    }

    #[test]
    fn a_limit_far_above_asks_to_be_lowered() {
        let table = limits().table(&numbers(95, 39));
        let hints: Vec<_> = table.lines().filter(|line| line.contains("--lower")).collect();
        assert!(hints.len() == 1 && hints[0].starts_with("lines of host"), "{table}");
        assert!(!limits().table(&numbers(96, 39)).contains("--lower"));
    }
}
