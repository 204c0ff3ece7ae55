//! Generators, oracles and page runners that the tests of several rooms share. Never shipped.

pub mod graphs;
pub mod host;
pub mod pages;
pub mod rust;
