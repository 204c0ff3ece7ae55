//! Values of Python's as arrays and variables.

pub mod array;
pub mod array_methods;
pub mod cell;
pub mod dtype;
pub mod graph_text;
pub mod in_place;
pub mod roots;
pub mod semantics;
pub mod shapes;
pub mod sharing;
pub mod spec;
pub mod store;
pub mod strings;
pub mod subscripts;
pub mod tensor;
pub mod tensor_folds;
pub mod tensor_methods;
pub mod tensor_ops;
pub mod tensor_text;
pub mod turn;
pub mod variable;
pub mod variable_cell;
pub mod variable_methods;
pub mod view;
