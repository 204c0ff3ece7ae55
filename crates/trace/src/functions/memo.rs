//! Functions of the graph that were made because they call themselves, for the calls that come after that.
//!
//! A function is made in rounds, and so is each function that is made inside it, in each of those rounds. What one of
//! them was found to be is kept: it is called as long as tracing would make the same of it, and where it is to be made
//! anew, since a function around it is in its next round, it begins with what it was. So each is traced about as often as
//! there are rounds, and not as often as there are ways to come to it.

use super::alike::is_for_the_same;
use super::host::{CallOf, Functions};
use super::records::MemoRecord;

/// A function that was made in a host's trace.
pub(super) type RecordOf<H> = MemoRecord<
    <H as crate::Host>::Value,
    <H as crate::Host>::Skeleton,
    <H as Functions>::Context,
    <H as Functions>::Reach,
>;

/// The function for just such arguments.
pub(super) fn find<H: Functions>(host: &H, call: &CallOf<H>) -> Option<RecordOf<H>> {
    let records = host.calls().memo.lock().records.clone();
    records
        .into_iter()
        .rev()
        .find(|known| is_for_the_same(host, &known.asks(), call) || is_for_the_same(host, &known.call, call))
}

/// Keeps a function in place of what was kept for the same call.
pub(super) fn keep<H: Functions>(host: &H, mut record: RecordOf<H>) {
    let memo = &host.calls().memo;
    let records = memo.lock().records.clone();
    let before = records.iter().position(|known| is_for_the_same(host, &known.asks(), &record.asks()));
    let mut known = memo.lock();
    record.at = known.count;
    known.count += 1;
    if let Some(before) = before {
        known.records.remove(before);
    }
    known.records.push(record);
}
