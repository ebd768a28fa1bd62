//! The PTX that is built into this crate, unpacked an entry point at a time.

use std::cmp::Reverse;
use std::ffi::CString;
use std::io::{self, Read};

use flate2::read::GzDecoder;
use kernels_gpu::ptx::{ARCHIVES, Archive};

use super::error::CudaError;

/// The PTX of an entry point of a family, for the newest GPUs that are not newer than this compute capability.
pub(super) fn find(entry: &str, family: &str, capability: (u32, u32)) -> Result<CString, CudaError> {
    find_in(ARCHIVES, entry, family, capability)
}

fn find_in(archives: &[Archive], entry: &str, family: &str, (major, minor): (u32, u32)) -> Result<CString, CudaError> {
    let sm = 10 * major + minor;
    let missing = |reason: &str| CudaError::NoKernel { entry: entry.to_owned(), sm, reason: reason.to_owned() };
    let Some(lowest) = archives.iter().map(|archive| archive.sm).min() else {
        return Err(missing("this build holds none"));
    };
    if sm < lowest {
        return Err(CudaError::GpuTooOld { major, minor, lowest });
    }
    let mut suitable: Vec<_> = archives.iter().filter(|archive| archive.family == family && archive.sm <= sm).collect();
    suitable.sort_by_key(|archive| Reverse(archive.sm));
    for Archive { sm, family, bytes } in suitable {
        let text = unpack(bytes, entry)
            .map_err(|error| missing(&format!("the archive {family} of sm_{sm} is bad: {error}")))?;
        if let Some(text) = text {
            return Ok(text);
        }
    }
    Err(missing("no archive of its family holds it"))
}

/// The file `<entry>.ptx` of a .tar.gz, which is read no further than that.
fn unpack(bytes: &[u8], entry: &str) -> io::Result<Option<CString>> {
    for file in tar::Archive::new(GzDecoder::new(bytes)).entries()? {
        let mut file = file?;
        let path = file.path()?;
        let stem = path.file_stem().filter(|_| path.extension().is_some_and(|extension| extension == "ptx"));
        if stem.is_none_or(|stem| stem != entry) {
            continue;
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        // Some compilers end the text with a nul already.
        while text.last() == Some(&0) {
            text.pop();
        }
        return Ok(Some(CString::new(text)?));
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    fn archive(sm: u32, family: &'static str, files: &[(&str, &str)]) -> Archive {
        let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (name, text) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            header.set_cksum();
            tar.append_data(&mut header, name, text.as_bytes()).unwrap();
        }
        let bytes = tar.into_inner().unwrap().finish().unwrap();
        Archive { sm, family, bytes: bytes.leak() }
    }

    fn archives() -> Vec<Archive> {
        vec![
            archive(70, "lu", &[("lu_4.ptx", "lu 70"), ("old.ptx", "old 70")]),
            archive(90, "lu", &[("lu_4.ptx", "lu 90"), ("notes.txt", "no")]),
            archive(90, "solve", &[("./solve_4.ptx", "solve 90\0")]),
        ]
    }

    #[test]
    fn the_newest_suitable_text_is_chosen() {
        let archives = archives();
        let find = |entry, family, capability| find_in(&archives, entry, family, capability).unwrap();
        assert_eq!(find("lu_4", "lu", (7, 0)).as_c_str(), c"lu 70");
        assert_eq!(find("lu_4", "lu", (8, 9)).as_c_str(), c"lu 70");
        assert_eq!(find("lu_4", "lu", (9, 0)).as_c_str(), c"lu 90");
        assert_eq!(find("lu_4", "lu", (12, 0)).as_c_str(), c"lu 90");
        assert_eq!(find("solve_4", "solve", (9, 0)).as_c_str(), c"solve 90");
        assert_eq!(find("old", "lu", (9, 0)).as_c_str(), c"old 70");
    }

    #[test]
    fn only_the_archives_of_the_family_are_read() {
        let mut archives = archives();
        archives.push(Archive { sm: 90, family: "lu_stream", bytes: b"not gzip" });
        assert_eq!(find_in(&archives, "lu_4", "lu", (9, 0)).unwrap().as_c_str(), c"lu 90");
        assert!(find_in(&archives, "solve_4", "lu", (9, 0)).is_err());
    }

    #[test]
    fn an_archive_is_read_no_further_than_needed() {
        let noise: String =
            (0..1_u32 << 18).map(|i| char::from((i.wrapping_mul(0x9E37_79B9) >> 25) as u8 | 1)).collect();
        let Archive { bytes, .. } = archive(70, "lu", &[("first.ptx", "first"), ("noise.ptx", &noise)]);
        let half = &bytes[..bytes.len() / 2];
        assert_eq!(unpack(half, "first").unwrap().unwrap().as_c_str(), c"first");
        assert!(unpack(half, "noise").is_err());
    }

    #[test]
    fn what_is_missing_is_said() {
        let archives = archives();
        let error = find_in(&archives, "notes", "lu", (9, 0)).unwrap_err().to_string();
        assert!(error.contains("no kernel notes for compute capability 9.0"));
        let error = find_in(&archives, "lu_4", "lu", (6, 1)).unwrap_err().to_string();
        assert!(error.contains("need 7.0 or higher"));
        let error = find_in(&[], "lu_4", "lu", (9, 0)).unwrap_err();
        assert!(error.to_string().contains("holds none"));
    }

    #[test]
    fn a_damaged_archive_is_named() {
        let damaged = Archive { sm: 70, family: "lu", bytes: b"not gzip" };
        let error = find_in(&[damaged], "lu_4", "lu", (9, 0)).unwrap_err().to_string();
        assert!(error.contains("the archive lu of sm_70 is bad"), "{error}");
    }

    #[test]
    fn every_family_has_archives() {
        for family in kernels_gpu::entry::Family::ALL {
            let found = ARCHIVES.iter().filter(|archive| archive.family == family.name());
            assert_eq!(found.count(), 2, "{}", family.name());
        }
    }
}
