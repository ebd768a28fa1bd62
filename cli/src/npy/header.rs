//! Headers of `.npy` files.

use std::io::{self, Read};

use npyz::{DType, NpyHeader};

/// The longest header, as in NumPy (`max_header_size`).
const LONGEST_HEADER: usize = 10_000;
/// The deepest nesting of brackets in a header: its parser is recursive.
const DEEPEST_HEADER: usize = 32;
/// Digits of a shape whose product is sure to fit 64 bits.
const SHAPE_DIGITS: usize = 19;

/// The types of numbers that a file may hold.
pub(crate) trait Numbers: Copy {
    /// From a file's header, or what is wrong with it and what to do.
    fn from_header(dtype: &DType) -> Result<Self, String>;

    /// Bytes of a number.
    fn size(self) -> usize;
}

/// The header with all that precedes it, or what is wrong with it.
pub(super) fn text(file: &mut impl Read) -> io::Result<std::result::Result<Vec<u8>, String>> {
    let mut head = Vec::new();
    file.by_ref().take(10).read_to_end(&mut head)?;
    if head.is_empty() {
        return Ok(Err("is empty: save the array with numpy.save".to_owned()));
    }
    if head.starts_with(b"PK") {
        return Ok(Err(
            "is an .npz archive: give it as a file, and other inputs as archives, too; or save each of its arrays with \
             numpy.save"
                .to_owned(),
        ));
    }
    if head.len() < 10 || !head.starts_with(b"\x93NUMPY") {
        return Ok(Err("is no .npy file: save the array with numpy.save".to_owned()));
    }
    let mut len = usize::from(u16::from_le_bytes([head[8], head[9]]));
    if head[6] > 1 {
        file.by_ref().take(2).read_to_end(&mut head)?;
        let high = head.get(10..12).map_or(0, |high| usize::from(u16::from_le_bytes([high[0], high[1]])));
        len |= high << 16;
    }
    if len > LONGEST_HEADER {
        return Ok(Err(format!(
            "has a header of {len} bytes, which no plain array has: save the array with numpy.save"
        )));
    }
    let start = head.len();
    file.by_ref().take(len as u64).read_to_end(&mut head)?;
    if head.len() < start + len {
        return Ok(Err("ends within its header: save or copy it again".to_owned()));
    }
    Ok(Ok(head))
}

pub(super) fn parse<D: Numbers>(text: &[u8]) -> std::result::Result<(NpyHeader, D), String> {
    let damaged = |what: &str| format!("has a damaged header ({what}): save the array with numpy.save");
    if deepest(text) > DEEPEST_HEADER {
        return Err(damaged("too many brackets"));
    }
    if digits_of_shape(text) > SHAPE_DIGITS {
        return Err(too_large());
    }
    let header = NpyHeader::from_reader(text).map_err(|e| damaged(&e.to_string().replace('\n', " ")))?;
    let dtype = D::from_header(&header.dtype())?;
    Ok((header, dtype))
}

/// The header of an array that begins here, its type, and its bytes; or what is wrong with it.
pub(crate) fn parsed_header<D: Numbers>(
    file: &mut impl Read,
) -> io::Result<std::result::Result<(NpyHeader, D, u64), String>> {
    let text = match text(file)? {
        Ok(text) => text,
        Err(fault) => return Ok(Err(fault)),
    };
    Ok(parse(&text).map(|(header, dtype)| (header, dtype, text.len() as u64)))
}

fn deepest(text: &[u8]) -> usize {
    let depths = text.iter().scan(0_usize, |depth, byte| {
        match byte {
            b'(' | b'[' | b'{' => *depth += 1,
            b')' | b']' | b'}' => *depth = depth.saturating_sub(1),
            _ => {}
        }
        Some(*depth)
    });
    depths.max().unwrap_or(0)
}

fn digits_of_shape(text: &[u8]) -> usize {
    let start = text.windows(5).position(|word| word == b"shape").unwrap_or(text.len());
    text[start..].iter().take_while(|&&byte| byte != b')').filter(|byte| byte.is_ascii_digit()).count()
}

pub(super) fn too_large() -> String {
    "has a shape that no file can hold: its header is damaged; save the array with numpy.save".to_owned()
}
