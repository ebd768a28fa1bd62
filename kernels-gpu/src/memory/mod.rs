//! Where matrices are, and how they are moved between device memory, shared memory and registers.

pub mod copy;
pub mod fill;
pub mod permute_columns;
pub mod row_panel;
pub mod transpose_buffer;
pub mod vector;
