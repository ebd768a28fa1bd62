//! Orders as they are named on the command line.

use std::ops::RangeInclusive;
use std::str::FromStr;

/// `33`, `33..190` (with both ends), or `33..190:8` (every eighth, from the first on).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Orders {
    range: RangeInclusive<u32>,
    step: u32,
}

impl Orders {
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        self.range.clone().step_by(self.step as usize).map(|n| n as usize)
    }
}

impl FromStr for Orders {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| match part.parse::<u32>() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(format!("{part:?} is no positive number: give orders such as 64, 33..190 or 33..190:8")),
        };
        let (range, step) = match text.split_once(':') {
            Some((range, step)) if range.contains("..") => (range, number(step)?),
            Some(_) => return Err("a step needs a range, such as 33..190:8".to_owned()),
            None => (text, 1),
        };
        let (first, last) = match range.split_once("..") {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(range)?, number(range)?),
        };
        if first > last {
            return Err(format!("a range begins with its smaller end: {last}..{first}"));
        }
        Ok(Self { range: first..=last, step })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orders(text: &str) -> Vec<usize> {
        text.parse::<Orders>().unwrap().iter().collect()
    }

    #[test]
    fn numbers_and_ranges() {
        assert_eq!(orders("7"), [7]);
        assert_eq!(orders("33..36"), [33, 34, 35, 36]);
        assert_eq!(orders("5..5"), [5]);
        assert_eq!(orders("33..50:8"), [33, 41, 49]);
        assert_eq!(orders("1..4:100"), [1]);
        assert_eq!("4294967295".parse::<Orders>().unwrap().iter().next(), Some(4_294_967_295));
    }

    #[test]
    fn what_is_none_is_named() {
        for (text, word) in [
            ("", "no positive number"),
            ("x", "\"x\""),
            ("0", "no positive number"),
            ("0..4", "no positive number"),
            ("-3", "\"-3\""),
            ("3..", "no positive number"),
            ("..3", "no positive number"),
            ("3...5", "\".5\""),
            ("9..3", "3..9"),
            ("3..9:0", "no positive number"),
            ("3:9", "needs a range"),
            ("4294967296", "no positive number"),
        ] {
            let message = text.parse::<Orders>().unwrap_err();
            assert!(message.contains(word), "{text:?}: {message}");
        }
    }
}
