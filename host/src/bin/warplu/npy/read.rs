//! Reading `.npy` files.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek};
use std::path::{Path, PathBuf};

use npyz::{NpyHeader, Order};
use warplu::Element;

use super::{bytes_of_mut, zeros};
use crate::dtype::Dtype;
use crate::failure::{Failure, Result};

/// The longest header, as in NumPy (`max_header_size`).
const LONGEST_HEADER: usize = 10_000;
/// The deepest nesting of brackets in a header: its parser is recursive.
const DEEPEST_HEADER: usize = 32;
/// Digits of a shape whose product is sure to fit 64 bits.
const SHAPE_DIGITS: usize = 19;
/// The longest axis of an array without elements, whose length no data bears out.
const LONGEST_EMPTY_AXIS: usize = 1 << 24;

/// An open `.npy` file of numbers. Its header has been read and fits the file's length.
#[derive(Debug)]
pub(crate) struct NpyFile {
    pub(crate) path: PathBuf,
    pub(crate) dtype: Dtype,
    pub(crate) shape: Vec<usize>,
    pub(crate) order: Order,
    len: usize,
    file: File,
}

impl NpyFile {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let fault = |fault| Failure::input(path, fault);
        let mut file = File::open(path).map_err(|e| Failure::read(path, e))?;
        let text = header_text(&mut file).map_err(|e| Failure::read(path, e))?.map_err(fault)?;
        let (header, dtype) = parse(&text).map_err(fault)?;
        let shape = header.shape().iter().map(|&axis| usize::try_from(axis).ok()).collect::<Option<Vec<_>>>();
        let len = shape.as_ref().and_then(|s| s.iter().try_fold(1_usize, |len, &axis| len.checked_mul(axis)));
        let bytes = len.and_then(|len| len.checked_mul(dtype.size())).filter(|&bytes| isize::try_from(bytes).is_ok());
        let (Some(shape), Some(len), Some(bytes)) = (shape, len, bytes) else { return Err(fault(too_large())) };
        if len == 0 && shape.iter().any(|&axis| axis > LONGEST_EMPTY_AXIS) {
            return Err(fault(too_large()));
        }

        // Before any memory is taken; of a pipe the length shows only on reading.
        let metadata = file.metadata().map_err(|e| Failure::read(path, e))?;
        if metadata.is_file() {
            let start = file.stream_position().map_err(|e| Failure::read(path, e))?;
            let held = metadata.len().saturating_sub(start);
            if held < bytes as u64 {
                return Err(fault(truncated(bytes, held)));
            }
            if held > bytes as u64 {
                return Err(fault(trailing(held - bytes as u64)));
            }
        }
        Ok(Self { path: path.to_owned(), dtype, shape, order: header.order(), len, file })
    }

    /// The elements, in the file's order; `T` is the file's type.
    pub(crate) fn read<T: Element>(&mut self) -> Result<Vec<T>> {
        let bytes = self.len * size_of::<T>();
        let mut data = zeros(self.len).ok_or_else(|| Failure::Memory { path: self.path.clone(), bytes })?;
        let end = self.file.read_exact(bytes_of_mut(&mut data)).and_then(|()| self.file.read(&mut [0]));
        match end {
            Ok(0) => Ok(data),
            Ok(_) => Err(Failure::input(&self.path, "holds more bytes than its header says: save it again")),
            Err(e) if e.kind() == ErrorKind::UnexpectedEof => {
                Err(Failure::input(&self.path, format!("ends before the {bytes} bytes of its header: save it again")))
            }
            Err(e) => Err(Failure::read(&self.path, e)),
        }
    }
}

/// The header with all that precedes it, or what is wrong with it.
fn header_text(file: &mut impl Read) -> io::Result<std::result::Result<Vec<u8>, String>> {
    let mut head = Vec::new();
    file.by_ref().take(10).read_to_end(&mut head)?;
    if head.is_empty() {
        return Ok(Err("is empty: save the array with numpy.save".to_owned()));
    }
    if head.starts_with(b"PK") {
        return Ok(Err("is an .npz archive: save each of its arrays with numpy.save".to_owned()));
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

fn parse(text: &[u8]) -> std::result::Result<(NpyHeader, Dtype), String> {
    let damaged = |what: &str| format!("has a damaged header ({what}): save the array with numpy.save");
    if deepest(text) > DEEPEST_HEADER {
        return Err(damaged("too many brackets"));
    }
    if digits_of_shape(text) > SHAPE_DIGITS {
        return Err(too_large());
    }
    let header = NpyHeader::from_reader(text).map_err(|e| damaged(&e.to_string().replace('\n', " ")))?;
    let dtype = Dtype::from_header(&header.dtype())?;
    Ok((header, dtype))
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

fn too_large() -> String {
    "has a shape that no file can hold: its header is damaged; save the array with numpy.save".to_owned()
}

fn truncated(bytes: usize, held: u64) -> String {
    format!("is truncated: its header says {bytes} bytes of data, but it holds {held}; save or copy it again")
}

fn trailing(more: u64) -> String {
    format!("holds {more} bytes more than its header says: save the array alone, with numpy.save")
}
