//! The guide: how to use warplu well, a chapter a question.
//!
//! | chapter | what it answers |
//! | --- | --- |
//! | [`which_call`] | Which call computes what I need? Where do results go? |
//! | [`memory`] | How much memory does a call take, on the GPU and on the host? What about threads, and several GPUs? |
//! | [`accuracy`] | How exact is a result, and how do I find out? |
//! | [`errors`] | What went wrong, and what do I do about it? |
//! | [`streams`] | How do matrices stay on the GPU? What about streams, CUDA graphs and other libraries? |
//! | [`sizes`] | At which sizes and numbers of matrices does a GPU pay? |
//! | [`migration`] | What is called otherwise than it was? |
//!
//! All examples run on a machine without a GPU, too.

#[doc = include_str!("which_call.md")]
pub mod which_call {}

#[doc = include_str!("memory.md")]
pub mod memory {}

#[doc = include_str!("accuracy.md")]
pub mod accuracy {}

#[doc = include_str!("errors.md")]
pub mod errors {}

#[doc = include_str!("streams.md")]
pub mod streams {}

#[doc = include_str!("sizes.md")]
pub mod sizes {}

#[doc = include_str!("migration.md")]
pub mod migration {}
