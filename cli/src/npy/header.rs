//! Headers of `.npy` files.

use std::io::{self, Read};

use super::descr::Descr;
use super::literal::{self, Header};

/// The longest header, as in NumPy (`max_header_size`).
const LONGEST_HEADER: usize = 10_000;

/// The types of numbers that a file may hold.
pub(crate) trait Numbers: Copy {
    /// From a file's header, or what is wrong with it and what to do.
    fn from_header(descr: &Descr) -> Result<Self, String>;

    /// Bytes of a number.
    fn size(self) -> usize;
}

/// Reads the header of an array that begins here: what it says, its type, and its bytes; or what is wrong with it.
pub(crate) fn parsed_header<D: Numbers>(file: &mut impl Read) -> io::Result<Result<(Header, D, u64), String>> {
    Ok(text(file)?.and_then(|(text, bytes)| {
        let header = literal::parse(&text)?;
        let dtype = D::from_header(&header.descr)?;
        Ok((header, dtype, bytes))
    }))
}

/// Reads the text of a header, and counts its bytes with all that precedes it; or says what is wrong with it.
fn text(file: &mut impl Read) -> io::Result<Result<(Vec<u8>, u64), String>> {
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
    let (major, minor) = (head[6], head[7]);
    if !(1..=3).contains(&major) || minor != 0 {
        return Ok(Err(damaged(&format!("unsupported version: ({major}, {minor})"))));
    }
    let mut len = usize::from(u16::from_le_bytes([head[8], head[9]]));
    if major > 1 {
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
    let bytes = head.len() as u64;
    Ok(Ok((head.split_off(start), bytes)))
}

pub(super) fn damaged(what: &str) -> String {
    format!("has a damaged header ({what}): save the array with numpy.save")
}

pub(super) fn too_large() -> String {
    "has a shape that no file can hold: its header is damaged; save the array with numpy.save".to_owned()
}
