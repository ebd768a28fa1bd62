//! `cargo xtask tune`: the host's tables of preferred kernels, from measurements of each kernel.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use kernels_gpu::entry::{Entry, Family};
use kernels_gpu::table;
use numbers::scalar::ScalarKind;

use crate::error::Error;
use crate::measurements::{self, Library, Measurements, Row, WRONG};
use crate::{bench, process};

/// A table of preferred kernels.
struct Table {
    path: &'static str,
    name: &'static str,
    what: &'static str,
    /// Whether it is by measurements of one matrix, or of many.
    of_one: bool,
}

/// What is written, each where there are measurements for it.
const TABLES: [Table; 2] = [
    Table {
        path: "host/src/choice/tuned.rs",
        name: "TUNED",
        what: "The fastest kernel by tier, family, type and order",
        of_one: false,
    },
    Table {
        path: "host/src/choice/latency.rs",
        name: "LATENCY",
        what: "The kernel that has one matrix done soonest, by tier, family, type and order",
        of_one: true,
    },
];
/// What is measured.
const ALL: [&str; 4] = ["--kernel=all", "--op=lu,inv,solve,lu-solve", "--dtype=f32,f64,c32,c64", "--peers=none"];
/// At which orders, and by how many matrices: a choice holds for the orders from that of the one before.
const SWEEPS: [[&str; 2]; 3] = [
    ["--n=4..32:4,40..192:8", "--batch=10000"],
    ["--n=208,224,256,320,384,448,512", "--batch=1056"],
    ["--n=8,16,32,40,48,64..192:16,224,256,384,512", "--batch=1"],
];
/// The tier of files that do not say it: the highest.
const DEFAULT_TIER: u32 = 90;
/// The kernel of the next larger orders is kept where no other is faster by more than this part: that is noise.
const NOISE: f64 = 0.02;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// JSON of `warplu-bench --kernel all`; without any, it is measured now, on this machine's GPU
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// More arguments of that `warplu-bench`, such as --reps 9
    #[arg(last = true, conflicts_with = "files")]
    args: Vec<String>,
}

/// Kernels of one family and type, with their seconds for a matrix, by order.
type Times = BTreeMap<u32, Vec<(&'static Entry, f64)>>;

/// A line of a table: a kernel, and the largest order that it is for.
type Choice = (u32, &'static Entry);

/// The choices of each tier.
type Tiers = BTreeMap<u32, Vec<Choice>>;

pub(crate) fn run(args: &Args) -> Result<(), Error> {
    let measured: Vec<_> = if args.files.is_empty() {
        (0..SWEEPS.len()).map(|sweep| measure(sweep, &args.args)).collect::<Result<_, _>>()?
    } else {
        args.files.clone()
    };
    let files = measurements::read_all(&measured)?;
    let mut written = 0;
    for table in TABLES {
        let tiers = tiers(&files, table.of_one)?;
        if tiers.is_empty() {
            continue;
        }
        let path = process::root().join(table.path);
        fs::write(&path, text(&files, &table, &tiers)).map_err(Error::io(&path))?;
        process::run(Command::new("rustfmt").args(["--edition", "2024"]).arg(&path))?;
        say!("{}: {} choices", path.display(), tiers.values().map(Vec::len).sum::<usize>());
        written += 1;
    }
    if written == 0 { Err(Error::NoKernels) } else { Ok(()) }
}

/// The choices of each tier by measurements of one matrix, or of many, where there are any.
fn tiers(files: &[Measurements], of_one: bool) -> Result<Tiers, Error> {
    let mut tiers = Tiers::new();
    for tier in files.iter().map(tier).collect::<BTreeSet<_>>() {
        let rows = files.iter().filter(|file| self::tier(file) == tier).flat_map(|file| &file.rows);
        let choices = choices(rows.filter(|row| (row.batch == 1) == of_one))?;
        if !choices.is_empty() {
            tiers.insert(tier, choices);
        }
    }
    Ok(tiers)
}

/// Measures every kernel at the orders of a sweep, into a file.
fn measure(sweep: usize, more: &[String]) -> Result<PathBuf, Error> {
    let file = process::target().join(format!("tune-{sweep}.json"));
    let mut args: Vec<_> = ALL.iter().chain(&SWEEPS[sweep]).map(Into::into).collect();
    args.extend(["--json".into(), file.clone().into()]);
    args.extend(more.iter().map(Into::into));
    bench::run(&bench::Args::of(args))?;
    Ok(file)
}

/// The tier of the kernels that were measured.
fn tier(file: &Measurements) -> u32 {
    file.tier.unwrap_or(DEFAULT_TIER)
}

/// The choices of all families and types that were measured, sorted.
fn choices<'f>(rows: impl Iterator<Item = &'f Row>) -> Result<Vec<Choice>, Error> {
    let mut measured = Vec::new();
    for row in rows {
        if let Some((entry, seconds)) = kernel(row)? {
            measured.push((row.n, entry, seconds / row.batch as f64));
        }
    }
    let times = |family, kind| {
        let mut times = Times::new();
        for &(n, entry, seconds) in measured.iter().filter(|(_, e, _)| (e.family, e.kind) == (family, kind)) {
            times.entry(n).or_default().push((entry, seconds));
        }
        times
    };
    let mut choices = Vec::new();
    let mut families: Vec<Family> = table::entries().map(|entry| entry.family).collect();
    families.dedup();
    families.sort_unstable_by_key(|family| family.name());
    families.dedup();
    for family in families {
        for kind in ScalarKind::ALL {
            let own = times(family, kind);
            let end = match family {
                Family::Gesv => where_two_are_faster(&own, &times(Family::Getrf, kind), &times(Family::Getrs, kind)),
                _ => None,
            };
            choices.extend(fastest(&own, end.unwrap_or(u32::MAX)));
        }
    }
    Ok(choices)
}

/// The first order at which two launches are faster than one.
fn where_two_are_faster(one: &Times, first: &Times, second: &Times) -> Option<u32> {
    let least = |times: &Times, n| times.get(&n)?.iter().map(|(_, seconds)| *seconds).min_by(f64::total_cmp);
    one.keys().copied().find(|&n| match (least(one, n), least(first, n), least(second, n)) {
        (Some(one), Some(first), Some(second)) => first + second < one * (1.0 - NOISE),
        _ => false,
    })
}

/// The kernel that a row is of, and its seconds, if it is one that does the operation, and right.
fn kernel(row: &Row) -> Result<Option<(&'static Entry, f64)>, Error> {
    let name = row.algorithm.as_deref().and_then(|algorithm| algorithm.strip_prefix("kernel:"));
    let kind = ScalarKind::ALL.into_iter().find(|kind| kind.name() == row.dtype);
    let (Some(name), Some(kind), Library::Warplu) = (name, kind, row.library) else { return Ok(None) };
    let missing = || Error::Kernel { name: name.to_owned(), dtype: row.dtype.clone() };
    let entry = table::named(name, kind).ok_or_else(missing)?;
    let family = match row.op.as_str() {
        "lu" => Family::Getrf,
        "inv" => Family::Inverse,
        "lu-inv" => Family::Getri,
        "solve" => Family::Gesv,
        "lu-solve" => Family::Getrs,
        _ => return Ok(None),
    };
    let is_right = row.ratio.is_none_or(|ratio| ratio < WRONG);
    let seconds = row.seconds.filter(|_| entry.family == family && is_right);
    Ok(seconds.map(|seconds| (entry, seconds.median)))
}

/// The choices of one family and type for orders below `end`, by ascending order.
fn fastest(times: &Times, end: u32) -> Vec<Choice> {
    let mut choices: Vec<Choice> = Vec::new();
    for (&n, kernels) in times.range(..end).rev() {
        let Some(&(entry, least)) = kernels.iter().min_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
        let stays = choices.last().is_some_and(|(_, next)| {
            kernels.iter().any(|(entry, seconds)| entry.name == next.name && *seconds <= least * (1.0 + NOISE))
        });
        if !stays {
            choices.push((n, entry));
        }
    }
    choices.reverse();
    // Of the orders that were not measured, a kernel also gets those that it takes before the next one that was.
    for (n, entry) in &mut choices {
        let next = times.range(*n + 1..end).next().map_or(end, |(&next, _)| next);
        let largest = entry.variant.largest_order();
        if largest < next {
            *n = largest;
        }
    }
    choices
}

/// A table as Rust.
fn text(files: &[Measurements], table: &Table, tiers: &Tiers) -> String {
    let origin = |file: &Measurements| {
        format!("{}; {}", file.origin(), file.toolchain.as_deref().unwrap_or("unknown toolchain"))
    };
    let origins: BTreeSet<_> = files.iter().map(origin).collect();
    let mut text = format!("//! {}, written by `cargo xtask tune`.\n//!\n//! Measured on ", table.what);
    text += &origins.into_iter().collect::<Vec<_>>().join(",\n//! and on ");
    text += ".\n\nuse kernels_gpu::entry::Family;\nuse kernels_gpu::entry::Variant::*;\n\
        use numbers::scalar::ScalarKind;\n\nuse super::Rows;\n\n\
        /// The rows of each tier of GPUs, by the compute capability that its kernels ask for, times 10.\n";
    let lists: Vec<_> = tiers.keys().map(|tier| format!("({tier}, SM_{tier})")).collect();
    text += &format!("pub(super) const {}: &[(u32, &[Rows])] = &[{}];\n", table.name, lists.join(", "));
    for (tier, choices) in tiers {
        // Writing to a string does not fail.
        let _ = writeln!(text, "\n#[rustfmt::skip]\nconst SM_{tier}: &[Rows] = &[");
        let of = |(_, entry): &Choice| (entry.family, entry.kind);
        for rows in choices.chunk_by(|a, b| of(a) == of(b)) {
            let (family, kind) = of(&rows[0]);
            let _ = writeln!(text, "    (Family::{family:?}, ScalarKind::{kind:?}, &[{}\n    ]),", filled(rows));
        }
        text += "];\n";
    }
    text
}

/// Rows of a table, as many a line as 120 columns have room for.
fn filled(rows: &[Choice]) -> String {
    let (mut text, mut width) = (String::new(), 120);
    for (n, entry) in rows {
        let row = format!(" ({n}, {:?}),", entry.variant);
        if width + row.len() > 120 {
            text += "\n       ";
            width = 7;
        }
        width += row.len();
        text += &row;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurements::tests::{file, row};

    /// The choices of measurements: kernel, order, milliseconds.
    fn chosen(rows: &[(&str, u32, f64)]) -> Vec<(u32, &'static str)> {
        let rows: Vec<_> =
            rows.iter().map(|(name, n, ms)| row("warplu", &format!("kernel:{name}"), *n, *ms, 1.0)).collect();
        choices(file("", &rows).rows.iter()).unwrap().into_iter().map(|(n, entry)| (n, entry.base_name())).collect()
    }

    #[test]
    fn the_fastest_kernels_are_chosen_for_ranges_of_orders() {
        let rows = [
            ("getrf_in_registers_n8", 4, 1.0),
            ("getrf_in_registers_n16", 4, 2.0),
            ("getrf_in_registers_n32", 4, 4.0),
            ("getrf_in_registers_n16", 12, 3.0),
            ("getrf_in_registers_n32", 12, 3.1),
            ("getrf_in_registers_n32", 20, 5.0),
            ("getrf_global", 20, 9.0),
            ("getrf_left_looking_n64_w1", 40, 9.0),
            ("getrf_global", 40, 9.5),
            ("getrf_global", 64, 9.5),
            ("getrf_left_looking_n64_w1", 64, 9.0),
            ("getrf_blocked_r1_p4_w5", 70, 9.5),
            ("getrf_global", 70, 9.0),
        ];
        // A kernel goes to where it ends; one that has no end to the last order that was measured.
        let expected = [
            (8, "getrf_in_registers_n8"),
            (16, "getrf_in_registers_n16"),
            (32, "getrf_in_registers_n32"),
            (64, "getrf_left_looking_n64_w1"),
            (70, "getrf_global"),
        ];
        assert_eq!(chosen(&rows), expected);
    }

    #[test]
    fn a_kernel_ends_where_another_one_is_faster() {
        let rows = [
            ("getrf_in_registers_n16", 8, 1.0),
            ("getrf_in_registers_n32", 8, 1.5),
            ("getrf_in_registers_n16", 9, 2.0),
            ("getrf_in_registers_n32", 9, 1.0),
        ];
        assert_eq!(chosen(&rows), [(8, "getrf_in_registers_n16"), (32, "getrf_in_registers_n32")]);
    }

    #[test]
    fn noise_changes_no_kernel() {
        let rows = [
            ("getrf_in_registers_n16", 8, 0.99),
            ("getrf_in_registers_n32", 8, 1.0),
            ("getrf_in_registers_n32", 24, 1.0),
        ];
        assert_eq!(chosen(&rows), [(32, "getrf_in_registers_n32")]);
    }

    #[test]
    fn one_launch_ends_where_two_are_faster() {
        let of = |name: &str, op: &str, n, ms| {
            let op = format!("\"op\": \"{op}\"");
            row("warplu", &format!("kernel:{name}"), n, ms, 1.0).replace("\"op\": \"lu\"", &op)
        };
        let mut rows = Vec::new();
        for (n, one) in [(12, 2.9), (18, 3.01), (24, 3.2), (32, 2.0)] {
            rows.push(of("gesv_in_registers_n32", "solve", n, one));
            rows.push(of("getrf_in_registers_n32", "lu", n, 2.0));
            rows.push(of("getrs_warp_n32", "lu-solve", n, 1.0));
        }
        let of_one = |choices: Vec<Choice>| -> Vec<_> {
            choices.into_iter().filter(|(_, entry)| entry.family == Family::Gesv).map(|(n, _)| n).collect()
        };
        assert_eq!(of_one(choices(file("", &rows).rows.iter()).unwrap()), [18]);
        // The kernel takes 32.
        rows.retain(|row| !row.contains("\"n\": 24"));
        assert_eq!(of_one(choices(file("", &rows).rows.iter()).unwrap()), [32]);
    }

    #[test]
    fn only_right_results_of_single_kernels_count() {
        let wrong =
            row("warplu", "kernel:getrf_in_registers_n8", 4, 0.1, 1.0).replace("\"ratio\": null", "\"ratio\": 31");
        let other = row("warplu", "kernel:getrs_warp_n8", 4, 0.1, 1.0); // its rest is another kernel's
        let rows = [row("warplu", "auto", 4, 0.1, 1.0), row("cublas", "getrf", 4, 0.1, 1.0), wrong, other];
        assert!(choices(file("", &rows).rows.iter()).unwrap().is_empty());
        let unknown =
            choices(file("", &[row("warplu", "kernel:getrf_in_registers_n9", 4, 0.1, 1.0)]).rows.iter()).unwrap_err();
        assert!(unknown.to_string().contains("getrf_in_registers_n9"));
    }

    #[test]
    fn the_table_names_its_origin_and_each_choice() {
        let many = row("warplu", "kernel:getrf_in_registers_n8", 4, 1.0, 1.0);
        let few = row("warplu", "kernel:getrf_in_registers_n16", 4, 1.0, 1.0).replace("\"batch\": 10", "\"batch\": 1");
        let files = [file("", &[many, few])];
        for (table, n) in TABLES.iter().zip([8, 16]) {
            let text = text(&files, table, &tiers(&files, table.of_one).unwrap());
            assert!(text.contains(&format!("{}: &[(u32, &[Rows])] = &[(90, SM_90)];\n\n", table.name)), "{text}");
            assert!(text.contains("//! Measured on H200, CUDA 13.0, 2026-11-21; unknown toolchain.\n"), "{text}");
            let rows = format!("&[\n        ({n}, InRegisters {{ n: {n} }}),\n    ]),\n];\n");
            assert!(text.ends_with(&format!("&[\n    (Family::Getrf, ScalarKind::F64, {rows}")), "{text}");
        }
    }
}
