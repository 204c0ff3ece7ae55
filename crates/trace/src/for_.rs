//! `for` over a value of the graph ⇒ `while` with a counter: over the rows of a tensor, or over a range without making it.

use gw_ir::{Attr, Literal, Op, ValueId};
use gw_types::{DType, Scalar};

use crate::while_::{Iteration, limited, repeat};
use crate::{Host, Shown, Staged, State, Trace};

/// What a loop runs over, and how often.
#[derive(Debug, Clone, Copy)]
pub struct Items {
    source: Source,
    count: ValueId,
}

#[derive(Debug, Clone, Copy)]
enum Source {
    /// `start + k * step`
    Range { start: ValueId, step: ValueId },
    /// `tensor[k]`
    Rows(ValueId),
}

/// What a loop over `tensor` runs over; `None` for a single element, which nothing can iterate.
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
    Some(Items { source, count })
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
        let back = b.op(Op::Sub, Attr::None, &[start, stop]).ok()?;
        let floor = b.op(Op::FloorDiv, Attr::None, &[back, step]).ok()?;
        let count = b.op(Op::Neg, Attr::None, &[floor]).ok()?;
        let zero = b.constant(Literal::scalar(DType::I64, Scalar::Int(0)));
        b.op(Op::Max, Attr::None, &[count, zero]).ok()
    })
}

/// Stages `for item in items: body(item)`; `go_on`, if there is one, says after each iteration whether to go on.
///
/// # Errors
/// What body and `go_on` raise; GW102 and GW104 where the state changes in a way that the graph cannot hold.
pub fn for_<H: Host>(
    host: &H,
    items: Items,
    names: &[String],
    state: &dyn State<H>,
    extra_test: Option<&dyn Fn() -> Result<ValueId, H::Error>>,
    body: &dyn Fn(H::Value) -> Result<(), H::Error>,
) -> Result<(), H::Error> {
    let trace = host.trace();
    let zero = index(trace, 0);
    let more = |k: ValueId| -> Result<ValueId, H::Error> {
        let within = elementwise(trace, Op::Lt, &[k, items.count]);
        match extra_test {
            None => Ok(within),
            Some(test) => Ok(elementwise(trace, Op::And, &[test()?, within])),
        }
    };
    let go = more(zero)?;
    let counter = |k: Option<ValueId>| k.expect("the counter is the loop's own carry");
    let iteration = Iteration {
        body: &|k| {
            body(host.show(Shown::Staged(item(trace, items, counter(k))))?)?;
            Ok(Some(elementwise(trace, Op::Add, &[counter(k), index(trace, 1)])))
        },
        more: &|k| Ok(limited(host, more(counter(k))?, k)),
    };
    repeat(host, names, state, Some(zero), go, &iteration)
}

fn item(trace: &Trace, items: Items, k: ValueId) -> Staged {
    let value = match items.source {
        Source::Rows(tensor) => trace.build(|b| b.op(Op::Index, Attr::Axis(0), &[tensor, k])),
        Source::Range { start, step } => trace.build(|b| {
            let dtype = b.ty(start).dtype;
            let k = b.op(Op::Cast, Attr::To(dtype), &[k])?;
            let along = b.op(Op::Mul, Attr::None, &[k, step])?;
            b.op(Op::Add, Attr::None, &[start, along])
        }),
    };
    Staged::strong(value.expect("rows and ranges can be indexed"))
}

pub(crate) fn index(trace: &Trace, i: i64) -> ValueId {
    trace.build(|b| b.constant(Literal::scalar(DType::I64, Scalar::Int(i))))
}

pub(crate) fn elementwise(trace: &Trace, op: Op, args: &[ValueId]) -> ValueId {
    trace.build(|b| b.op(op, Attr::None, args)).expect("counters and answers have the right types")
}
