//! All that the code of a graph depends on, as bytes: equal bytes, equal code. What differs between two graphs of one code is
//! left out: the user's names, and where in the user's text a node stands, which is a number here.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use gw_base::{Id, Loc};
use gw_ir::{Attr, Graph, Literal, Node, NodeId, RegionId, ValueId};
use gw_types::DType;

use super::BUILD;
use crate::config::config;

/// A graph with more bytes of literals is not looked for: to read them takes longer than to generate code.
const MOST_LITERALS: usize = 1 << 20;

/// The bytes, and the places in the user's text by their numbers in them.
#[derive(Debug)]
pub(super) struct Evidence {
    pub(super) bytes: Vec<u8>,
    pub(super) places: Vec<Loc>,
    numbers: HashMap<Loc, usize>,
}

/// Bytes that are hashed, unabridged.
struct Unabridged(Vec<u8>);

impl Hasher for Unabridged {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }
    fn finish(&self) -> u64 {
        0
    }
}

impl Evidence {
    /// Of a graph as it was traced; `None` if its literals are too great.
    pub(super) fn of(graph: &Graph) -> Option<Self> {
        let mut reading = Reading {
            graph,
            to: Unabridged(Vec::with_capacity(1 << 12)),
            places: Vec::new(),
            numbers: HashMap::new(),
            literals: 0,
        };
        (BUILD, gw_cpu::target(config().lanes), graph.dim_vars).hash(&mut reading.to);
        graph.roots().into_iter().try_for_each(|root| reading.region(root))?;
        graph.called().into_iter().for_each(|function| graph.functions[function].back.hash(&mut reading.to));
        let Reading { to, places, numbers, .. } = reading;
        Some(Self { bytes: to.0, places, numbers })
    }

    /// The number of a place.
    pub(super) fn place(&self, place: &Loc) -> Option<usize> {
        self.numbers.get(place).copied()
    }
}

struct Reading<'g> {
    graph: &'g Graph,
    to: Unabridged,
    places: Vec<Loc>,
    numbers: HashMap<Loc, usize>,
    /// Bytes of literals so far.
    literals: usize,
}

impl Reading<'_> {
    fn region(&mut self, region: RegionId) -> Option<()> {
        let graph = self.graph;
        let region = &graph.regions[region];
        self.defined(&region.params);
        region.nodes.len().hash(&mut self.to);
        region.nodes.iter().try_for_each(|&id| self.node(id, &graph.nodes[id]))?;
        region.results.hash(&mut self.to);
        Some(())
    }

    fn node(&mut self, id: NodeId, node: &Node) -> Option<()> {
        node.op.hash(&mut self.to);
        if let Attr::Literal(literal) = &node.attr {
            self.literal(literal)?;
        } else {
            node.attr.hash(&mut self.to);
        }
        node.args.hash(&mut self.to);
        self.defined(&node.results);
        self.place(id);
        node.regions.len().hash(&mut self.to);
        node.regions.iter().try_for_each(|&region| self.region(region))
    }

    fn defined(&mut self, values: &[ValueId]) {
        values.len().hash(&mut self.to);
        for &value in values {
            value.index().hash(&mut self.to);
            self.graph.ty(value).hash(&mut self.to);
        }
    }

    /// Strings by their bytes: the words that stand for them are those of one process.
    fn literal(&mut self, literal: &Literal) -> Option<()> {
        self.literals += literal.bytes().len();
        if self.literals > MOST_LITERALS {
            return None;
        }
        (literal.dtype(), literal.lengths()).hash(&mut self.to);
        if literal.dtype() == DType::Str {
            literal.scalars().for_each(|text| text.to_text().to_bytes().hash(&mut self.to));
        } else {
            literal.bytes().hash(&mut self.to);
        }
        Some(())
    }

    /// The number of the place where a node stands.
    fn place(&mut self, node: NodeId) {
        let number = self.graph.places[node].as_ref().map(|place| match self.numbers.get(place) {
            Some(&number) => number,
            None => {
                self.numbers.insert(place.clone(), self.places.len());
                self.places.push(place.clone());
                self.places.len() - 1
            }
        });
        number.hash(&mut self.to);
    }
}
