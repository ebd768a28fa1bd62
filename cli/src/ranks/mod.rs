//! The processes that share a run: the ranks of MPI, or this one alone.
//!
//! Each rank runs the whole program on its [`Part`] of the batch. The first one makes the outputs, moves them to their
//! places and says how it went.
//!
//! A rank that fails goes straight to [`end`], while the others go on to the next place where all of them meet.
//! Whatever is communicated begins with [`meet`], so the one in `end` and the others in `meet` make the same call, and
//! then all know of it. MPI is called by the main thread only.

#[cfg_attr(not(feature = "mpi"), path = "alone.rs")]
mod world;

pub(crate) mod devices;
mod part;

pub(crate) use part::Part;

use std::path::Path;
use std::sync::OnceLock;

use warplu::Pod;

use crate::failure::{Failure, Result};
use crate::memory::{bytes_of, bytes_of_mut, zeros};
use world::World;

/// What this process has joined; nothing where it is alone.
static WORLD: OnceLock<World> = OnceLock::new();

/// Being one of the ranks, to be dropped at the end of the program.
#[derive(Debug)]
pub(crate) struct Joined {
    _membership: Option<world::Membership>,
}

/// Joins the others, if a launcher has started several processes.
pub(crate) fn join() -> Joined {
    let joined = world::join().map(|(world, membership)| {
        WORLD.get_or_init(|| world);
        membership
    });
    Joined { _membership: joined }
}

/// How many there are.
pub(crate) fn size() -> usize {
    WORLD.get().map_or(1, World::size)
}

/// The number of this one.
pub(crate) fn rank() -> usize {
    WORLD.get().map_or(0, World::rank)
}

/// Whether they are on more than one machine.
pub(crate) fn are_on_several_machines() -> bool {
    WORLD.get().is_some_and(World::is_on_several_machines)
}

/// Whether this one makes the outputs and talks to the user.
pub(crate) fn is_first() -> bool {
    rank() == 0
}

/// Waits for the others.
///
/// # Errors
/// What has kept one of them from coming here.
pub(crate) fn meet() -> Result<()> {
    conclude(None)
}

/// How a run ends: well if it did so on all ranks, else with the failure of the first that failed.
pub(crate) fn end<T>(own: Result<T>) -> Result<T> {
    match own {
        Ok(outcome) => meet().map(|()| outcome),
        // The others know.
        Err(told @ Failure::Told { .. }) => Err(told),
        Err(failure) => Err(conclude(Some(&failure)).err().unwrap_or(failure)),
    }
}

/// Ends all ranks at once, after a panic, when it is not known who waits for what.
pub(crate) fn abort() {
    if let Some(world) = WORLD.get() {
        world.abort();
    }
}

/// Tells all others; only the first does that, while they are in [`told`].
pub(crate) fn tell(what: &[u8]) -> Result<()> {
    meet()?;
    if let Some(world) = WORLD.get() {
        world.broadcast(0, &mut what.to_vec());
    }
    Ok(())
}

/// What the first tells.
pub(crate) fn told() -> Result<Vec<u8>> {
    meet()?;
    let mut what = Vec::new();
    if let Some(world) = WORLD.get() {
        world.broadcast(0, &mut what);
    }
    Ok(what)
}

/// What each of them has, in the order of the ranks.
pub(crate) fn gather<T: Pod>(own: &[T]) -> Result<Vec<Vec<T>>> {
    let Some(world) = WORLD.get() else { return Ok(vec![own.to_vec()]) };
    meet()?;
    let all = (0..world.size()).map(|rank| {
        let mut bytes = if rank == world.rank() { bytes_of(own).to_vec() } else { Vec::new() };
        world.broadcast(rank, &mut bytes);
        bytes
    });
    // All are heard before memory for one can be refused.
    let all: Vec<_> = all.collect();
    let values = all.into_iter().map(|bytes| {
        let mut values = zeros::<T>(bytes.len() / size_of::<T>()).map_err(warplu::Error::Io)?;
        bytes_of_mut(&mut values).copy_from_slice(&bytes);
        Ok(values)
    });
    values.collect()
}

/// Brings what all of them have to the first, one after the other: `len` values in all, with its own before the others'.
/// The others get nothing.
pub(crate) fn collect<T: Pod>(own: Vec<T>, len: usize) -> Result<Vec<T>> {
    let Some(world) = WORLD.get() else { return Ok(own) };
    let mut all = Vec::new();
    if is_first() {
        all = zeros::<T>(len).map_err(warplu::Error::Io)?;
        all[..own.len()].copy_from_slice(&own);
    }
    meet()?;
    world.collect(bytes_of(&own), bytes_of_mut(&mut all));
    Ok(all)
}

/// Fails where this rank is about to do something else than the first.
pub(crate) fn expect_same(own: &str) -> Result<()> {
    if is_first() {
        return tell(own.as_bytes());
    }
    let first = told()?;
    if first == own.as_bytes() {
        return Ok(());
    }
    let first = String::from_utf8_lossy(&first);
    Err(Failure::Usage(format!(
        "was told `{own}`, but the first rank `{first}`: start all with the same arguments, on files that all of them \
         see"
    )))
}

/// Fails where a command would be done once by each rank.
pub(crate) fn expect_alone(command: &str) -> Result<()> {
    match size() {
        1 => Ok(()),
        several => {
            Err(Failure::Usage(format!("`warplu {command}` is not for {several} ranks: start it without mpirun")))
        }
    }
}

/// Fails where ranks would share what can be read or written from its start to its end only.
pub(crate) fn expect_file(name: &Path) -> Result<()> {
    let is_stream = || {
        let found = || std::fs::metadata(name).is_ok_and(|found| !found.is_file() && !found.is_dir());
        name == Path::new("-") || found()
    };
    match size() {
        several @ 2.. if is_stream() => Err(Failure::Usage(format!(
            "{}: is a pipe or a device, of which {several} ranks cannot each have a part: give a file, or start one \
             process",
            name.display()
        ))),
        _ => Ok(()),
    }
}

/// Finds out whether a rank has failed; `own` is the failure of this one. All ranks call it at the same time.
fn conclude(own: Option<&Failure>) -> Result<()> {
    let Some(world) = WORLD.get() else { return Ok(()) };
    let Some(failed) = world.first(own.is_some()) else { return Ok(()) };
    // Of the first that failed: the exit code, and what is to be said.
    let mut words = own.map_or_else(Vec::new, |own| {
        let place = if is_first() { String::new() } else { format!("rank {} on {}: ", world.rank(), world.machine()) };
        let mut words = format!("{place}{own}").into_bytes();
        words.push(own.exit_code());
        words
    });
    world.broadcast(failed, &mut words);
    let code = words.pop().unwrap_or(1);
    Err(Failure::Told { text: String::from_utf8_lossy(&words).into_owned(), code })
}
