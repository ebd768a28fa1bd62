//! Types of elements, as headers of `.npy` files name them.

/// The type of an array's elements.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Descr {
    /// One of NumPy's own, such as `<f8`, and what is told apart of it.
    Plain { text: String, kind: Kind, big_endian: bool },
    /// One of fields with types of their own.
    Structured,
}

/// What elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Real or complex.
    Float,
    /// With or without a sign.
    Integer,
    /// Python's, of any class.
    Object,
    /// Truth values, times, texts and bytes.
    Other,
}

impl Descr {
    /// Takes apart a type string: byte order, letter, size, and for times the unit.
    pub(super) fn plain(text: &[u8]) -> Option<Self> {
        let text = str::from_utf8(text).ok()?;
        let mut chars = text.chars();
        let (order, letter, rest) = (chars.next()?, chars.next()?, chars.as_str());
        let (size, unit) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
        let size = if letter == 'O' { 1 } else { size.parse::<u64>().ok()? };
        let (kind, is_size) = match letter {
            'f' => (Kind::Float, matches!(size, 2 | 4 | 8 | 16)),
            'c' => (Kind::Float, matches!(size, 8 | 16 | 32)),
            'i' | 'u' => (Kind::Integer, matches!(size, 1 | 2 | 4 | 8)),
            'O' => (Kind::Object, true),
            'b' => (Kind::Other, size == 1),
            'm' | 'M' => (Kind::Other, size == 8),
            'S' | 'a' | 'U' | 'V' => (Kind::Other, true),
            _ => return None,
        };
        let is_order = match order {
            '<' | '>' | '=' => true,
            // What has no order of bytes.
            '|' => size == 1 || matches!(letter, 'S' | 'a' | 'V'),
            _ => false,
        };
        let is_unit = unit.is_empty()
            || matches!(letter, 'm' | 'M')
                && unit.strip_prefix('[').and_then(|unit| unit.strip_suffix(']')).is_some_and(is_word);
        (is_size && is_order && is_unit).then(|| Self::Plain { text: text.to_owned(), kind, big_endian: order == '>' })
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_strings() {
        for (text, kind) in [
            ("<f8", Kind::Float),
            (">f4", Kind::Float),
            ("=f2", Kind::Float),
            (">c16", Kind::Float),
            ("|u1", Kind::Integer),
            (">i4", Kind::Integer),
            ("|O", Kind::Object),
            ("|O8", Kind::Object),
            ("|b1", Kind::Other),
            ("|S0", Kind::Other),
            ("<U12", Kind::Other),
            ("|V7", Kind::Other),
            ("<M8[25us]", Kind::Other),
            ("<m8", Kind::Other),
        ] {
            let wanted = Descr::Plain { text: text.to_owned(), kind, big_endian: text.starts_with('>') };
            assert_eq!(Descr::plain(text.as_bytes()), Some(wanted), "{text}");
        }
        for text in [
            "",
            "<",
            "<f",
            "f8",
            "nonsense",
            "!f8",
            "|f8",
            "<f3",
            "<f-8",
            "<f8 ",
            "<f8[s]",
            "<b2",
            "<c4",
            "<M8[",
            "<M8[]",
            "<M8[s]]",
            "<M4[s]",
            "<x8",
            "|U2",
            "|O[s]",
            "<ü8",
            "<S99999999999999999999",
        ] {
            assert_eq!(Descr::plain(text.as_bytes()), None, "{text}");
        }
        assert_eq!(Descr::plain(b"<f\xff"), None);
    }
}
