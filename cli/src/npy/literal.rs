//! The text of a header: a dictionary as Python writes it, of three keys.

use super::descr::Descr;
use super::header::{damaged, too_large};

/// What a header says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) descr: Descr,
    /// Whether the first index is the fastest.
    pub(crate) fortran: bool,
    pub(crate) shape: Vec<usize>,
}

/// Reads a header, or says what is wrong with it.
pub(super) fn parse(text: &[u8]) -> Result<Header, String> {
    let mut text = Scanner { rest: text };
    let (mut descr, mut fortran, mut shape) = (None, None, None);
    if !text.takes("{") {
        return Err(damaged("expected a python dict literal"));
    }
    while !text.takes("}") {
        let key = text.string().ok_or_else(|| damaged("key is not string"))?;
        if !text.takes(":") {
            return Err(damaged("a key without a value"));
        }
        let is_new = match key {
            b"descr" => descr.replace(text.descr()?).is_none(),
            b"fortran_order" => fortran.replace(text.truth()?).is_none(),
            b"shape" => shape.replace(text.shape()?).is_none(),
            _ => return Err(damaged("an unknown key")),
        };
        if !is_new {
            return Err(damaged("a key that is there twice"));
        }
        if !text.takes(",") && !text.precedes("}") {
            return Err(damaged("no comma after a value"));
        }
    }
    if !text.rest.trim_ascii().is_empty() {
        return Err(damaged("more than a dict"));
    }
    let missing = |key| move || damaged(&format!("dict is missing key '{key}'"));
    let fortran = fortran.ok_or_else(missing("fortran_order"))?;
    let shape = shape.ok_or_else(missing("shape"))?;
    Ok(Header { descr: descr.ok_or_else(missing("descr"))?, fortran, shape })
}

/// What has not been read yet.
struct Scanner<'a> {
    rest: &'a [u8],
}

impl<'a> Scanner<'a> {
    /// Skips white space, and tells whether `token` comes next.
    fn precedes(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_ascii_start();
        self.rest.starts_with(token.as_bytes())
    }

    /// Skips white space and then `token`, if it comes next.
    fn takes(&mut self, token: &str) -> bool {
        let found = self.precedes(token);
        if found {
            self.rest = &self.rest[token.len()..];
        }
        found
    }

    /// Reads a string between quotes of either kind. What is escaped in it stays so.
    fn string(&mut self) -> Option<&'a [u8]> {
        self.rest = self.rest.trim_ascii_start();
        let (quote @ (b'\'' | b'"'), text) = self.rest.split_first()? else { return None };
        let mut escaped = false;
        let end = text.iter().position(|byte| {
            let is_end = byte == quote && !escaped;
            escaped = *byte == b'\\' && !escaped;
            is_end
        })?;
        self.rest = &text[end + 1..];
        Some(&text[..end])
    }

    fn truth(&mut self) -> Result<bool, String> {
        match self.takes("True") {
            true => Ok(true),
            false if self.takes("False") => Ok(false),
            false => Err(damaged("'fortran_order' value is not a bool")),
        }
    }

    /// Reads a type string, or skips the list of a structured type.
    fn descr(&mut self) -> Result<Descr, String> {
        if let Some(text) = self.string() {
            return Descr::plain(text).ok_or_else(|| damaged("invalid type string"));
        }
        if !self.takes("[") {
            return Err(damaged("'descr' must be string or list"));
        }
        let mut depth = 1_usize;
        while depth > 0 {
            // In strings, brackets are letters.
            if self.string().is_some() {
                continue;
            }
            match self.rest.split_off_first() {
                Some(b'[' | b'(') => depth += 1,
                Some(b']' | b')') => depth -= 1,
                Some(b'\'' | b'"') | None => return Err(damaged("a list without an end")),
                Some(_) => {}
            }
        }
        Ok(Descr::Structured)
    }

    fn shape(&mut self) -> Result<Vec<usize>, String> {
        if !self.takes("(") {
            return Err(damaged("shape must be tuple"));
        }
        let mut shape = Vec::new();
        while !self.takes(")") {
            shape.push(self.axis()?);
            // With one element the comma makes the tuple.
            if !self.takes(",") && (shape.len() == 1 || !self.precedes(")")) {
                return Err(damaged("no comma after a dimension"));
            }
        }
        Ok(shape)
    }

    fn axis(&mut self) -> Result<usize, String> {
        if self.takes("-") {
            return Err(damaged("dimension cannot be negative"));
        }
        let len = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.rest.split_at(len);
        // What begins with zero is octal in Python 2, which ends its long integers with L, and nothing in Python 3.
        if digits.is_empty() || digits.len() > 1 && digits[0] == b'0' {
            return Err(damaged("dimension must be an integer"));
        }
        self.rest = rest.strip_prefix(b"L").unwrap_or(rest);
        let append = |axis: usize, digit: &u8| axis.checked_mul(10)?.checked_add(usize::from(digit - b'0'));
        digits.iter().try_fold(0, append).ok_or_else(too_large)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::Dtype;
    use crate::npy::{header, parsed_header};

    fn parsed(text: &str) -> Result<(Descr, bool, Vec<usize>), String> {
        parse(text.as_bytes()).map(|Header { descr, fortran, shape }| (descr, fortran, shape))
    }

    #[test]
    fn whatever_python_writes_is_read() {
        let f8 = || Descr::plain(b"<f8").unwrap();
        for (text, wanted) in [
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (), }    \n", (f8(), false, vec![])),
            ("{'descr': '<f8', 'fortran_order': True, 'shape': (3,), }\n", (f8(), true, vec![3])),
            ("{'shape': (3, 4), 'fortran_order': False, 'descr': '<f8'}", (f8(), false, vec![3, 4])),
            (" { \"descr\" :\"<f8\",\n'fortran_order':False,'shape':( 3 ,4,0 , ) , } ", (f8(), false, vec![3, 4, 0])),
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (3L, 10L), }\n", (f8(), false, vec![3, 10])),
            (
                "{'descr': [('a]', '<f4', (2,)), (\"it's\\\"\", [('(', '|O')])], 'fortran_order': False, 'shape': (1,), }",
                (Descr::Structured, false, vec![1]),
            ),
        ] {
            assert_eq!(parsed(text), Ok(wanted), "{text}");
        }
        let largest = usize::MAX;
        let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({largest}, {largest}), }}");
        assert_eq!(parsed(&text), Ok((f8(), false, vec![largest; 2])));
    }

    #[test]
    fn what_is_damaged_is_named() {
        let with = |descr: &str, order: &str, shape: &str| {
            format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n")
        };
        let shape = |shape: &str| with("'<f8'", "False", shape);
        let descr = |descr: &str| with(descr, "False", "(2,)");
        for (text, word) in [
            (String::new(), "dict"),
            ("[1, 2]".to_owned(), "dict"),
            ("(".repeat(9000), "dict"),
            ("{}".to_owned(), "missing key"),
            ("{'descr': '<f8', 'shape': (2,)}".to_owned(), "missing key 'fortran_order'"),
            ("{'descr': '<f8', 'fortran_order': False}".to_owned(), "missing key 'shape'"),
            ("{'fortran_order': False, 'shape': (2,)}".to_owned(), "missing key 'descr'"),
            ("{,}".to_owned(), "key is not string"),
            ("{3: 4}".to_owned(), "key is not string"),
            ("{'shape' (2,)}".to_owned(), "without a value"),
            ("{'shape': (2,) 'descr': '<f8'}".to_owned(), "no comma"),
            ("{'shape': (2,), 'shape': (2,)}".to_owned(), "twice"),
            ("{'shapes': (2,)}".to_owned(), "unknown key"),
            (shape("(2,)") + "}", "more than"),
            (with("'<f8'", "3", "(2,)"), "bool"),
            (with("'<f8'", "Falsehood", "(2,)"), "no comma"),
            (descr("'nonsense'"), "type string"),
            (descr("('<f8', (2,))"), "string or list"),
            (descr("["), "list without an end"),
            (descr(&"[(".repeat(4000)), "list without an end"),
            (descr("[('a, '<f8')]"), "list without an end"),
            (descr("'<f8\\'"), "type string"),
            (shape("[2]"), "tuple"),
            (shape("2"), "tuple"),
            (shape("(2)"), "no comma"),
            (shape("(2 3)"), "no comma"),
            (shape("(2, 3.5)"), "no comma"),
            (shape("(,)"), "integer"),
            (shape("(2,,3)"), "integer"),
            (shape("(True,)"), "integer"),
            (shape("(02,)"), "integer"),
            (shape("(L,)"), "integer"),
            (shape("(-1, 1)"), "negative"),
            (shape("(2, 3, "), "integer"),
        ] {
            let fault = parsed(&text).unwrap_err();
            assert!(fault.starts_with("has a damaged header (") && fault.contains(word), "{text}: {fault}");
        }
        for axis in ["99999999999999999999", &"9".repeat(9000)] {
            assert_eq!(parsed(&shape(&format!("({axis}, 1)"))), Err(too_large()));
        }
    }

    /// Nothing panics; what is accepted all the same is what another reader takes it for.
    #[test]
    fn broken_headers_are_refused_or_read_as_they_are() {
        let whole = header("<f8", &[12, 345, 6]);
        for len in 0..whole.len() {
            assert!(parsed_header::<Dtype>(&mut &whole[..len]).unwrap().is_err(), "{len} bytes");
            let _ = parse(&whole[10..len.max(10)]);
        }
        let mut accepted = 0;
        for at in 0..whole.len() {
            for byte in (0..=u8::MAX).filter(|&byte| byte != whole[at]) {
                let mut bytes = whole.clone();
                bytes[at] = byte;
                let Ok((header, dtype, start)) = parsed_header::<Dtype>(&mut &bytes[..]).unwrap() else { continue };
                accepted += 1;
                assert!(start <= 128);
                // The other reader knows neither Python 2 nor line breaks.
                if byte == b'L' || byte.is_ascii_whitespace() {
                    continue;
                }
                let other = npyz::NpyHeader::from_reader(&bytes[..]).unwrap_or_else(|e| panic!("{at}: {byte}: {e}"));
                assert!(header.shape.iter().map(|&axis| axis as u64).eq(other.shape().iter().copied()), "{at}: {byte}");
                assert_eq!(header.fortran, other.order() == npyz::Order::Fortran);
                assert_eq!(format!("'{}'", dtype.descr()), other.dtype().descr());
            }
        }
        // At least the digits of the shape may change: six, of which three come first, to nine or eight others.
        assert!(accepted >= 3 * 9 + 3 * 8, "{accepted}");
    }
}
