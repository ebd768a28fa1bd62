//! What the driver notes of its callers, and where it fails on demand.

use crate::api::*;

#[test]
fn memory_is_let_go_while_work_needs_it() {
    let turn = Turn::new();
    let (memory, host) = (device(4), pinned(4));
    upload(memory, host, turn.stream);
    assert_eq!(cuMemFreeHost(host.as_ptr().addr()), 0);
    turn.expect_fault("Pinned memory is let go while a copy that uses it is queued");
    assert_eq!(cuStreamSynchronize(turn.stream), 0);
    assert_eq!(cuMemFree_v2(memory), 0);
    assert_eq!(turn.faults().len(), 1);
}

#[test]
fn memory_is_freed_twice() {
    let turn = Turn::new();
    let memory = device(4);
    assert_eq!((cuMemFree_v2(memory), cuMemFree_v2(memory)), (0, 1));
    turn.expect_fault("cuMemFree_v2: double free");
}

#[test]
fn a_fill_is_outside_every_allocation() {
    let turn = Turn::new();
    let memory = device(4);
    assert_eq!(cuMemsetD8Async(memory + 2, 0, 4, turn.stream), 1);
    turn.expect_fault("beyond a Device allocation");
    assert_eq!(cuMemsetD8Async(16, 0, 4, turn.stream), 1);
    assert!(turn.faults()[1].contains("outside every allocation"));
}

#[test]
fn a_destroyed_stream_and_event_are_used() {
    let turn = Turn::new();
    let event = made(|event| cuEventCreate(event, 0));
    cuEventDestroy_v2(event);
    assert_eq!(cuEventQuery(event), 400);
    turn.expect_fault("use of a destroyed event");
    cuStreamDestroy_v2(turn.stream);
    assert_eq!(cuStreamSynchronize(turn.stream), 400);
    assert!(turn.faults()[1].contains("use of a destroyed stream"));
}

#[test]
fn a_stream_gets_memory_of_another_device() {
    let turn = Turn::new();
    let other = made(|context| cuDevicePrimaryCtxRetain(context, 1));
    cuCtxPushCurrent_v2(other);
    let memory = device(4);
    let event = made(|event| cuEventCreate(event, 0));
    pop();
    assert_eq!(cuMemsetD8Async(memory, 0, 4, turn.stream), 0);
    turn.expect_fault("a stream of one device gets a fill with memory of another");
    assert_eq!(cuEventRecord(event, turn.stream), 400);
    assert!(turn.faults()[1].contains("an event of one context is recorded in a stream of another"));
}

#[test]
fn no_context_is_current() {
    let turn = Turn::new();
    pop();
    assert_eq!(cuStreamSynchronize(turn.stream), 201);
    turn.expect_fault("no context is current");
}

#[test]
fn objects_outlive_their_context() {
    let turn = Turn::new();
    assert_eq!(cuDevicePrimaryCtxRelease_v2(0), 0);
    turn.expect_fault("1 objects outlive their context");
    assert_eq!(cuStreamSynchronize(turn.stream), 709);
}

#[test]
fn limits_are_kept() {
    let turn = Turn::new();
    pretend_limit(100, 50);
    let (mut memory, mut host) = (0, 0);
    assert_eq!((cuMemAlloc_v2(&mut memory, 101), cuMemAllocHost_v2(&mut host, 51)), (2, 2));
    assert_eq!((cuMemAlloc_v2(&mut memory, 100), cuMemAllocHost_v2(&mut host, 50)), (0, 0));
    assert_eq!(cuMemAlloc_v2(&mut memory, 1), 2);
    assert_eq!(turn.faults(), [""; 0]);
}

#[test]
fn the_chosen_call_fails_once() {
    let turn = Turn::new();
    pretend_fail_call(2, 999, false);
    let memory = device(4);
    assert_eq!(cuMemsetD8Async(memory, 0, 4, turn.stream), 999);
    assert_eq!(pretend_count(14), 0);
    assert_eq!(cuMemsetD8Async(memory, 0, 4, turn.stream), 0);
    pretend_fail_call(1, 700, false);
    assert_eq!(cuStreamSynchronize(turn.stream), 700);
    assert_eq!(pretend_count(14), 0); // what was queued is lost
    pretend_fail_call(1, 700, false);
    assert_eq!(cuMemFree_v2(memory), 700);
    assert_eq!(pretend_count(1), 0); // it is freed all the same
}

#[test]
fn a_sticky_failure_takes_the_device_with_it() {
    let turn = Turn::new();
    let memory = device(4);
    pretend_fail_call(1, 700, true);
    assert_eq!(cuMemsetD8Async(memory, 0, 4, turn.stream), 700);
    assert_eq!(cuStreamSynchronize(turn.stream), 700);
    assert_eq!(cuMemFree_v2(memory), 700);
    assert_eq!(pretend_count(1), 0);
    pop();
    assert_eq!(turn.faults(), [""; 0]);
}
