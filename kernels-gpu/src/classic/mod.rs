//! Published algorithms, as their papers describe them: there to be compared with.

pub mod inverse;
pub mod lu;
