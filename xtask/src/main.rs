//! The tasks of the house.

fn main() {}
