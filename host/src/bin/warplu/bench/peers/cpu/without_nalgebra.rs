//! In the place of nalgebra where the program is built without it.

use std::iter;

use super::field::Field;
use crate::bench::case::Case;
use crate::bench::contender::Contender;
use crate::failure::{Failure, Result};

/// There is none.
#[derive(Debug)]
pub(in crate::bench) enum Nalgebra {}

pub(in crate::bench::peers) fn open() -> Result<Nalgebra> {
    Err(Failure::Bench("this program is built without nalgebra: build it with --features cli,nalgebra".to_owned()))
}

impl Nalgebra {
    /// As there.
    pub(in crate::bench) fn contenders<'a, T: Field>(
        &self,
        _: &'a Case,
        _: (&[T], &[T]),
    ) -> impl Iterator<Item = (&'static str, Box<dyn Contender<T> + 'a>)> {
        iter::empty()
    }
}
