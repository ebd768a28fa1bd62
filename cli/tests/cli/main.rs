//! Tests of the command line, as a user meets it: files in, files, messages and exit codes out.
//!
//! They want the feature `emulator`, which a build of the whole workspace has; some want `papers`.

#[cfg(feature = "papers")]
mod algorithms;
mod archives;
mod bad_archives;
mod bad_input;
mod bad_matrices;
mod chol;
mod commits;
mod large;
mod lu_solve;
mod outputs;
mod pivoting;
mod places;
#[cfg(feature = "mpi")]
mod ranks;
mod rcond;
mod refine;
mod reports;
mod several;
mod streams;
mod support;
mod tools;
mod verbs;
