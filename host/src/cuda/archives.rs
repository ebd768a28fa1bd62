//! The PTX that is built into this crate, unpacked on first use.

use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::io::{self, Read};
use std::sync::{LazyLock, OnceLock};

use flate2::read::GzDecoder;
use kernels_gpu::ptx::Archive;

use super::error::CudaError;

/// The archives that are built in.
pub(super) static BUILT_IN: LazyLock<Archives> = LazyLock::new(|| Archives::new(kernels_gpu::ptx::ARCHIVES));

/// The texts of an archive, by entry point.
type Texts = HashMap<String, CString>;

/// Archives of PTX, each unpacked at most once.
pub(super) struct Archives(Vec<Unpacked>);

struct Unpacked {
    archive: &'static Archive,
    texts: OnceLock<Result<Texts, String>>,
}

impl Archives {
    /// Packed archives, those for the newest GPUs first.
    fn new(archives: &'static [Archive]) -> Self {
        let mut all: Vec<_> = archives.iter().map(|archive| Unpacked { archive, texts: OnceLock::new() }).collect();
        all.sort_by_key(|unpacked| std::cmp::Reverse(unpacked.archive.sm));
        Self(all)
    }

    /// The PTX of `entry` for the newest GPUs that are not newer than this compute capability.
    pub(super) fn find(&self, entry: &str, (major, minor): (u32, u32)) -> Result<&CStr, CudaError> {
        let sm = 10 * major + minor;
        let missing = |reason: &str| CudaError::NoKernel { entry: entry.to_owned(), sm, reason: reason.to_owned() };
        let Some(lowest) = self.0.last().map(|unpacked| unpacked.archive.sm) else {
            return Err(missing("this build holds none"));
        };
        if sm < lowest {
            return Err(CudaError::GpuTooOld { major, minor, lowest });
        }
        let mut suitable: Vec<_> = self.0.iter().filter(|it| it.archive.sm <= sm).collect();
        // An entry is most likely in the archive of the family that its name starts with.
        suitable.sort_by_key(|it| {
            let elsewhere = !entry.starts_with(it.archive.family);
            (std::cmp::Reverse(it.archive.sm), elsewhere)
        });
        for unpacked in suitable {
            let texts = unpacked.texts().map_err(missing)?;
            if let Some(text) = texts.get(entry) {
                return Ok(text);
            }
        }
        Err(missing("no archive holds it"))
    }
}

impl Unpacked {
    fn texts(&self) -> Result<&Texts, &str> {
        let Archive { sm, family, bytes } = self.archive;
        let unpack = || unpack(bytes).map_err(|error| format!("the archive {family} of sm_{sm} is bad: {error}"));
        self.texts.get_or_init(unpack).as_ref().map_err(|e| &**e)
    }
}

/// The files `<entry>.ptx` of a .tar.gz.
fn unpack(bytes: &[u8]) -> io::Result<Texts> {
    let mut texts = Texts::new();
    for file in tar::Archive::new(GzDecoder::new(bytes)).entries()? {
        let mut file = file?;
        let path = file.path()?.into_owned();
        if path.extension().is_none_or(|extension| extension != "ptx") {
            continue;
        }
        let Some(entry) = path.file_stem().and_then(|stem| stem.to_str()) else {
            continue;
        };
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        // Some compilers end the text with a nul already.
        while text.last() == Some(&0) {
            text.pop();
        }
        texts.insert(entry.to_owned(), CString::new(text)?);
    }
    Ok(texts)
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

    fn archives() -> Archives {
        let all = vec![
            archive(70, "lu", &[("lu_4.ptx", "lu 70"), ("old.ptx", "old 70")]),
            archive(90, "lu", &[("lu_4.ptx", "lu 90"), ("notes.txt", "no")]),
            archive(90, "solve", &[("./solve_4.ptx", "solve 90\0")]),
        ];
        Archives::new(all.leak())
    }

    #[test]
    fn the_newest_suitable_text_is_chosen() {
        let archives = archives();
        assert_eq!(archives.find("lu_4", (7, 0)).unwrap(), c"lu 70");
        assert_eq!(archives.find("lu_4", (8, 9)).unwrap(), c"lu 70");
        assert_eq!(archives.find("lu_4", (9, 0)).unwrap(), c"lu 90");
        assert_eq!(archives.find("lu_4", (12, 0)).unwrap(), c"lu 90");
        assert_eq!(archives.find("solve_4", (9, 0)).unwrap(), c"solve 90");
        assert_eq!(archives.find("old", (9, 0)).unwrap(), c"old 70");
    }

    #[test]
    fn only_the_archive_of_the_family_is_unpacked() {
        let archives = archives();
        archives.find("solve_4", (9, 0)).unwrap();
        let unpacked = archives.0.iter().filter(|it| it.texts.get().is_some());
        assert_eq!(unpacked.count(), 1);
    }

    #[test]
    fn what_is_missing_is_said() {
        let archives = archives();
        let error = archives.find("notes", (9, 0)).unwrap_err().to_string();
        assert!(error.contains("no kernel notes for compute capability 9.0"));
        let error = archives.find("lu_4", (6, 1)).unwrap_err().to_string();
        assert!(error.contains("need 7.0 or higher"));
        let error = Archives::new(&[]).find("lu_4", (9, 0)).unwrap_err();
        assert!(error.to_string().contains("holds none"));
    }

    #[test]
    fn a_damaged_archive_is_named() {
        let damaged = Archive { sm: 70, family: "lu", bytes: b"not gzip" };
        let archives = Archives::new(vec![damaged].leak());
        let error = archives.find("lu_4", (9, 0)).unwrap_err().to_string();
        assert!(error.contains("the archive lu of sm_70 is bad"), "{error}");
    }
}
