//! What LU and Cholesky factors of matrices of one order have in common.

use std::fmt;

use super::kept::Factored;
use crate::element::Element;
use crate::operation::Operation;

/// Factors of matrices of one order: [`Lu`] or [`Cholesky`].
pub trait OneSize: Clone + fmt::Debug + Send + Sync {
    type Element: Element;
    /// What says how to factor.
    type How: Copy + fmt::Debug + Send + Sync;

    fn of(how: Self::How, factored: Factored<ScalarOf<Self>>) -> Self;
    fn how(&self) -> Self::How;
    fn factored(&self) -> &Factored<ScalarOf<Self>>;
    fn factored_mut(&mut self) -> &mut Factored<ScalarOf<Self>>;
    fn factoring(how: Self::How) -> Operation;
    /// Solves for right-hand sides of these elements.
    fn solving<U: Element<Scalar = ScalarOf<Self>>>(how: Self::How) -> Operation;
    /// Improves solutions of the type of the factors.
    fn refining(how: Self::How) -> Operation;
    fn inverting(how: Self::How) -> Operation;
    fn finding_det(how: Self::How) -> Operation;
}

/// The type of factors.
pub(crate) type ScalarOf<F> = <<F as OneSize>::Element as Element>::Scalar;
