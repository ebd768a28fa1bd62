//! Streams that are captured, and the graphs of it.

use crate::api::*;

#[test]
fn captured_work_runs_when_its_graph_is_launched() {
    let turn = Turn::new();
    let (memory, to) = (device(2), pinned(2));
    to.fill(0);
    assert_eq!(cuStreamBeginCapture_v2(turn.stream, 0), 0);
    assert_eq!(made(|status| cuStreamIsCapturing(turn.stream, status)), 1);
    cuMemsetD8Async(memory, 3, 2, turn.stream);
    // Work of another stream that waits for captured work is captured too.
    let (event, other) = (made(|event| cuEventCreate(event, 2)), stream());
    cuEventRecord(event, turn.stream);
    cuStreamWaitEvent(other, event, 0);
    download(to, memory, other);
    let graph = made(|graph| cuStreamEndCapture(turn.stream, graph));
    let executable = made(|executable| cuGraphInstantiateWithFlags(executable, graph, 0));
    cuGraphDestroy(graph);
    cuStreamSynchronize(turn.stream);
    assert_eq!(to, [0; 2]);
    for _ in 0..2 {
        to.fill(0);
        assert_eq!(cuGraphLaunch(executable, turn.stream), 0);
        cuStreamSynchronize(turn.stream);
        assert_eq!(to, [3; 2]);
    }
    cuGraphExecDestroy(executable);
    assert_eq!((pretend_count(10), pretend_count(11)), (0, 0));
    assert_eq!(turn.faults(), [""; 0]);
}

#[test]
fn a_capture_does_not_stand_allocation_or_waiting() {
    for relaxed in [0, 2] {
        let turn = Turn::new();
        cuStreamBeginCapture_v2(turn.stream, relaxed);
        let mut memory = 0;
        assert_eq!(cuMemAlloc_v2(&mut memory, 4), if relaxed == 2 { 0 } else { 900 });
        assert_eq!(made(|status| cuStreamIsCapturing(turn.stream, status)), if relaxed == 2 { 1 } else { 2 });
        assert_eq!(cuStreamSynchronize(turn.stream), 900);
        let mut graph = 0;
        assert_eq!(cuStreamEndCapture(turn.stream, &mut graph), 901);
        assert_eq!(cuStreamSynchronize(turn.stream), 0);
    }
}

#[test]
fn captured_work_cannot_wait_for_other_work() {
    let turn = Turn::new();
    let (event, other) = (made(|event| cuEventCreate(event, 2)), stream());
    cuEventRecord(event, other);
    cuStreamBeginCapture_v2(turn.stream, 0);
    assert_eq!(cuStreamWaitEvent(turn.stream, event, 0), 905);
}

#[test]
fn a_graph_outlives_its_memory() {
    let turn = Turn::new();
    let memory = device(2);
    cuStreamBeginCapture_v2(turn.stream, 0);
    cuMemsetD8Async(memory, 3, 2, turn.stream);
    let graph = made(|graph| cuStreamEndCapture(turn.stream, graph));
    let executable = made(|executable| cuGraphInstantiateWithFlags(executable, graph, 0));
    cuMemFree_v2(memory);
    cuGraphLaunch(executable, turn.stream);
    turn.expect_fault("2 bytes that are let go");
}
