//! Runs that end early: killed ranks and signals.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use super::{PROGRAM, mpirun};
use crate::support::{Array, Place, Run};

/// How long the ranks of a busy machine may take to end.
const PATIENCE: Duration = Duration::from_secs(20);

/// Matrices that take the emulator far longer than it takes to find a rank and to stop it.
fn place() -> Place {
    let place = Place::new();
    place.save("a.npy", &Array::sample("<f8", &[100, 128, 128]));
    place.write("x.npy", "old");
    place
}

/// Whether a process runs, and is this rank. One that has ended but that nobody has waited for has no environment.
fn is_rank(id: u32, rank: usize) -> bool {
    let wanted = format!("OMPI_COMM_WORLD_RANK={rank}");
    let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
    environment.split(|&byte| byte == 0).any(|set| set == wanted.as_bytes())
}

/// The process of a rank of `mpirun`, which has started it itself.
fn rank(mpirun: &Child, rank: usize) -> Option<u32> {
    let is_it = |id: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let parent = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1)?.parse().ok());
        parent == Some(mpirun.id()) && is_rank(id, rank)
    };
    let ids = std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.into_iter().find(|&id| is_it(id))
}

fn signal(name: &str, id: u32) {
    assert!(Command::new("kill").args(["-s", name, &id.to_string()]).status().unwrap().success());
}

fn temporaries(place: &Place) -> usize {
    place.files().iter().filter(|name| name.starts_with(".warplu-")).count()
}

/// Starts two ranks, and stops the second when the outputs have been made, so that the run cannot end.
fn start(place: &Place) -> (Child, [u32; 2]) {
    let mut command = mpirun(place);
    command.args(["-n", "2", PROGRAM]).args("lu a.npy -o x.npy --pivots p.npy --device sim".split(' '));
    let mut child = command.spawn().unwrap();
    while temporaries(place) < 2 {
        assert!(child.try_wait().unwrap().is_none(), "it ended too early");
        std::thread::sleep(Duration::from_millis(1));
    }
    let ranks = [0, 1].map(|number| rank(&child, number).unwrap());
    signal("STOP", ranks[1]);
    (child, ranks)
}

/// Waits for `mpirun`, which does not wait for ranks to end that it has sent a signal, and for them. Nothing is new.
fn end(child: Child, ranks: [u32; 2], place: &Place) {
    let ended: Run = child.wait_with_output().unwrap().into();
    assert!(ended.code != Some(0), "{ended:?}");
    let start = Instant::now();
    let running = || (0..2).filter(|&number| is_rank(ranks[number], number)).collect::<Vec<_>>();
    while !running().is_empty() {
        assert!(start.elapsed() < PATIENCE, "ranks {:?} did not end: {ended:?}", running());
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(std::fs::read(place.path("x.npy")).unwrap(), b"old", "{ended:?}");
    assert_eq!(place.files().len(), 2 + temporaries(place), "{ended:?}");
}

#[test]
fn a_rank_that_is_killed_takes_the_others_along() {
    let place = place();
    let (child, ranks) = start(&place);
    signal("KILL", ranks[1]);
    end(child, ranks, &place);
    assert_eq!(temporaries(&place), 0);
}

#[test]
fn the_first_that_is_killed_leaves_its_temporary_files() {
    let place = place();
    let (child, ranks) = start(&place);
    signal("KILL", ranks[0]);
    end(child, ranks, &place);
    assert_eq!(temporaries(&place), 2);
}

#[test]
fn signals_to_the_first_remove_its_temporary_files() {
    for name in ["INT", "TERM"] {
        let place = place();
        let (child, ranks) = start(&place);
        signal(name, ranks[0]);
        end(child, ranks, &place);
        assert_eq!(temporaries(&place), 0, "{name}");
    }
}

/// Once one rank has ended by the signal, `mpirun` kills the others at once, on a busy machine before files are removed.
#[test]
fn signals_to_mpirun_end_all() {
    for name in ["INT", "TERM"] {
        let place = place();
        let (child, ranks) = start(&place);
        signal(name, child.id());
        end(child, ranks, &place);
    }
}
