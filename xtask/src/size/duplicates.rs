//! Pairs of places in the sources that share lines.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};

use super::lines::Source;

/// What two places must share: so many lines that count, one after the other.
const LINES: usize = 6;

/// Where lines begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place<'a> {
    path: &'a str,
    /// From 1.
    line: usize,
}

/// Two places that share lines; what is before and behind these differs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Duplicate<'a> {
    lines: usize,
    places: [Place<'a>; 2],
}

/// The lines that count of all files, with numbers that are equal where lines are.
#[derive(Default)]
struct Sequence<'a> {
    ids: Vec<usize>,
    places: Vec<Place<'a>>,
}

impl<'a> Sequence<'a> {
    fn new(sources: &'a [Source]) -> Self {
        let mut sequence = Self::default();
        let mut known = HashMap::new();
        for Source { path, text } in sources {
            for (line, text) in lines_that_count(text) {
                let id = *known.entry(text).or_insert(sequence.ids.len());
                sequence.push(id, Place { path, line });
            }
            // Like no line at all, so that no run goes on into the next file.
            sequence.push(sequence.ids.len(), Place { path, line: 0 });
        }
        sequence
    }

    fn push(&mut self, id: usize, place: Place<'a>) {
        self.ids.push(id);
        self.places.push(place);
    }

    /// Follows equal lines from two places on, unless they begin before these. The second place begins behind the lines
    /// of the first, so that a text that repeats itself is no copy of itself.
    fn run(&self, first: usize, second: usize) -> Option<Duplicate<'a>> {
        let begins = first == 0 || self.ids[first - 1] != self.ids[second - 1];
        let pairs = self.ids[first..second].iter().zip(&self.ids[second..]);
        let lines = pairs.take_while(|(one, other)| one == other).count();
        let places = [first, second].map(|index| self.places[index]);
        (begins && lines >= LINES).then_some(Duplicate { lines, places })
    }
}

/// Finds all duplicates, the largest first.
pub(super) fn find(sources: &[Source]) -> Vec<Duplicate<'_>> {
    let sequence = Sequence::new(sources);
    let mut windows: HashMap<_, Vec<_>> = HashMap::new();
    for (start, window) in sequence.ids.windows(LINES).enumerate() {
        windows.entry(window).or_default().push(start);
    }
    let mut found = Vec::new();
    for starts in windows.values() {
        for (index, &first) in starts.iter().enumerate() {
            found.extend(starts[index + 1..].iter().filter_map(|&second| sequence.run(first, second)));
        }
    }
    found.sort_by_key(|duplicate| (Reverse(duplicate.lines), duplicate.places));
    found
}

/// Writes a line for each.
pub(super) fn list(duplicates: &[Duplicate<'_>]) -> String {
    duplicates.iter().map(|duplicate| format!("{duplicate}\n")).collect()
}

/// Picks the lines of a text that say something, each with its number: no blank lines, comments, `use` or lone braces,
/// which are alike everywhere.
fn lines_that_count(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut imports = false;
    text.lines().map(str::trim).zip(1..).filter_map(move |(line, number)| {
        if imports || is_use(line) {
            imports = !line.contains(';');
            return None;
        }
        let says = line.contains(|letter| !"{}()[],;".contains(letter)) && !line.starts_with("//");
        says.then_some((number, line))
    })
}

/// Says whether a `use` begins, of whatever visibility.
fn is_use(line: &str) -> bool {
    let public = line.strip_prefix("pub").and_then(|rest| rest.split_once(' '));
    public.map_or(line, |(_, rest)| rest).starts_with("use ")
}

impl Display for Duplicate<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let [first, second] = self.places;
        write!(f, "{} lines: {}:{}, {}:{}", self.lines, first.path, first.line, second.path, second.line)
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::source;
    use super::*;

    /// Makes a text of these lines.
    fn text(lines: impl IntoIterator<Item = usize>) -> String {
        lines.into_iter().map(|line| format!("let line = {line};\n")).collect()
    }

    /// Finds numbers of lines and where they begin, of the duplicates of texts in files `0`, `1`, ...
    fn found(texts: &[String]) -> Vec<(usize, String, String)> {
        let sources: Vec<_> = texts.iter().enumerate().map(|(file, text)| source(&file.to_string(), text)).collect();
        let place = |place: Place<'_>| format!("{}:{}", place.path, place.line);
        find(&sources).iter().map(|found| (found.lines, place(found.places[0]), place(found.places[1]))).collect()
    }

    fn duplicate(lines: usize, first: &str, second: &str) -> (usize, String, String) {
        (lines, first.to_owned(), second.to_owned())
    }

    #[test]
    fn runs_of_six_lines_are_found_and_of_five_are_not() {
        let [head, tail] = [text([100]), text([200])];
        assert_eq!(found(&[text(0..6) + &head, tail.clone() + &text(0..6)]), [duplicate(6, "0:1", "1:2")]);
        assert_eq!(found(&[text(0..5) + &head, tail + &text(0..5)]), []);
    }

    #[test]
    fn a_longer_run_is_one_and_the_largest_is_first() {
        let texts = [text(0..20), text(30..37), text(0..20) + &text(30..37)];
        assert_eq!(found(&texts), [duplicate(20, "0:1", "2:1"), duplicate(7, "1:1", "2:21")]);
    }

    #[test]
    fn runs_that_overlap_are_pairs_of_their_own() {
        // The first and the second have 0..8, the first and the third 4..12, and so 4..8 is in all.
        let texts = [text(0..12), text(0..8), text(4..12)];
        assert_eq!(found(&texts), [duplicate(8, "0:1", "1:1"), duplicate(8, "0:5", "2:1")]);
        let copies = vec![text(0..6); 3];
        assert_eq!(found(&copies).len(), 3, "each of three with each other");
    }

    #[test]
    fn a_text_is_no_copy_of_itself() {
        assert_eq!(found(&[text([0; 11])]), []);
        assert_eq!(found(&[text(0..6) + &text(0..6)]), [duplicate(6, "0:1", "0:7")]);
    }

    #[test]
    fn no_run_goes_on_into_the_next_file() {
        assert_eq!(found(&[text(0..3), text(3..6), text(0..6)]), []);
    }

    #[test]
    fn lines_that_say_nothing_do_not_count() {
        let plain = text(0..6);
        let spread = plain.replace('\n', "\n\n    // Why.\n        }\n    });\n").replace("let", "\t let");
        assert_eq!(found(&[plain, spread]), [duplicate(6, "0:1", "1:1")]);
        let said = |text: &str| lines_that_count(text).map(|(number, _)| number).collect::<Vec<_>>();
        assert_eq!(said("use std::fs;\npub(crate) use a::{\n    b,\n    c,\n};\npub use d;\nfn e() {\n}\n"), [7]);
        assert_eq!(said("use a; // why\nfn b() {}\n/// use\nuser();\npub fn use_it() {}\npublic\n"), [2, 4, 5, 6]);
    }
}
