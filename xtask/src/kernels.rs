//! `cargo xtask kernels`: the PTX modules that `kernels-gpu` and `papers` embed.

use std::fs;
use std::path::{Path, PathBuf};

use kernels_gpu::entry::{Entry, Variant};
use kernels_gpu::shape::Problem;
use simt_build::Kernels;

use crate::error::{Error, List};
use crate::modules::{self, Crate, Modules};
use crate::process::{self, parallel};
use crate::ptxas::{Ptxas, Usage};
use crate::sums;

/// The tiers to compile for; the driver translates each for all later GPUs. From 80 on there are matrix instructions,
/// and from 90 on larger ones of f64.
const SMS: [u32; 3] = [70, 80, 90];

/// Entry points that may spill, by the beginning of their names, and how many bytes.
///
/// With 28 columns of c64 a row of W takes 112 registers, and the block of U that it is multiplied with most of the
/// others. Others hold so much of a matrix that too few registers are left for the rest: most of what they spill lies
/// in the rarely taken paths, and all other routes are slower.
const MAY_SPILL: [(&str, u32); 44] = [
    ("steps_diagonal_", 196),
    ("upper_delayed_nb28_c64", 64),
    ("upper_timely_nb28_c64", 64),
    ("inverse_look_ahead_n64_p3_t4_", 616),
    ("inverse_look_ahead_n96_p2_t6_c32", 364),
    ("inverse_look_ahead_n96_p4_t6_f32", 280),
    ("inverse_look_ahead_n112_p2_t5_c32", 304),
    ("inverse_look_ahead_n112_p2_t7_f32", 328),
    ("inverse_look_ahead_n128_p2_t8_c32", 592),
    ("inverse_look_ahead_n128_p3_t8_f32", 436),
    ("inverse_look_ahead_n144_p2_t7_f32", 420),
    ("inverse_look_ahead_n144_p2_t8_c32", 800),
    ("inverse_look_ahead_n160_p2_t6_f32", 908),
    ("inverse_look_ahead_n160_p2_t8_c32", 916),
    ("inverse_look_ahead_n176_p2_t6_f32", 1148),
    ("inverse_look_ahead_n176_p2_t7_c32", 668),
    ("inverse_look_ahead_n176_p2_t7_f64", 832),
    ("inverse_look_ahead_n112_p2_t6_c64", 336),
    ("inverse_look_ahead_n128_p3_t4_c64", 1564),
    ("inverse_look_ahead_n144_p3_t8_f64", 472),
    ("inverse_look_ahead_n160_p3_t8_f64", 672),
    ("inverse_blocked_r2_p2_", 1344),
    ("inverse_blocked_r2_p4_", 288),
    ("inverse_blocked_r1_p3_w6_c32", 360),
    ("inverse_blocked_r2_p4_w4_f32", 324),
    ("inverse_blocked_r2_p4_w6_f32", 324),
    ("inverse_blocked_r2_p4_w4_c32", 736),
    ("inverse_blocked_r2_p4_w8_c32", 736),
    ("getri_from_factors_p8_t1_w4_c32", 400),
    ("getrs_from_factors_p4_t1_w4_f32", 880),
    ("gesv_in_registers_n24_", 320),
    ("gesv_in_registers_n32_f32", 264),
    ("gesv_register_blocked_r5_p5_f32", 416),
    ("getrf_register_blocked_r5_p5_f64", 448),
    ("inverse_register_blocked_r5_p5_f64", 576),
    ("inverse_register_blocked_r5_p5_c32", 416),
    ("getrs_warp_per_rhs_n512_c64", 64),
    ("steps_panel_r2_c32_c32", 64),
    ("steps_slab_r2_c32_f64", 128),
    ("steps_slab_r2_c32_c32", 128),
    ("steps_slab_r1_c16_c64", 128),
    ("steps_slab_r2_c16_c64", 384),
    ("potrf_in_shared_", 480),
    ("potrf_in_memory_", 304),
];

/// Bytes that a kernel with the matrix in registers may spill for the sake of one more block on a multiprocessor.
const MAY_SPILL_FOR_BLOCKS: u32 = 256;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Compare with the committed modules instead of writing them; compiles only where anything has changed since they
    /// were
    #[arg(long, conflicts_with_all = ["report", "ptxas", "only"])]
    check: bool,
    /// Compile only the entry points whose names begin so (several with commas between), in a fraction of the time, and
    /// leave the other modules as they are: to try a change, not to commit it
    #[arg(long, value_name = "PREFIX")]
    only: Option<String>,
    /// Compile for these tiers only
    #[arg(long, value_name = "TIER", value_delimiter = ',', requires = "only", value_parser = tier)]
    tier: Vec<u32>,
    /// Print threads, registers, shared memory at the largest order, stack and spills of each entry point (needs ptxas)
    #[arg(long)]
    report: bool,
    /// The ptxas to look for spills with; otherwise that of CUDA_HOME, CUDA_PATH or PATH, where there is one
    #[arg(long, value_name = "PATH")]
    ptxas: Option<PathBuf>,
}

impl Args {
    /// Those of `--check`.
    pub(crate) fn check() -> Self {
        Self { check: true, only: None, tier: Vec::new(), report: false, ptxas: None }
    }

    /// Whether an entry point is to be compiled.
    fn selects(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.split(',').any(|prefix| name.starts_with(prefix)))
    }
}

/// A tier that there is.
fn tier(text: &str) -> Result<u32, String> {
    let found = SMS.into_iter().find(|sm| sm.to_string() == text);
    found.ok_or_else(|| format!("there are {SMS:?}"))
}

/// The module of an entry point for an architecture.
struct Module {
    /// Of the crate in this folder.
    folder: &'static str,
    sm: u32,
    entry: &'static Entry,
    ptx: String,
}

pub(crate) fn run(args: &Args) -> Result<(), Error> {
    if args.check && sums::hold()? {
        say!("the modules are those compiled from these sources");
        return Ok(());
    }
    let ptxas = Ptxas::find(args.ptxas.as_deref())?;
    if args.report && ptxas.is_none() {
        return Err(Error::NoPtxas);
    }
    let sources = sums::of_sources()?;
    let target = process::target().join("ptx");
    let crates = modules::crates();
    let modules = crates.iter().map(|of| build(of, &target, args)).collect::<Result<Vec<_>, _>>()?;
    let modules: Vec<Module> = modules.into_iter().flatten().collect();
    let faults = match ptxas {
        Some(ptxas) => {
            let usages = usages(&ptxas, &modules, &target)?;
            if args.report {
                report(&modules, &usages);
            }
            spills(&modules, &usages).collect()
        }
        None => {
            say!("ptxas not found: spills not checked");
            Vec::new()
        }
    };
    List(faults).none_or(Error::Faults)?;

    let mut stale = Vec::new();
    let (mut count, mut size) = (0, 0);
    for of in &crates {
        let folder = process::root().join(of.folder);
        let (folder, list) = (folder.join("ptx"), folder.join("src/ptx/modules.rs"));
        let packed = pack(of, &modules, args, &folder)?;
        count += packed.len();
        if args.check {
            stale.extend(differences(&packed, &modules::read(&folder)?));
            if fs::read_to_string(&list).ok().as_deref() != Some(of.list(&packed).as_str()) {
                stale.push(format!("{}: stale", list.display()));
            }
        } else {
            size += modules::write(&folder, &packed)?;
            fs::write(&list, of.list(&packed)).map_err(Error::io(&list))?;
        }
    }
    let all = modules.len();
    if args.check {
        List(stale).none_or(Error::Stale)?;
        say!("{count} modules are up to date");
    } else if args.only.is_some() {
        say!("{all} modules compiled; all {count} take {size} bytes");
    } else {
        sums::write(&sources)?;
        say!("{count} modules of {all} differ from those of the tier below: {size} bytes");
    }
    Ok(())
}

/// A crate's modules as they are stored; what is not compiled stays.
fn pack(of: &Crate, modules: &[Module], args: &Args, folder: &Path) -> Result<Modules, Error> {
    let own = || modules.iter().filter(|module| module.folder == of.folder);
    let mut packed = if args.only.is_some() { modules::read(folder)? } else { Modules::new() };
    packed.retain(|(_, entry), _| of.entries.iter().any(|known| known.name == entry));
    for Module { sm, entry, .. } in own() {
        packed.remove(&(*sm, entry.name.to_owned()));
    }
    for Module { sm, entry, ptx, .. } in own() {
        modules::insert(&mut packed, *sm, entry.name, ptx);
    }
    Ok(packed)
}

/// The modules of a crate's entry points, all architectures at once.
fn build(of: &Crate, target: &Path, args: &Args) -> Result<Vec<Module>, Error> {
    if !of.entries.iter().any(|entry| args.selects(entry.name)) {
        return Ok(Vec::new());
    }
    let (folder, target) = (of.folder, target.join(of.folder));
    let kernels =
        Kernels::new(process::root().join(folder)).no_default_features().features(of.features.iter().copied());
    // Without the bodies of those whose names begin otherwise.
    let kernels = kernels.env("WARPLU_ONLY", args.only.as_deref().unwrap_or_default()).target_dir(target);
    let tiers = if args.tier.is_empty() { SMS.to_vec() } else { args.tier.clone() };
    let ptx = parallel(&tiers, |sm| Ok(kernels.clone().arch(format!("sm_{sm}")).build()?))?;
    let mut all = Vec::new();
    for (sm, ptx) in tiers.into_iter().zip(&ptx) {
        let names: Vec<_> = ptx.entries().collect();
        let missing = of.of_tier(sm).map(|entry| entry.name).filter(|name| !names.contains(name));
        let unknown = names.iter().filter(|name| !of.of_tier(sm).any(|entry| entry.name == **name));
        let missing = missing.map(|name| format!("{name}: not in the PTX"));
        let differences = missing.chain(unknown.map(|name| format!("{name}: not in the table"))).collect();
        List(differences).none_or(|differences| Error::Entries { folder, sm, differences })?;
        let module = |entry: &'static Entry| Module {
            folder,
            sm,
            entry,
            ptx: ptx.module(entry.name, entry.max_threads, entry.min_blocks),
        };
        all.extend(of.of_tier(sm).filter(|entry| args.selects(entry.name)).map(module));
    }
    Ok(all)
}

fn usages(ptxas: &Ptxas, modules: &[Module], target: &Path) -> Result<Vec<Usage>, Error> {
    parallel(modules, |Module { sm, entry, ptx, .. }| {
        ptxas.usage(*sm, entry.name, ptx, &target.join(format!("sm_{sm}/entries")))
    })
}

fn spills(modules: &[Module], usages: &[Usage]) -> impl Iterator<Item = String> {
    modules.iter().zip(usages).filter(|(module, usage)| usage.spills() && !may_spill(module.entry, usage)).map(
        |(module, usage)| {
            let Usage { registers, spill_stores, spill_loads, .. } = usage;
            let Module { sm, entry, .. } = module;
            format!("{} (sm_{sm}): spills {spill_stores}/{spill_loads} bytes at {registers} registers", entry.name)
        },
    )
}

fn may_spill(entry: &Entry, usage: &Usage) -> bool {
    let most = usage.spill_stores.max(usage.spill_loads);
    let for_blocks = (matches!(
        entry.variant,
        Variant::RegisterBlocked { .. } | Variant::Blocked { .. } | Variant::LookAhead { .. }
    ) || entry.min_blocks > 1)
        && most <= MAY_SPILL_FOR_BLOCKS;
    for_blocks || MAY_SPILL.iter().any(|&(name, bytes)| entry.name.starts_with(name) && most <= bytes)
}

fn report(modules: &[Module], usages: &[Usage]) {
    say!(
        "{:<24} {:>5} {:>7} {:>9} {:>7} {:>6} {:>13}",
        "entry",
        "sm",
        "threads",
        "registers",
        "shared",
        "stack",
        "spills"
    );
    for (Module { sm, entry, .. }, usage) in modules.iter().zip(usages) {
        let Usage { registers, stack, shared, spill_stores, spill_loads } = usage;
        let (spills, threads) = (format!("{spill_stores}/{spill_loads}"), entry.max_threads);
        let shared = shared + launched_with(entry).unwrap_or(0);
        say!("{:<24} {sm:>5} {threads:>7} {registers:>9} {shared:>7} {stack:>6} {spills:>13}", entry.name);
    }
}

/// Bytes of shared memory that a block of its largest order is launched with, if it has a largest one.
fn launched_with(entry: &Entry) -> Option<u32> {
    let n = entry.variant.largest_order();
    (n < u32::MAX).then(|| entry.shape(&Problem { n, batch: 1, rhs: 1 }).shared_bytes)
}

/// What is not as it was built.
fn differences(built: &Modules, committed: &Modules) -> Vec<String> {
    let of_built = built.iter().filter_map(|(module, ptx)| match committed.get(module) {
        None => Some((module, "missing")),
        Some(old) => (old != ptx).then_some((module, "stale")),
    });
    let extra = committed.keys().filter(|module| !built.contains_key(*module)).map(|module| (module, "extra"));
    of_built.chain(extra).map(|((sm, entry), what)| format!("sm_{sm}/{entry}: {what}")).collect()
}
