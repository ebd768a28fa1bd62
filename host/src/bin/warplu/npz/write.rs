//! Archives as they are written: uncompressed, as by `numpy.savez`.

use std::io::{self, Write};

use npyz::npz::file_name_from_array_name;
use simt::Pod;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::failure::Result;
use crate::memory::bytes_of;
use crate::npy::header;
use crate::output::Output;

/// Bytes from which on an array's length takes more than 32 bits, with all that precedes it.
const LARGE: usize = u32::MAX as usize - (1 << 16);

/// Writes an archive of arrays of these names and shapes; `array` has the numbers of each, in C order.
pub(super) fn write<T: Pod>(
    output: &Output,
    descr: &str,
    arrays: impl Iterator<Item = (String, Vec<usize>)>,
    mut array: impl FnMut(usize) -> io::Result<Vec<T>>,
) -> Result<()> {
    output.write(|out| {
        let mut zip = ZipWriter::new_stream(out);
        for (b, (name, shape)) in arrays.enumerate() {
            let (mut head, numbers) = (Vec::new(), array(b)?);
            header(&mut head, descr, &shape)?;
            let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
            let is_large = size_of_val(&numbers[..]) > LARGE;
            zip.start_file(file_name_from_array_name(&name), options.large_file(is_large))?;
            zip.write_all(&head)?;
            zip.write_all(bytes_of(&numbers))?;
        }
        zip.finish()?;
        Ok(())
    })
}
