//! Archives as they are read: all headers first, then all numbers.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use warplu::{Batch, Element, Layout, Ragged};
use zip::ZipArchive;
use zip::result::ZipError;

use crate::dtype::Dtype;
use crate::failure::{Failure, Result};
use crate::input::tuple;
use crate::memory::{bytes_of_mut, zeros};
use crate::npy::{Header, Numbers, parsed_header};
use crate::ranks::Part;

/// An open archive. The headers of its arrays have been read, and fit what it says of their lengths.
#[derive(Debug)]
pub(crate) struct Archive {
    path: PathBuf,
    zip: ZipArchive<File>,
    dtype: Dtype,
    heads: Vec<Head>,
}

/// What is known of an array before its numbers are read.
#[derive(Clone, Debug)]
struct Head {
    name: String,
    shape: Vec<usize>,
    /// Whether the first index is the fastest.
    fortran: bool,
    /// Bytes before the numbers.
    start: u64,
    /// Its number in the archive.
    index: usize,
}

/// The matrices of an archive, in memory.
#[derive(Debug)]
pub(crate) struct Stored<T> {
    data: Vec<T>,
    shapes: Vec<(usize, usize)>,
    offsets: Vec<usize>,
    layouts: Vec<Layout>,
}

impl Archive {
    /// Opens an archive of matrices, one (n, n) array each.
    pub(crate) fn matrices(path: &Path) -> Result<Self> {
        let archive = Self::open(path)?;
        for head in &archive.heads {
            let [rows, cols] = head.shape[..] else {
                let fault = "each array of an archive is one matrix, (n, n); save a batch of one order as .npy";
                return Err(archive.fault(head, &format!("has shape {}: {fault}", tuple(&head.shape))));
            };
            if rows != cols {
                let fault = format!("has shape {}: the matrices must be square", tuple(&head.shape));
                return Err(archive.fault(head, &fault));
            }
        }
        Ok(archive)
    }

    /// Opens an archive of right-hand sides, (n) or (n, k) under the name of each matrix of `a`, in whose order they
    /// are then.
    pub(crate) fn right_hand_sides(path: &Path, a: &Self) -> Result<Self> {
        let mut archive = Self::open(path)?;
        let theirs = a.path.display();
        if archive.dtype != a.dtype && !archive.heads.is_empty() && !a.heads.is_empty() {
            let (own, wanted) = (archive.dtype.numpy_name(), a.dtype.numpy_name());
            let fault = format!("holds {own}, but {theirs} holds {wanted}: convert one, e.g. b.astype('{wanted}')");
            return Err(Failure::input(path, fault));
        }
        archive.dtype = a.dtype;
        archive.heads.sort_by(|x, y| x.name.cmp(&y.name));
        let find = |name: &String| archive.heads.binary_search_by(|head| head.name.cmp(name)).ok();
        let mut heads = Vec::new();
        for matrix in &a.heads {
            let Some(at) = find(&matrix.name) else {
                let fault = format!("holds no array {:?}, but {theirs} does", matrix.name);
                return Err(Failure::input(
                    path,
                    fault + ": save the right-hand sides under the names of the matrices",
                ));
            };
            let head = &archive.heads[at];
            if head.shape.is_empty() || head.shape.len() > 2 || head.shape[0] != matrix.shape[0] {
                let (own, n) = (tuple(&head.shape), matrix.shape[0]);
                let fault = format!("has shape {own}, but in {theirs} it has {}: reshape it", tuple(&matrix.shape));
                return Err(archive.fault(head, &format!("{fault} to ({n},) or ({n}, k)")));
            }
            heads.push(head.clone());
        }
        let theirs: HashSet<_> = a.heads.iter().map(|matrix| &matrix.name).collect();
        if let Some(head) = archive.heads.iter().find(|head| !theirs.contains(&head.name)) {
            let fault = format!("is not in {}: leave it out, or name it as a matrix", a.path.display());
            return Err(archive.fault(head, &fault));
        }
        archive.heads = heads;
        Ok(archive)
    }

    fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|e| Failure::read(path, e))?;
        let mut zip = ZipArchive::new(file).map_err(|e| told(path, e))?;
        expect_honest(&mut zip, path)?;
        let (mut heads, mut first) = (Vec::new(), None);
        for index in 0..zip.len() {
            let mut entry = zip.by_index(index).map_err(|e| told(path, e))?;
            let file = entry.name().map_err(|e| told(path, e))?.into_owned();
            let Some(name) = file.strip_suffix(".npy").map(ToOwned::to_owned) else {
                let fault = format!("holds {file:?}, which is no array: save the arrays alone, with numpy.savez");
                return Err(Failure::input(path, fault));
            };
            let fault = |fault: String| Failure::input(path, format!("array {name:?} {fault}"));
            let (header, dtype, start) =
                parsed_header::<Dtype>(&mut entry).map_err(|e| of_entry(path, e))?.map_err(fault)?;
            let Header { shape, fortran, .. } = header;
            let len = shape.iter().try_fold(1_u64, |len, &axis| len.checked_mul(axis as u64));
            let bytes = len.and_then(|len| len.checked_mul(dtype.size() as u64)).filter(|&bytes| bytes < 1 << 62);
            let Some(bytes) = bytes else {
                return Err(fault("has a shape that no file can hold".to_owned()));
            };
            if entry.size() != start + bytes {
                let held = entry.size().saturating_sub(start);
                return Err(fault(format!("has {bytes} bytes by its header, but holds {held}: save it again")));
            }
            let (first, of) = first.get_or_insert_with(|| (name.clone(), dtype));
            if *of != dtype {
                let (own, other) = (dtype.numpy_name(), of.numpy_name());
                let fault = format!("holds {own}, but array {first:?} holds {other}: convert one");
                return Err(Failure::input(path, format!("array {name:?} {fault}, e.g. a.astype('{other}')")));
            }
            heads.push(Head { name, shape, fortran, start, index });
        }
        let dtype = first.map_or(Dtype::F64, |(_, dtype)| dtype);
        Ok(Self { path: path.to_owned(), zip, dtype, heads })
    }

    /// Reads the matrices of a part; `T` is the archive's type. Vectors are matrices of one column.
    pub(crate) fn read<T: Element>(mut self, part: Part) -> Result<Stored<T>> {
        let heads = &self.heads[part.range()];
        let shapes: Vec<_> = heads.iter().map(|h| (h.shape[0], h.shape.get(1).copied().unwrap_or(1))).collect();
        let len = shapes.iter().map(|&(rows, cols)| rows.saturating_mul(cols)).fold(0, usize::saturating_add);
        let mut data = zeros(len).map_err(|_| Failure::memory(&self.path, len.saturating_mul(size_of::<T>())))?;
        let (mut offsets, mut layouts, mut end) = (Vec::new(), Vec::new(), 0);
        for (head, &(rows, cols)) in heads.iter().zip(&shapes) {
            let to = bytes_of_mut(&mut data[end..][..rows * cols]);
            let mut entry = self.zip.by_index(head.index).map_err(|e| told(&self.path, e))?;
            let mut skipped = vec![0; head.start as usize];
            let read = entry.read_exact(&mut skipped).and_then(|()| entry.read_exact(to));
            // The end, where the checksum is compared.
            read.and_then(|()| entry.read(&mut [0]).map(drop)).map_err(|e| of_entry(&self.path, e))?;
            offsets.push(end);
            layouts.push(match head.fortran {
                true => Layout::column_major(rows, cols),
                false => Layout::row_major(rows, cols),
            });
            end += rows * cols;
        }
        Ok(Stored { data, shapes, offsets, layouts })
    }

    /// What this rank works on: the cost of a matrix grows with the cube of its order.
    pub(crate) fn part(&self) -> Part {
        let cost = |head: &Head| (head.shape[0] as u64).saturating_pow(3);
        Part::by_cost(&self.heads.iter().map(cost).collect::<Vec<_>>())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// The names of the arrays.
    pub(crate) fn names(&self) -> Vec<String> {
        self.heads.iter().map(|head| head.name.clone()).collect()
    }

    /// The shapes of the arrays.
    pub(crate) fn shapes(&self) -> Vec<Vec<usize>> {
        self.heads.iter().map(|head| head.shape.clone()).collect()
    }

    fn fault(&self, head: &Head, fault: &str) -> Failure {
        Failure::input(&self.path, format!("array {:?} {fault}", head.name))
    }
}

/// Refuses what an archive of arrays never has: that an array be left out in silence, or that it take more memory than
/// so many times its own bytes, which is 1032 as deflate goes.
fn expect_honest(zip: &mut ZipArchive<File>, path: &Path) -> Result<()> {
    let fault = |fault: &str| Err(Failure::input(path, fault.to_owned()));
    if zip.has_duplicate_names() {
        return fault("holds two arrays of one name: give each a name of its own");
    }
    if zip.offset() > 0 {
        return fault("begins with bytes that are of no archive: save it again");
    }
    if zip.has_overlapping_entries().map_err(|e| told(path, e))? {
        return fault("holds arrays that share their bytes: save it again");
    }
    Ok(())
}

impl<T: Element> Stored<T> {
    pub(crate) fn view(&self) -> warplu::Result<Ragged<'_, T>> {
        Ragged::strided(&self.data, &self.shapes, &self.offsets, |b| self.layouts[b])
    }

    /// Matrix b, as a batch of one.
    pub(crate) fn one(&self, b: usize) -> warplu::Result<Batch<'_, T>> {
        let (rows, cols) = self.shapes[b];
        Batch::strided(&self.data[self.offsets[b]..][..rows * cols], 1, rows, cols, self.layouts[b])
    }
}

/// What the container says of a file.
fn told(path: &Path, e: ZipError) -> Failure {
    match e {
        ZipError::Io(e) => of_entry(path, e),
        e @ (ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_)) => {
            Failure::input(path, format!("is an .npz archive of an unusual kind ({e}): save it with numpy.savez"))
        }
        e => damaged(path, &e),
    }
}

/// What reading an array says.
fn of_entry(path: &Path, e: io::Error) -> Failure {
    match e.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::Other => {
            damaged(path, &e)
        }
        _ => Failure::read(path, e),
    }
}

fn damaged(path: &Path, e: &dyn std::error::Error) -> Failure {
    Failure::input(path, format!("is a damaged .npz archive ({e}): save it again with numpy.savez, or copy it again"))
}
