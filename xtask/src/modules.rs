//! The PTX modules that crates of kernels embed: a file each, and the list of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};
use std::{fs, str};

use brotli::enc::BrotliEncoderParams;
use kernels_gpu::entry::Entry;
use kernels_gpu::ptx::registers;

use crate::error::Error;

/// What Brotli looks back at: all of the largest module.
const WINDOW_BITS: i32 = 24;
/// The best that it does.
const QUALITY: i32 = 11;

/// The modules by tier and entry point, each as [`registers::pack`] makes it.
pub(crate) type Modules = BTreeMap<(u32, String), String>;

/// A crate of kernels.
pub(crate) struct Crate {
    pub(crate) folder: &'static str,
    /// With which its entry points are compiled.
    pub(crate) features: &'static [&'static str],
    pub(crate) entries: &'static [Entry],
    /// What its list of modules is an invocation of.
    list: &'static str,
}

/// All of them.
pub(crate) fn crates() -> [Crate; 2] {
    let own = kernels_gpu::table::ENTRIES;
    [
        Crate { folder: "kernels-gpu", features: &["entries"], entries: own, list: "modules" },
        Crate {
            folder: "papers",
            features: &[],
            entries: papers::kernels::table::ENTRIES,
            list: "kernels_gpu::modules",
        },
    ]
}

impl Crate {
    /// The entry points that a tier has.
    pub(crate) fn of_tier(&self, tier: u32) -> impl Iterator<Item = &'static Entry> {
        self.entries.iter().filter(move |entry| entry.tiers.contains(&tier))
    }

    /// The list as its source.
    pub(crate) fn list(&self, modules: &Modules) -> String {
        let mut text = format!("//! The modules, written by `cargo xtask kernels`.\n\n{}! {{\n", self.list);
        let mut tiers: Vec<u32> = modules.keys().map(|(tier, _)| *tier).collect();
        tiers.dedup();
        for tier in tiers {
            let _ = writeln!(text, "    {tier} {{");
            let names = modules.keys().filter(|(of, _)| *of == tier).filter_map(|(_, name)| name.rsplit_once('_'));
            for alike in names.collect::<Vec<_>>().chunk_by(|(a, _), (b, _)| a == b) {
                let types: Vec<_> = alike.iter().map(|(_, kind)| *kind).collect();
                let _ = writeln!(text, "        \"{}\": {};", alike[0].0, types.join(" "));
            }
            text += "    }\n";
        }
        text + "}\n"
    }
}

/// Where a module is below the folder of all.
fn path(tier: u32, entry: &str) -> PathBuf {
    Path::new(&format!("sm_{tier}")).join(format!("{entry}.br"))
}

/// The module of a tier, unless that of the tier below is the same but for the name of the target.
pub(crate) fn insert(modules: &mut Modules, tier: u32, entry: &str, ptx: &str) {
    let packed = registers::pack(ptx);
    let below = modules.iter().filter(|((of, name), _)| *of < tier && name == entry).max_by_key(|((of, _), _)| *of);
    if below.is_none_or(|(_, below)| body(below) != body(&packed)) {
        modules.insert((tier, entry.to_owned()), packed);
    }
}

/// What follows the lines that name the target, in one of the two ways in which LLVM takes a half of a register: for
/// later targets it leaves the other half out, for earlier ones it names it.
fn body(ptx: &str) -> String {
    let body = ptx.split_once(".address_size").map_or(ptx, |(_, body)| body);
    body.replace("{ .reg .b32 tmp; mov.b64 {tmp, ", "mov.b64 \t{_, ").replace("; }\n", ";\n")
}

/// Reads all modules below a folder. A damaged one is empty.
pub(crate) fn read(folder: &Path) -> Result<Modules, Error> {
    let mut modules = Modules::new();
    for file in files(folder)? {
        let bytes = fs::read(&file).map_err(Error::io(&file))?;
        if let Some(key) = key(&file) {
            modules.insert(key, decompress(&bytes).unwrap_or_default());
        }
    }
    Ok(modules)
}

/// Tier and entry point of a file.
fn key(file: &Path) -> Option<(u32, String)> {
    let tier = file.parent()?.file_name()?.to_str()?.strip_prefix("sm_")?.parse().ok()?;
    Some((tier, file.file_stem()?.to_str()?.to_owned()))
}

/// Makes a folder hold these modules and no others. Returns their size. A file that would not change is not touched, so
/// that cargo need not rebuild what embeds it.
pub(crate) fn write(folder: &Path, modules: &Modules) -> Result<usize, Error> {
    let old = read(folder)?;
    let mut size = 0;
    for ((tier, entry), packed) in modules {
        let file = folder.join(path(*tier, entry));
        if old.get(&(*tier, entry.clone())) != Some(packed) || !file.exists() {
            let bytes = compress(packed).map_err(Error::io(&file))?;
            file.parent().map_or(Ok(()), fs::create_dir_all).map_err(Error::io(&file))?;
            fs::write(&file, &bytes).map_err(Error::io(&file))?;
        }
        size += fs::metadata(&file).map_err(Error::io(&file))?.len() as usize;
    }
    for file in files(folder)? {
        let stays = key(&file).is_some_and(|(tier, entry)| {
            file == folder.join(path(tier, &entry)) && modules.contains_key(&(tier, entry))
        });
        if !stays {
            fs::remove_file(&file).map_err(Error::io(&file))?;
        }
    }
    Ok(size)
}

fn compress(packed: &str) -> io::Result<Vec<u8>> {
    let params = BrotliEncoderParams {
        quality: QUALITY,
        lgwin: WINDOW_BITS,
        size_hint: packed.len(),
        ..BrotliEncoderParams::default()
    };
    let mut bytes = Vec::new();
    let mut writer = brotli::CompressorWriter::with_params(&mut bytes, 1 << 16, &params);
    writer.write_all(packed.as_bytes())?;
    writer.flush()?;
    drop(writer);
    Ok(bytes)
}

fn decompress(bytes: &[u8]) -> io::Result<String> {
    let mut packed = String::new();
    brotli::Decompressor::new(bytes, 1 << 16).read_to_string(&mut packed)?;
    Ok(packed)
}

/// The files of a folder and its folders, none where there is no such folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(Error::io(folder))?;
    let mut found = Vec::new();
    for path in entries.iter().map(fs::DirEntry::path) {
        if path.is_dir() { found.extend(files(&path)?) } else { found.push(path) }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = ".version 7.8\n.target sm_70\n.address_size 64\n.reg .b32 %r<3>;\n\
                       \tmov.u32 %r1, 5;\n\tadd.s32 %r2, %r1, %r1;\n";

    #[test]
    fn a_tier_has_only_what_differs_from_the_one_below() {
        let mut modules = Modules::new();
        insert(&mut modules, 70, "det_f32", PTX);
        insert(&mut modules, 80, "det_f32", &PTX.replace("sm_70", "sm_80"));
        assert_eq!(modules.len(), 1);
        let [half, named] = ["\tmov.b64 \t{_, %r1}, %rd1;", "\t{ .reg .b32 tmp; mov.b64 {tmp, %r1}, %rd1; }"];
        let with = |line: &str| format!("{PTX}{line}\n");
        insert(&mut modules, 70, "det_f64", &with(named));
        insert(&mut modules, 90, "det_f64", &with(half));
        assert_eq!(modules.len(), 2);
        insert(&mut modules, 90, "det_f32", &PTX.replace("5", "6"));
        assert_eq!(modules.keys().map(|(tier, _)| *tier).collect::<Vec<_>>(), [70, 70, 90]);
    }

    #[test]
    fn modules_come_back_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let ptx = folder.path().join("ptx");
        let mut modules = Modules::new();
        for entry in ["det_f32", "copy_f64", "det_c64"] {
            insert(&mut modules, 70, entry, PTX);
        }
        write(&ptx, &modules).unwrap();
        assert!(ptx.join("sm_70/det_f32.br").exists());
        assert_eq!(read(&ptx).unwrap(), modules);
        let [_, papers] = crates();
        let list = "modules! {\n    70 {\n        \"copy\": f64;\n        \"det\": c64 f32;\n    }\n}";
        assert!(papers.list(&modules).contains(list));
        modules.pop_last();
        write(&ptx, &modules).unwrap();
        assert_eq!(read(&ptx).unwrap(), modules);
        fs::write(ptx.join("sm_70/det_f32.br"), b"no brotli").unwrap();
        assert_eq!(read(&ptx).unwrap().values().filter(|module| module.is_empty()).count(), 1);
    }
}
