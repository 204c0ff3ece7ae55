//! Loops over the elements of a list in the graph: by position, so that elements that the body appends are reached too.

use gw_ir::{BinaryOp, CompareOp, Op, ValueId};

use super::access::Index;
use super::elements::{elements, refused, same_items, settled};
use super::heap::Heap;
use super::held::{Elements, arithmetic, number};
use crate::{Host, Staged};

/// A loop over a list, dict or set, in the graph or unrolled, until this is dropped. A name of it that flows by its contents may be
/// the object itself, but the loop would not see what is changed by this name.
pub struct Walking<'a, H: Heap>(&'a H);

impl<'a, H: Heap> Walking<'a, H> {
    /// The loop over a list begins.
    pub fn new(host: &'a H, list: &H::Object) -> Self {
        Self::over(host, host.value_of(list))
    }

    /// The loop over a list, dict or set begins.
    pub fn over(host: &'a H, object: H::Value) -> Self {
        host.lists().begin_walk(object);
        Self(host)
    }
}

impl<H: Heap> Drop for Walking<'_, H> {
    fn drop(&mut self) {
        self.0.lists().end_walk();
    }
}

/// The refusal of a change of a list, dict or set that may be one over which a loop runs.
///
/// # Errors
/// If there is such a change.
pub fn check_walked<H: Heap>(host: &H) -> Result<(), H::Error> {
    for (object, held) in host.lists().all_copies() {
        if !same_items(host, &held_in(host, &object)?, &held) {
            return Err(changes_walked(host));
        }
    }
    Ok(())
}

fn changes_walked<H: Heap>(host: &H) -> H::Error {
    let message = "the graph decides whether a list, dict or set that is changed here is the one over which a loop runs";
    refused(host, message)
}

/// The items of a list, or what a dict or set holds.
pub(super) fn held_in<H: Heap>(host: &H, object: &H::Value) -> Result<Vec<H::Value>, H::Error> {
    match contained(host, object)? {
        Some(list) => Ok(host.items(&list)),
        None => Ok(host.inside(object)?.unwrap_or_default()),
    }
}

/// A list, or the one that holds the contents of a dict or set of the graph.
pub(super) fn contained<H: Heap>(host: &H, value: &H::Value) -> Result<Option<H::Object>, H::Error> {
    match host.list(value) {
        Some(list) => Ok(Some(list)),
        None => host.table_list(value),
    }
}

/// A loop over the elements of a list from a position on.
pub struct Walk<'a, H: Heap> {
    host: &'a H,
    list: &'a H::Object,
    first: usize,
    _walking: Walking<'a, H>,
}

impl<'a, H: Heap> Walk<'a, H> {
    /// The loop, which comes into the graph with the list; nothing if the list has no elements.
    pub fn new(host: &'a H, list: &'a H::Object, first: usize) -> Result<Option<Self>, H::Error> {
        let held: Option<Elements<<H as Host>::Skeleton>> = settled(host, list)?;
        Ok(held.map(|_| Self { host, list, first, _walking: Walking::new(host, list) }))
    }

    fn position(&self, k: ValueId) -> ValueId {
        match self.first {
            0 => k,
            first => {
                let first = number(self.host.trace(), first as i64);
                arithmetic(self.host.trace(), Op::Binary(BinaryOp::Add), &[k, first])
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
            return Ok(arithmetic(trace, Op::Compare(CompareOp::Lt), &[k, zero]));
        };
        let at = self.position(k);
        let within = arithmetic(trace, Op::Compare(CompareOp::Lt), &[at, now.length(trace)]);
        match test {
            None => Ok(within),
            Some(test) => Ok(arithmetic(trace, Op::Binary(BinaryOp::And), &[test()?, within])),
        }
    }

    /// The element number `k`; nothing if the list has none.
    pub fn item(&self, k: ValueId) -> Result<Option<H::Value>, H::Error> {
        let Some(now) = settled(self.host, self.list)? else { return Ok(None) };
        let at = self.position(k);
        let item = now.at(self.host, &Index::Given(Staged::strong(at)))?;
        self.host.stands_for(&item, self.list, &|| at)?;
        self.host.is_walked(&item)?;
        Ok(Some(item))
    }
}
