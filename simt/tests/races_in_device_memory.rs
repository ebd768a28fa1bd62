//! Races in device memory, within a block and between blocks.

mod common;

use common::*;
use simt::cpu::{FaultKind, Memory, run};
use simt::{block, sync_threads, thread};

const RACE: FaultKind = FaultKind::Race;

#[test]
fn device_memory_races_within_a_block() {
    let kernel = |address: u64, barrier: bool| {
        move || {
            let x = global::<f32>(address);
            x.store(thread::index().into(), 1.0);
            if barrier {
                sync_threads();
            }
            x.store((thread::index() ^ 32).into(), 2.0);
        }
    };
    for seed in SEEDS {
        let memory = Memory::new();
        let buffer = memory.allocate(4 * 64);
        let launch = launch(1, 64, 0, seed);
        let fault = run(&memory, &launch, kernel(buffer.address(), false)).unwrap_err();
        assert_eq!(fault.kind, RACE);
        assert_eq!(other(&fault).thread, fault.site.thread ^ 32);
        run(&memory, &launch, kernel(buffer.address(), true)).unwrap();
    }
}

#[test]
fn blocks_are_not_ordered_within_a_launch() {
    let memory = Memory::new();
    let buffer = memory.allocate(4 * 8);
    let address = buffer.address();
    let line = line!() + 2;
    let write_all_to = |factor: u32| {
        run(&memory, &launch(8, 1, 0, 0), move || global::<u32>(address).store((block::index() * factor).into(), 1))
    };
    let fault = write_all_to(0).unwrap_err();
    assert_eq!(fault.kind, RACE);
    assert_ne!(fault.site.block, other(&fault).block);
    assert_eq!((fault.site.line, other(&fault).line), (line, line));
    write_all_to(1).unwrap();
}

#[test]
fn a_write_races_with_reads_of_other_blocks() {
    let memory = Memory::new();
    let buffer = memory.allocate(8);
    buffer.write(0, &[0; 8]).unwrap();
    let address = buffer.address();
    let kernel = |writer: u32| {
        move || {
            let x = global::<f64>(address);
            let _ = x.load(0);
            sync_threads();
            if block::index() == writer && thread::index() == 0 {
                x.store(0, 1.0);
            }
        }
    };
    for seed in SEEDS {
        let fault = run(&memory, &launch(6, 64, 0, seed), kernel(3)).unwrap_err();
        assert_eq!(fault.kind, RACE);
        assert_ne!(fault.site.block, other(&fault).block);
        // One block may write after its own barrier, and many may read.
        run(&memory, &launch(1, 64, 0, seed), kernel(0)).unwrap();
        run(&memory, &launch(6, 64, 0, seed), kernel(99)).unwrap();
    }
}

#[test]
fn launches_are_ordered() {
    let memory = Memory::new();
    let buffer = memory.allocate(4);
    let address = buffer.address();
    for value in 0..4 {
        run(&memory, &launch(1, 1, 0, 0), || global::<u32>(address).store(0, value)).unwrap();
        run(&memory, &launch(4, 32, 0, 0), || assert_eq!(global::<u32>(address).load(0), value)).unwrap();
    }
}

#[test]
fn small_elements_are_told_apart() {
    let memory = Memory::new();
    let buffer = memory.allocate(128);
    let address = buffer.address();
    let launch = launch(4, 16, 0, 3);
    let i = || i64::from(block::index() * 16 + thread::index());
    run(&memory, &launch, || global::<u16>(address).store(i(), 1)).unwrap();
    run(&memory, &launch, || global::<u8>(address).store(i(), 1)).unwrap();
    let fault = run(&memory, &launch, || global::<u16>(address).store(i() / 2, 1)).unwrap_err();
    assert_eq!(fault.kind, RACE);
}
