//! Archives as they are written: uncompressed, as by `numpy.savez`.

use std::io::{self, Write};

use warplu::Pod;
use warplu::{Conditions, Element, RealOf};
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

use crate::conditions::{ConditionArgs, IllConditioned, real_descr};
use crate::failure::Result;
use crate::memory::bytes_of;
use crate::npy::header;
use crate::output::Output;
use crate::ranks::{self, Part};

/// Bytes from which on an array's length takes more than 32 bits, with all that precedes it.
const LARGE: usize = u32::MAX as usize - (1 << 16);

/// Writes an archive of arrays of these names and shapes; `array` has the numbers of each of this rank's, in C order.
/// All ranks call it at the same time, and the first writes.
pub(crate) fn write<T: Pod>(
    output: &Output,
    descr: &str,
    arrays: impl Iterator<Item = (String, Vec<usize>)>,
    mut array: impl FnMut(usize) -> io::Result<Vec<T>>,
) -> Result<()> {
    let (part, arrays) = (output.part(), arrays.collect::<Vec<_>>());
    let len = |(_, shape): &(String, Vec<usize>)| shape.iter().product::<usize>();
    let mut others = Vec::new();
    if ranks::size() > 1 {
        // The first has its own at hand.
        let own = if ranks::is_first() { 0..0 } else { 0..part.count };
        let own = own.map(&mut array).collect::<io::Result<Vec<_>>>().map_err(|e| output.failure(e))?.concat();
        others = ranks::collect(own, arrays[part.range().end..].iter().map(len).sum())?;
        if !ranks::is_first() {
            return Ok(());
        }
    }
    let mut others = &others[..];
    output.write(|out| {
        let mut zip = ZipWriter::new_stream(out);
        for (b, one) in arrays.iter().enumerate() {
            let (name, shape) = one;
            let head = header(descr, shape);
            if b < part.count {
                entry(&mut zip, name, &head, &array(b)?)?;
            } else {
                let numbers;
                (numbers, others) = others.split_at(len(one));
                entry(&mut zip, name, &head, numbers)?;
            }
        }
        zip.finish()?;
        Ok(())
    })
}

/// Writes an archive of one number a matrix, of the real type of the arithmetic: shape (). As [`write`].
pub(crate) fn write_numbers<T: Element>(output: &Output, names: &[String], numbers: &[RealOf<T>]) -> Result<()> {
    write(output, real_descr::<T>(), names.iter().map(|name| (name.clone(), vec![])), |b| Ok(vec![numbers[b]]))
}

/// Writes condition numbers, if there are any, and hands back the output with what the report says of them.
pub(crate) fn write_conditions<T: Element>(
    args: &ConditionArgs,
    found: Option<(Output, Conditions<T>)>,
    names: &[String],
    part: Part,
) -> Result<Option<(Output, IllConditioned)>> {
    let Some((output, conditions)) = found else { return Ok(None) };
    write_numbers::<T>(&output, names, &conditions.rcond)?;
    let mut all = IllConditioned::new::<T>(args);
    all.add(part.first, &conditions);
    Ok(Some((output, all)))
}

/// Adds an array to an archive.
fn entry<T: Pod>(
    zip: &mut ZipWriter<StreamWriter<&mut dyn Write>>,
    name: &str,
    head: &[u8],
    numbers: &[T],
) -> io::Result<()> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let is_large = size_of_val(numbers) > LARGE;
    zip.start_file(format!("{name}.npy"), options.large_file(is_large))?;
    zip.write_all(head)?;
    zip.write_all(bytes_of(numbers))
}
