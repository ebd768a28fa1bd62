//! Bounds, alignment, and memory that nobody wrote.

mod common;

use common::*;
use simt::cpu::{Buffer, Fault, FaultKind, Memory, Traffic, run};
use simt::global::Global;
use simt::shared::Vector;
use simt::{block, sync_threads, thread};

/// The line of this file marked so.
fn line_of(mark: &str) -> u32 {
    marked(include_str!("accesses.rs"), mark)
}

fn run_one(memory: &Memory, body: impl Fn() + Sync) -> Result<Traffic, Fault> {
    run(memory, &launch(1, 1, 0, 0), body)
}

fn kind(outcome: Result<Traffic, Fault>) -> FaultKind {
    outcome.expect_err("a fault").kind
}

fn zeros(memory: &Memory, bytes: usize) -> Buffer {
    let buffer = memory.allocate(bytes);
    buffer.write(0, &vec![0; bytes]).unwrap();
    buffer
}

#[test]
fn shared_memory_ends_where_the_launch_says() {
    let kernel = |elements: u32| {
        move || {
            for i in 0..elements {
                shared::<f64>().store(i, 1.0); // [past the end]
            }
        }
    };
    assert_clean(1, kernel(512));
    for fault in assert_fault(FaultKind::OutOfBounds, 1, kernel(513)) {
        assert_eq!((fault.site.thread, fault.site.line), (0, line_of("past the end")));
    }
    // Half of the element fits.
    let outcome = run(&Memory::new(), &launch(1, 1, 12, 0), || shared::<f64>().store(1, 1.0));
    assert_eq!(kind(outcome), FaultKind::OutOfBounds);
    // An offset that would wrap around in 32 bits.
    assert_fault(FaultKind::OutOfBounds, 1, || ignore(shared::<f64>().load(1 << 29)));
}

#[test]
fn device_memory_ends_with_its_allocation() {
    let memory = Memory::new();
    let buffers: Vec<Buffer> = (1..=20).map(|len| zeros(&memory, 4 * len)).collect();
    for buffer in &buffers {
        let x = global::<u32>(buffer.address());
        let len = buffer.len() as i64 / 4;
        run_one(&memory, || (0..len).for_each(|i| x.store(i, x.load(i)))).unwrap();
        for i in [-1, len, len + 1, len + 1000, i64::MAX / 8, i64::MIN / 8] {
            assert_eq!(kind(run_one(&memory, || x.store(i, 0))), FaultKind::OutOfBounds);
            assert_eq!(kind(run_one(&memory, || ignore(x.load(i)))), FaultKind::OutOfBounds);
        }
    }
    // Half of the element fits.
    let half = global::<f64>(buffers[0].address());
    assert_eq!(kind(run_one(&memory, || half.store(0, 0.0))), FaultKind::OutOfBounds);
    assert_eq!(kind(run_one(&memory, || global::<u32>(0).store(0, 0))), FaultKind::OutOfBounds);
}

#[test]
fn the_fault_names_thread_and_block() {
    let memory = Memory::new();
    let buffer = memory.allocate(4 * 64 * 3);
    let address = buffer.address();
    for seed in SEEDS {
        let line = line!() + 3;
        let fault = run(&memory, &launch(4, 64, 0, seed), || {
            let i = block::index() * 64 + thread::index();
            global::<u32>(address).store(if i == 150 { -1 } else { i64::from(i).min(191) + i64::from(i > 191) }, i);
        });
        let fault = fault.unwrap_err();
        assert_eq!((fault.kind, fault.kernel.as_str()), (FaultKind::OutOfBounds, KERNEL));
        assert_eq!((fault.site.block, fault.site.thread, fault.site.line), (2, 22, line));
        let text = fault.to_string();
        let place = format!("block 2, thread 22 at {}:{line}", file!());
        assert!(text.contains(&place) && text.contains(KERNEL) && text.contains("byte -4 of"), "{text}");
    }
}

#[test]
fn freed_memory_is_out_of_bounds() {
    let memory = Memory::new();
    let buffer = zeros(&memory, 4);
    let x = global::<u32>(buffer.address());
    run_one(&memory, || ignore(x.load(0))).unwrap();
    drop(buffer);
    let _others: Vec<Buffer> = (0..10).map(|_| zeros(&memory, 4)).collect();
    assert_eq!(kind(run_one(&memory, || ignore(x.load(0)))), FaultKind::OutOfBounds);
}

#[test]
fn another_memory_is_out_of_bounds() {
    let (memory, others) = (Memory::new(), Memory::new());
    let buffer = zeros(&others, 4);
    let x = global::<u32>(buffer.address());
    run_one(&others, || ignore(x.load(0))).unwrap();
    run_one(&others.clone(), || ignore(x.load(0))).unwrap();
    assert_eq!(kind(run_one(&memory, || ignore(x.load(0)))), FaultKind::OutOfBounds);
}

#[test]
fn empty_buffers_have_addresses_too() {
    let memory = Memory::new();
    let (a, b) = (memory.allocate(0), memory.allocate(0));
    assert!(a.is_empty() && a.address() != 0 && a.address() != b.address());
    assert_eq!(kind(run_one(&memory, || global::<u8>(a.address()).store(0, 0))), FaultKind::OutOfBounds);
}

#[test]
fn addresses_are_aligned() {
    let memory = Memory::new();
    let buffers: Vec<Buffer> = (0..100).map(|len| memory.allocate(len)).collect();
    assert!(buffers.iter().all(|buffer| buffer.address().is_multiple_of(256)));
}

#[test]
fn shared_memory_begins_unwritten() {
    let kernel = |initialise: bool| {
        move || {
            if initialise {
                shared::<u32>().store(thread::index(), 0);
            }
            let _ = shared::<u32>().load(thread::index()); // [unwritten]
        }
    };
    for fault in assert_fault(FaultKind::Unwritten, 64, kernel(false)) {
        assert_eq!(fault.site.line, line_of("unwritten"));
    }
    assert_clean(64, kernel(true));
    // What an earlier block wrote does not count.
    for seed in SEEDS {
        let fault = run(&Memory::new(), &launch(4, 1, 4, seed), || match block::index() {
            0 | 1 => shared::<u32>().store(0, 0),
            _ => ignore(shared::<u32>().load(0)),
        });
        let fault = fault.unwrap_err();
        assert_eq!((fault.kind, fault.site.block), (FaultKind::Unwritten, 2));
    }
}

#[test]
fn device_memory_begins_unwritten() {
    let memory = Memory::new();
    let buffer = memory.allocate(3 * 4096 + 100);
    let x: Global<u32> = global(buffer.address());
    let load = |i: i64| run_one(&memory, move || ignore(x.load(i)));
    assert_eq!(kind(load(0)), FaultKind::Unwritten);
    assert_eq!(kind(load(2000)), FaultKind::Unwritten);
    // Three of the four bytes are not enough; the message names the missing one.
    buffer.write(8000, &[1; 3]).unwrap();
    let fault = load(2000).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Unwritten);
    assert!(fault.detail.contains("byte 8003 of"), "{fault}");
    buffer.write(8003, &[1]).unwrap();
    load(2000).unwrap();
    // Written by a kernel, in a launch before.
    run_one(&memory, || x.store(3, 1)).unwrap();
    load(3).unwrap();
    assert_eq!(kind(load(4)), FaultKind::Unwritten);
    // Whole pages by the host.
    buffer.write(0, &[0; 3 * 4096 + 100]).unwrap();
    for i in 0..(3 * 1024 + 25) {
        load(i).unwrap();
    }
}

#[test]
fn vectors_must_be_aligned() {
    let memory = Memory::new();
    let buffer = zeros(&memory, 64);
    let x = global::<f64>(buffer.address());
    run_one(&memory, || ignore(x.offset(2).vectors::<2>().load(1))).unwrap();
    assert_eq!(kind(run_one(&memory, || ignore(x.offset(1).vectors::<2>().load(1)))), FaultKind::Misaligned);
    assert_eq!(kind(run_one(&memory, || x.offset(3).vectors::<2>().store(0, Vector([0.0; 2])))), FaultKind::Misaligned);
    assert_eq!(kind(run_one(&memory, || ignore(global::<u32>(buffer.address() + 2).load(0)))), FaultKind::Misaligned);
    let shared_at = |offset: u32| {
        // SAFETY: the emulator checks it.
        move || unsafe { simt::shared::array::<f32>(offset) }.vectors::<4>().store(1, Vector([1.0; 4]))
    };
    assert_clean(1, shared_at(32));
    assert_fault(FaultKind::Misaligned, 1, shared_at(8));
}

#[test]
fn vectors_move_what_elements_hold() {
    let memory = Memory::new();
    let buffer = memory.allocate(32);
    let x = global::<f32>(buffer.address());
    run_one(&memory, || {
        (0..8).for_each(|i| x.store(i, i as f32));
        assert_eq!(x.vectors::<4>().load(1), Vector([4.0, 5.0, 6.0, 7.0]));
        x.vectors::<4>().store(0, Vector([10.0, 11.0, 12.0, 13.0]));
        assert_eq!([0, 1, 2, 3].map(|i| x.load(i)), [10.0, 11.0, 12.0, 13.0]);
    })
    .unwrap();
}

#[test]
fn values_of_all_sizes_cross_pages() {
    let memory = Memory::new();
    let buffer = memory.allocate(3 * 4096);
    let value: [f64; 7] = std::array::from_fn(|i| i as f64);
    // 56-byte elements: some begin in one page and end in the next.
    let x = global::<[f64; 7]>(buffer.address());
    run_one(&memory, || {
        (0..3 * 4096 / 56).for_each(|i| x.store(i, value));
        (0..3 * 4096 / 56).for_each(|i| assert_eq!(x.load(i), value));
    })
    .unwrap();
    let mut bytes = [0; 56];
    buffer.read(56 * 73, &mut bytes).unwrap();
    assert_eq!(bytes, value.map(f64::to_le_bytes).concat().as_slice());
}

#[test]
fn host_copies_stay_within_the_buffer() {
    let buffer = Memory::new().allocate(10_000);
    let mut all = vec![0; 10_000];
    buffer.read(0, &mut all).unwrap();
    assert!(all.iter().all(|&byte| byte == 0xFF));
    let data: Vec<u8> = (0..9_000_u32).map(|i| i as u8).collect();
    buffer.write(1_000, &data).unwrap();
    buffer.read(0, &mut all).unwrap();
    assert!(all[..1_000].iter().all(|&byte| byte == 0xFF) && all[1_000..] == data);
    assert!(buffer.write(1_001, &data).is_err() && buffer.read(1, &mut all).is_err());
    assert!(buffer.write(usize::MAX, &data).is_err() && buffer.read(10_000, &mut []).is_ok());
}

#[test]
fn accesses_are_counted() {
    let memory = Memory::new();
    let buffer = zeros(&memory, 8 * 256);
    let x = global::<f64>(buffer.address());
    let traffic = run(&memory, &launch(4, 64, 8 * 64, 0), || {
        let i = block::index() * 64 + thread::index();
        shared::<f64>().store(thread::index(), x.load(i.into()));
        sync_threads();
        let sum = shared::<f64>().load(thread::index()) + shared::<f64>().load(63 - thread::index());
        if thread::index() < 10 {
            x.store(i.into(), sum);
        }
    });
    let expected = Traffic { global_loads: 256, global_stores: 40, shared_loads: 512, shared_stores: 256 };
    assert_eq!(traffic.unwrap(), expected);
}
