//! Arithmetic of integers: division as Python means it, and operations that fail where a result leaves its type.

mod division;
mod overflow;
