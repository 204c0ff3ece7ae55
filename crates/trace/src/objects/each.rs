//! Loops over the elements of a list in the graph: by position, so that elements that the body appends are reached too.

use gw_ir::{Op, ValueId};

use super::access::Index;
use super::elements::{Elements, arithmetic, elements, number, settled};
use super::heap::Heap;
use crate::{Host, Staged};

/// A loop over the elements of a list from a position on.
#[derive(Debug)]
pub struct Walk<'a, H: Heap> {
    host: &'a H,
    list: &'a H::Object,
    first: usize,
}

impl<'a, H: Heap> Walk<'a, H> {
    /// The loop, which comes into the graph with the list; nothing if the list has no elements.
    pub fn new(host: &'a H, list: &'a H::Object, first: usize) -> Result<Option<Self>, H::Error> {
        let held: Option<Elements<<H as Host>::Skeleton>> = settled(host, list)?;
        Ok(held.map(|_| Self { host, list, first }))
    }

    fn position(&self, k: ValueId) -> ValueId {
        match self.first {
            0 => k,
            first => {
                let first = number(self.host.trace(), first as i64);
                arithmetic(self.host.trace(), Op::Add, &[k, first])
            }
        }
    }

    /// True if there is an element number `k`, and `test` holds.
    pub fn more(
        &self,
        k: ValueId,
        test: Option<&dyn Fn() -> Result<ValueId, H::Error>>,
    ) -> Result<ValueId, H::Error> {
        let trace = self.host.trace();
        let Some(now) = elements(self.host, self.list)? else {
            let zero = number(trace, 0);
            return Ok(arithmetic(trace, Op::Lt, &[k, zero]));
        };
        let at = self.position(k);
        let within = arithmetic(trace, Op::Lt, &[at, now.length(trace)]);
        match test {
            None => Ok(within),
            Some(test) => Ok(arithmetic(trace, Op::And, &[test()?, within])),
        }
    }

    /// The element number `k`; nothing if the list has none.
    pub fn item(&self, k: ValueId) -> Result<Option<H::Value>, H::Error> {
        let Some(now) = settled(self.host, self.list)? else { return Ok(None) };
        let at = Index::Given(Staged::strong(self.position(k)));
        now.at(self.host, &at).map(Some)
    }
}
