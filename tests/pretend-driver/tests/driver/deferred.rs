//! Work is done by who waits for it, and no earlier.

use crate::api::*;

#[test]
fn a_copy_is_done_when_its_stream_is_waited_for() {
    let turn = Turn::new();
    let (from, to, memory) = (pinned(4), pinned(4), device(4));
    from.copy_from_slice(&[1, 2, 3, 4]);
    to.fill(9);
    assert_eq!(upload(memory, from, turn.stream), 0);
    assert_eq!(download(to, memory, turn.stream), 0);
    from[0] = 7; // too early: the copy has not read it yet
    assert_eq!(to, [9; 4]);
    assert_eq!(cuStreamSynchronize(turn.stream), 0);
    assert_eq!(to, [7, 2, 3, 4]);
    assert_eq!(turn.faults(), [""; 0]);
}

#[test]
fn new_memory_of_a_device_is_poisoned() {
    let turn = Turn::new();
    let to = pinned(4);
    to.fill(0);
    download(to, device(4), turn.stream);
    cuStreamSynchronize(turn.stream);
    assert_eq!(to, [0xa5; 4]);
}

#[test]
fn a_pageable_copy_is_counted_and_done_at_once() {
    let turn = Turn::new();
    let (memory, mut to) = (device(2), [0; 2]);
    let mut from = [1, 2];
    upload(memory, &from, turn.stream);
    from[0] = 9;
    download(&mut to, memory, turn.stream);
    assert_eq!((to, from), ([1, 2], [9, 2]));
    assert_eq!(pretend_count(13), 2);
}

#[test]
fn a_stream_waits_for_an_event_of_another() {
    let turn = Turn::new();
    let (memory, to, other) = (device(4), pinned(4), stream());
    let event = made(|event| cuEventCreate(event, 2));
    cuMemsetD8Async(memory, 5, 4, turn.stream);
    cuEventRecord(event, turn.stream);
    cuMemsetD8Async(memory, 6, 4, turn.stream); // behind the mark
    cuStreamWaitEvent(other, event, 0);
    download(to, memory, other);
    cuStreamSynchronize(other);
    assert_eq!(to, [5; 4]);
    cuStreamSynchronize(turn.stream);
    assert_eq!(turn.faults(), [""; 0]);
}

#[test]
fn streams_wait_for_the_default_stream_unless_they_do_not_block() {
    let turn = Turn::new();
    let (memory, to) = (device(1), pinned(1));
    let blocking = made(|stream| cuStreamCreate(stream, 0));
    cuMemsetD8Async(memory, 1, 1, 0);
    download(to, memory, turn.stream);
    cuStreamSynchronize(turn.stream);
    assert_eq!(to, [0xa5]);
    download(to, memory, blocking);
    cuStreamSynchronize(blocking);
    assert_eq!(to, [1]);
}

#[test]
fn who_asks_often_enough_finds_the_work_done() {
    let turn = Turn::new();
    let (memory, to) = (device(1), pinned(1));
    let event = made(|event| cuEventCreate(event, 2));
    download(to, memory, turn.stream);
    cuEventRecord(event, turn.stream);
    assert_eq!([0; 5].map(|_| cuEventQuery(event)), [600, 600, 600, 0, 0]);
    assert_eq!(cuStreamQuery(turn.stream), 0);
    assert_eq!(to, [0xa5]);
}

#[test]
fn work_of_a_destroyed_stream_is_still_there() {
    let turn = Turn::new();
    let event = made(|event| cuEventCreate(event, 2));
    let other = stream();
    cuMemsetD8Async(device(1), 0, 1, other);
    cuEventRecord(event, other);
    assert_eq!(cuStreamDestroy_v2(other), 0);
    assert_eq!(pretend_count(14), 1); // the mark is no work
    cuStreamWaitEvent(turn.stream, event, 0);
    assert_eq!(cuStreamSynchronize(turn.stream), 0);
    assert_eq!(pretend_count(14), 0);
    assert_eq!(turn.faults(), [""; 0]);
}
