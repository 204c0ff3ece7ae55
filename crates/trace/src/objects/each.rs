//! Loops over the elements of a list in the graph: by position, so that elements that the body appends are reached too.

use gw_ir::{BinaryOp, CompareOp, Op, ValueId};

use super::access::Index;
use super::elements::{elements, refused, settled};
use super::heap::Heap;
use super::held::{Elements, arithmetic, number};
use crate::{Host, Staged};

/// A loop over a list, in the graph or unrolled, until this is dropped. A name of the list that flows by its contents may be the
/// list itself, but the loop would not see what is changed by this name.
pub struct Walking<'a, H: Heap>(&'a H);

impl<'a, H: Heap> Walking<'a, H> {
    /// The loop begins.
    pub fn new(host: &'a H, list: &H::Object) -> Self {
        host.lists().begin_walk(list);
        Self(host)
    }
}

impl<H: Heap> Drop for Walking<'_, H> {
    fn drop(&mut self) {
        self.0.lists().end_walk();
    }
}

/// The refusal of a change of a list that may be one over which a loop runs.
///
/// # Errors
/// If there is such a change.
pub fn check_walked<H: Heap>(host: &H) -> Result<(), H::Error> {
    let is_same = |list: &H::Object, held: &[H::Value]| {
        let now = host.items(list);
        now.len() == held.len() && now.iter().zip(held).all(|(now, held)| host.is_object(now, held))
    };

    if !host.lists().has_changed_copy(is_same) {
        return Ok(());
    }
    let message = "the graph decides whether a list that is changed here is the one over which a loop runs";
    Err(refused(host, message))
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
