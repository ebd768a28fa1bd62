//! The papers' serial programs, beside the libraries.

use warplu::resident::Stream;
use warplu::{Element, Scalar};

use crate::case::{Case, Program};
use crate::contender::Contender;
use crate::failure::Result;
use crate::judge::Ends;
use crate::serial;

/// A program on the one matrix of a case, in C order.
#[derive(Debug)]
pub(crate) struct Serial<'a, T: Element> {
    program: Program,
    n: usize,
    inputs: (&'a [T], &'a [T]),
    a: Vec<T::Scalar>,
    b: Vec<T::Scalar>,
}

impl<'a, T: Element> Serial<'a, T> {
    pub(crate) fn new(program: Program, case: &Case, a: &'a [T], b: &'a [T]) -> Self {
        Self { program, n: case.n, inputs: (a, b), a: Vec::new(), b: Vec::new() }
    }
}

impl<T: Element> Contender<T> for Serial<'_, T> {
    fn restore(&mut self) -> Result<()> {
        let widened = |data: &[T]| data.iter().map(|x| x.widen()).collect();
        self.a = widened(self.inputs.0);
        self.b = if self.program == Program::Bordering {
            vec![Scalar::ZERO; self.n * self.n]
        } else {
            widened(self.inputs.1)
        };
        Ok(())
    }

    fn run(&mut self) -> Result<()> {
        match self.program {
            Program::Elimination => serial::eliminate(&mut self.a, &mut self.b, self.n),
            Program::Lu => serial::lu_solve(&mut self.a, &mut self.b, self.n),
            Program::Bordering => {
                // A step without an inverse leaves what the ratio shows to be wrong.
                let _ = serial::border(&self.a, &mut self.b, self.n);
            }
        }
        Ok(())
    }

    fn ends(&self) -> Result<Ends<T>> {
        let result = self.b.iter().map(|&x| T::narrow(x)).collect();
        Ok(if self.program == Program::Bordering { Ends::Inverse(result) } else { Ends::Solution(result) })
    }

    fn stream(&self) -> Option<&Stream> {
        None
    }
}
