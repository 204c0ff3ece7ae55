//! Lists, dicts, sets and tensor arrays in the graph.

pub mod array_items;
pub mod heap;
pub mod list_object;
pub mod lists;
pub mod references;
pub mod tables;
pub mod tensor_array;
