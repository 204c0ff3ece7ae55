//! Native code against the reference interpreter, and what a run does beside giving results.

mod bands;
mod breaks;
mod calls;
mod columns;
mod counted;
mod fusion;
mod going;
mod growing;
mod lanes;
mod left;
mod marks;
mod matrices;
mod numbers;
mod op_pages;
mod ops;
mod portable;
mod random_programs;
mod records;
mod runs;
mod sharing;
mod stores;
mod support;
mod tiers;
mod transposes;
mod turns;
