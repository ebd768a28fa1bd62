//! What the tests of the emulator share.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use simt::Pod;
use simt::cpu::{Fault, FaultKind, Launch, Memory, Site, Traffic, run};
use simt::global::Global;
use simt::shared::{self, Shared};

/// Enough orders of the threads that a check of luck alone would not pass.
pub(crate) const SEEDS: std::ops::Range<u64> = 0..10;

pub(crate) const KERNEL: &str = "kernel_under_test";

pub(crate) fn launch(grid: u32, block: u32, shared_bytes: u32, seed: u64) -> Launch<'static> {
    Launch { kernel: KERNEL, grid, cluster: 1, block, shared_bytes, seed }
}

/// Runs one block with 4096 bytes of shared memory and no device memory.
pub(crate) fn run_block(threads: u32, seed: u64, body: impl Fn() + Sync) -> Result<Traffic, Fault> {
    run(&Memory::new(), &launch(1, threads, 4096, seed), body)
}

/// Runs one cluster, each block with 4096 bytes of shared memory, and no device memory.
pub(crate) fn run_cluster(blocks: u32, threads: u32, seed: u64, body: impl Fn() + Sync) -> Result<Traffic, Fault> {
    let launch = Launch { cluster: blocks, ..launch(blocks, threads, 4096, seed) };
    run(&Memory::new(), &launch, body)
}

/// Whether a cluster ends without a fault, with many seeds.
#[track_caller]
pub(crate) fn assert_cluster_clean(blocks: u32, threads: u32, body: impl Fn() + Sync) {
    for seed in 0..40 {
        if let Err(fault) = run_cluster(blocks, threads, seed, &body) {
            panic!("{blocks} blocks, seed {seed}: {fault}");
        }
    }
}

/// Whether a cluster ends with a fault of this kind, with all seeds; returns those faults.
#[track_caller]
pub(crate) fn assert_cluster_fault(kind: FaultKind, blocks: u32, threads: u32, body: impl Fn() + Sync) -> Vec<Fault> {
    SEEDS
        .map(|seed| {
            let fault = run_cluster(blocks, threads, seed, &body).expect_err("a fault");
            assert_eq!(fault.kind, kind, "seed {seed}: {fault}");
            fault
        })
        .collect()
}

/// Whether a fault's message has all of these parts.
#[track_caller]
pub(crate) fn assert_mentions(fault: &Fault, parts: &[&str]) {
    for part in parts {
        assert!(fault.detail.contains(part), "{part:?} is not in {fault}");
    }
}

/// Whether all seeds end without a fault.
#[track_caller]
pub(crate) fn assert_clean(threads: u32, body: impl Fn() + Sync) {
    for seed in SEEDS {
        if let Err(fault) = run_block(threads, seed, &body) {
            panic!("seed {seed}: {fault}");
        }
    }
}

/// Whether all seeds end with a fault of this kind in block 0; returns those faults.
#[track_caller]
pub(crate) fn assert_fault(kind: FaultKind, threads: u32, body: impl Fn() + Sync) -> Vec<Fault> {
    SEEDS
        .map(|seed| {
            let fault = run_block(threads, seed, &body).expect_err("a fault");
            assert_eq!(fault.kind, kind, "seed {seed}: {fault}");
            assert_eq!((fault.kernel.as_str(), fault.site.block), (KERNEL, 0));
            assert!(fault.site.file.ends_with(".rs") && fault.site.file.contains("tests"), "{fault}");
            fault
        })
        .collect()
}

/// The other thread of a fault.
pub(crate) fn other(fault: &Fault) -> &Site {
    fault.other.as_deref().expect("two threads at odds")
}

/// The two threads of a fault and their lines, the lower thread first.
pub(crate) fn pair(fault: &Fault) -> [(u32, u32); 2] {
    let mut pair = [&fault.site, other(fault)].map(|site| (site.thread, site.line));
    pair.sort_unstable();
    pair
}

/// The block's shared memory.
pub(crate) fn shared<T: Pod>() -> Shared<T> {
    // SAFETY: the emulator checks what is done with it.
    unsafe { shared::array(0) }
}

/// Device memory.
pub(crate) fn global<T: Pod>(address: u64) -> Global<T> {
    // SAFETY: the emulator checks what is done with it.
    unsafe { Global::new(address) }
}

/// For values that are asked for only to see whether that faults.
pub(crate) fn ignore<T: Pod>(_: T) {}

/// The line that ends in the comment `// [mark]`, in a test's source.
pub(crate) fn marked(source: &str, mark: &str) -> u32 {
    let comment = format!("// [{mark}]");
    let mut lines = source.lines().zip(1..).filter(|(line, _)| line.ends_with(&comment));
    let (_, line) = lines.next().expect("a marked line");
    assert!(lines.next().is_none(), "{mark} marks two lines");
    line
}
