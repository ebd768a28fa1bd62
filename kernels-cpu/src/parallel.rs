//! Loops over rayon's threads. They call their bodies through pointers, so that rayon's machinery is compiled once, and
//! not for each body, type and crate.

use rayon::prelude::*;
use simt::cpu::threads;

/// How many of `count` pieces of work a thread takes at least, one after the other, if there are several threads: else
/// the caller's takes them all, as nothing is gained by another.
pub(crate) fn at_least(some: usize, count: usize) -> usize {
    if rayon::current_num_threads() == 1 { count } else { some }
}

/// Calls a function with each number below `count`. A thread takes at least so many, one after the other.
pub fn each(count: usize, some: usize, f: &(dyn Fn(usize) + Sync)) {
    threads::run(|| (0..count).into_par_iter().with_min_len(at_least(some, count)).for_each(f));
}

/// Overwrites values by those of a function of their place.
pub fn fill<V: Send>(values: &mut [V], f: &(dyn Fn(usize) -> V + Sync)) {
    threads::run(|| values.par_iter_mut().enumerate().for_each(|(at, value)| *value = f(at)));
}

/// Calls a function with blocks of values, each with the place of its first one.
pub fn blocks<V: Send>(values: &mut [V], block: usize, f: &(dyn Fn(usize, &mut [V]) + Sync)) {
    threads::run(|| values.par_chunks_mut(block).enumerate().for_each(|(at, values)| f(at * block, values)));
}

/// The values of a function, which are not negative, of each number below `count`, brought together.
pub fn reduce(count: usize, value: &(dyn Fn(usize) -> f64 + Sync), together: fn(f64, f64) -> f64) -> f64 {
    threads::run(|| (0..count).into_par_iter().map(value).reduce(|| 0.0, together))
}

/// Calls two functions, at the same time where there are threads for it.
pub fn both(a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    let (mut a, mut b) = (Some(a), Some(b));
    both_through_pointers(&mut || a.take().into_iter().for_each(|a| a()), &mut || {
        b.take().into_iter().for_each(|b| b())
    });
}

fn both_through_pointers(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    threads::run(|| rayon::join(a, b));
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn all_is_done_once() {
        let times: Vec<AtomicUsize> = (0..1000).map(|_| AtomicUsize::new(0)).collect();
        each(1000, 7, &|at| {
            times[at].fetch_add(1, Ordering::Relaxed);
        });
        assert!(times.iter().all(|times| times.load(Ordering::Relaxed) == 1));
        let mut squares = [0; 100];
        fill(&mut squares, &|at| at * at);
        assert!(squares.iter().enumerate().all(|(at, &square)| square == at * at));
        let mut places = [0; 100];
        blocks(&mut places, 7, &|first, part| part.iter_mut().enumerate().for_each(|(at, x)| *x = first + at));
        assert!(places.iter().enumerate().all(|(at, &place)| place == at));
        assert_eq!(reduce(100, &|at| (at * (99 - at)) as f64, f64::max), 2450.0);
        assert_eq!(reduce(0, &|_| 1.0, f64::max), 0.0);
        let (mut a, mut b) = (0, 0);
        both(|| a += 1, || b += 2);
        assert_eq!((a, b), (1, 2));
    }
}
