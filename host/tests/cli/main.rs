//! Tests of the command line, as a user meets it: files in, files, messages and exit codes out.

mod algorithms;
mod bad_input;
mod bad_matrices;
mod bench;
mod outputs;
mod reports;
mod support;
mod tools;
mod verbs;
