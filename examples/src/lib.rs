//! What the example programs in `src/bin` share: the chemistry of [`pollu`], and its rates and Jacobian in
//! [`kinetics`].

pub mod kinetics;
pub mod pollu;
