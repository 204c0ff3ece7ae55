//! `for` over values of the graph ⇒ `while` with a counter; what counts: the rows of a tensor, or a range without making it.

use gw_ir::{Attr, BinaryOp, CompareOp, Literal, Op, UnaryOp, ValueId};
use gw_types::{DType, Number, Scalar};

use crate::counting::{elementwise, index};
use crate::peel::Iteration;
use crate::while_::{limited, repeat};
use crate::{Host, Slot, Staged, State, Trace};

/// Iterated values of a loop, and their number.
#[derive(Debug, Clone, Copy)]
pub struct Items {
    source: Source,
    /// Number of items.
    pub count: ValueId,
    /// Kind of number, if the items are host numbers.
    weak: Option<Number>,
}

#[derive(Debug, Clone, Copy)]
enum Source {
    /// `start + k * step`
    Range { start: ValueId, step: ValueId },
    /// `tensor[k]`
    Rows(ValueId),
}

/// Items of a loop over `tensor`; `None` for a single element, which nothing can iterate.
pub fn items_of(trace: &Trace, tensor: Staged) -> Option<Items> {
    if trace.ty(tensor.value).is_scalar() {
        return None;
    }
    let count = trace.build(|b| b.op(Op::Dim, Attr::Axis(0), &[tensor.value])).ok()?;
    let source = match trace.definition(tensor.value) {
        Some((Op::Range, args)) if args.iter().all(|&v| trace.sees(v)) => {
            Source::Range { start: args[0], step: args[2] }
        }
        _ => Source::Rows(tensor.value),
    };
    let count = match source {
        Source::Range { .. } => range_count(trace, tensor.value).unwrap_or(count),
        Source::Rows(_) => count,
    };
    Some(Items { source, count, weak: tensor.weak })
}

/// `start, start + step, …` of the host's own integers, `count` of them.
pub fn progression(trace: &Trace, start: i64, step: i64, count: i64) -> Items {
    let [start, step, count] = [start, step, count].map(|i| index(trace, i));
    Items { source: Source::Range { start, step }, count, weak: Some(Number::Int) }
}

impl Items {
    /// Start and step of a progression of the host's own integers that are known.
    pub fn integers(self, trace: &Trace) -> Option<(i64, i64)> {
        let Source::Range { start, step } = self.source else { return None };
        self.weak?;
        let known = |value| match trace.known(value)? {
            Scalar::Int(i) => Some(i),
            Scalar::Bool(_) | Scalar::Nat(_) | Scalar::Float(_) => None,
            Scalar::Complex(..) | Scalar::Text(_) => None,
        };
        Some((known(start)?, known(step)?))
    }

    /// The item number `k`, which there must be.
    pub fn at(self, trace: &Trace, k: ValueId) -> Staged {
        let value = match self.source {
            // The number is below that of the rows, so no handler around the loop sees a row that is missing.
            Source::Rows(tensor) => {
                trace.with_checked_index(|| trace.build(|b| b.op(Op::Index, Attr::Axis(0), &[tensor, k])))
            }
            Source::Range { start, step } => trace.build(|b| {
                let dtype = b.ty(start).dtype;
                let k = b.op(Op::Cast, Attr::To(dtype), &[k])?;
                let along = b.op(BinaryOp::Mul, Attr::None, &[k, step])?;
                b.op(BinaryOp::Add, Attr::None, &[start, along])
            }),
        };
        Staged { value: value.expect("rows and ranges can be indexed"), weak: self.weak }
    }
}

/// `max(0, ⌈(stop - start) / step⌉)` of an integer range, so that the range itself need not be made.
fn range_count(trace: &Trace, range: ValueId) -> Option<ValueId> {
    let (_, args) = trace.definition(range)?;
    if !trace.ty(range).dtype.is_int() {
        return None;
    }
    trace.build(|b| {
        let wide = |b: &mut gw_ir::Builder, v| b.op(Op::Cast, Attr::To(DType::I64), &[v]).ok();
        let [start, stop, step] = [wide(b, args[0])?, wide(b, args[1])?, wide(b, args[2])?];
        let back = b.op(BinaryOp::Sub, Attr::None, &[start, stop]).ok()?;
        let floor = b.op(BinaryOp::FloorDiv, Attr::None, &[back, step]).ok()?;
        let count = b.op(UnaryOp::Neg, Attr::None, &[floor]).ok()?;
        let zero = b.constant(Literal::scalar(DType::I64, Scalar::Int(0)));
        b.op(BinaryOp::Max, Attr::None, &[count, zero]).ok()
    })
}

/// Stages `for k in range(count): body(k)`; `go_on`, if there is one, says before each iteration whether to go on.
///
/// # Errors
/// Errors of body and `go_on`; GW102 and GW104 where the state changes in a way that the graph cannot hold.
pub fn for_<H: Host>(
    host: &H,
    count: ValueId,
    slots: &[Slot],
    state: &dyn State<H>,
    extra_test: Option<&dyn Fn() -> Result<ValueId, H::Error>>,
    body: &dyn Fn(ValueId) -> Result<(), H::Error>,
) -> Result<(), H::Error> {
    let trace = host.trace();
    let more = |k: ValueId| -> Result<ValueId, H::Error> {
        let within = elementwise(trace, Op::Compare(CompareOp::Lt), &[k, count]);
        match extra_test {
            None => Ok(within),
            Some(test) => Ok(elementwise(trace, Op::Binary(BinaryOp::And), &[test()?, within])),
        }
    };
    let turn = |k: ValueId| {
        trace.counts(k, count);
        body(k)
    };
    counted(host, slots, state, &more, &turn)
}

/// Stages `k = 0; while more(k): body(k); k += 1`.
///
/// # Errors
/// Errors of body and `more`; GW102 and GW104 where the state changes in a way that the graph cannot hold.
pub fn counted<H: Host>(
    host: &H,
    slots: &[Slot],
    state: &dyn State<H>,
    more: &dyn Fn(ValueId) -> Result<ValueId, H::Error>,
    body: &dyn Fn(ValueId) -> Result<(), H::Error>,
) -> Result<(), H::Error> {
    let trace = host.trace();
    let zero = index(trace, 0);
    let go = more(zero)?;
    let counter = |k: Option<ValueId>| k.expect("the counter is the loop's own carry");
    let iteration = Iteration {
        body: &|k| {
            body(counter(k))?;
            Ok(Some(elementwise(trace, Op::Binary(BinaryOp::Add), &[counter(k), index(trace, 1)])))
        },
        more: &|k| Ok(limited(host, more(counter(k))?, k)),
    };
    repeat(host, slots, state, Some(zero), go, &iteration)
}
