//! Batched LU.
