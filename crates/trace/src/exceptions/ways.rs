//! The ways to go on behind the body of a `try`: exits that raise the same and whose states differ in values of the graph alone
//! are one way.

use gw_ir::ValueId;
use gw_types::TensorType;

use crate::join::LeafType;
use crate::{Host, Lack, Seen, Shown, Staged, Trace};

/// Exits of one body, above which ways are joined that could stay apart: what follows is traced once for each way, so the graph
/// of nested statements would grow with the product of their ways.
pub const MOST_EXITS_APART: usize = 16;

/// Kind of a leaf at the point where the body is left.
pub enum Leaf<V> {
    /// The same as seen from outside, and the value of the graph that it is, with its type.
    Keep(V, Option<(Staged, LeafType)>),
    /// Values made in the body: the leaf's own with its type, and whether it has one, if that is in doubt.
    Made(Staged, LeafType, Option<(ValueId, Lack)>),
}

/// A value taken apart.
pub type Taken<H> = (<H as Host>::Skeleton, Vec<Leaf<<H as Host>::Value>>);

/// One way to go on: the state that it begins with, and behind that what the objects made in the body hold, and the values
/// that its exception shows.
pub struct Way<H: Host> {
    /// The exit that leads to it, or the end of the body.
    pub exit: Option<usize>,
    /// The state.
    pub values: Vec<Taken<H>>,
    /// Indices of its columns among the results of the `try`.
    pub columns: Vec<usize>,
}

impl<H: Host> Way<H> {
    /// A way on which the program holds these values; those of the graph that were made in more than `around` regions were made in
    /// the body.
    pub fn new(host: &H, exit: Option<usize>, values: &[H::Value], around: usize) -> Result<Self, H::Error> {
        let leaf = |leaf: H::Value| {
            let (staged, bit) = match host.see(&leaf)? {
                Seen::Staged(staged) => (staged, None),
                Seen::Maybe(staged, bit, lack) => (staged, Some((bit, lack))),
                Seen::Number(_) | Seen::Text(_) => return Ok(Leaf::Keep(leaf, None)),
                Seen::Unbound | Seen::Nothing | Seen::Empty => return Ok(Leaf::Keep(leaf, None)),
                Seen::Unclear | Seen::Object => return Ok(Leaf::Keep(leaf, None)),
            };
            let mut made = [Some(staged.value), bit.map(|(bit, _)| bit)].into_iter().flatten();
            if made.all(|value| host.trace().is_around(value, around)) {
                return Ok(Leaf::Keep(leaf, bit.is_none().then(|| (staged, type_of(host, staged)))));
            }
            Ok(Leaf::Made(staged, type_of(host, staged), bit))
        };
        let taken = |value: &H::Value| {
            let (skeleton, leaves) = host.flatten_way(value)?;
            Ok((skeleton, leaves.into_iter().map(leaf).collect::<Result<Vec<_>, H::Error>>()?))
        };
        let values = values.iter().map(taken).collect::<Result<_, H::Error>>()?;
        Ok(Self { exit, values, columns: Vec::new() })
    }

    fn leaves(&self) -> impl Iterator<Item = &Leaf<H::Value>> {
        self.values.iter().flat_map(|(_, leaves)| leaves)
    }

    /// The values made in the body, in order.
    pub fn made(&self) -> Vec<ValueId> {
        self.given(self)
    }

    /// The values of this way for those that were made in the body on another one, which it has joined.
    pub fn given(&self, other: &Self) -> Vec<ValueId> {
        let value = |(own, of): (&Leaf<H::Value>, &Leaf<H::Value>)| match (of, own) {
            (Leaf::Keep(..), _) | (Leaf::Made(..), Leaf::Keep(_, None)) => None,
            (Leaf::Made(..), Leaf::Keep(_, Some((staged, _)))) => Some([Some(staged.value), None]),
            (Leaf::Made(..), Leaf::Made(staged, _, bit)) => {
                Some([Some(staged.value), bit.map(|(bit, _)| bit)])
            }
        };
        self.leaves().zip(other.leaves()).filter_map(value).flatten().flatten().collect()
    }

    /// The types of the values made in the body, in order.
    fn types(&self, trace: &Trace) -> Vec<TensorType> {
        let types = |leaf: &Leaf<H::Value>| match leaf {
            Leaf::Keep(..) => None,
            Leaf::Made(_, own, bit) => Some([Some(own.ty.clone()), bit.map(|(bit, _)| trace.ty(bit))]),
        };
        self.leaves().filter_map(types).flatten().flatten().collect()
    }

    /// True if another path is this one but for values of the graph of the same types; with `joins`, also where lengths differ or one
    /// of them has the value that it had before the body.
    pub fn is_like(&self, host: &H, other: &Self, joins: bool) -> bool {
        let fits = |a: &LeafType, b: &LeafType| match joins {
            true => a.weak == b.weak && a.ty.dtype == b.ty.dtype && a.ty.rank() == b.ty.rank(),
            false => a == b,
        };
        let trace = host.trace();
        let same = |(a, b): (&Leaf<H::Value>, &Leaf<H::Value>)| match (a, b) {
            (Leaf::Keep(a, x), Leaf::Keep(b, y)) => {
                let both = x.as_ref().zip(y.as_ref()).filter(|_| joins);
                host.same(a, b) || both.is_some_and(|((_, x), (_, y))| fits(x, y))
            }
            (Leaf::Made(_, a, bit), Leaf::Made(_, b, other)) => {
                let ty = |bit: &Option<(ValueId, Lack)>| bit.map(|(bit, lack)| (trace.ty(bit), lack));
                fits(a, b) && ty(bit) == ty(other)
            }
            (Leaf::Keep(_, Some((_, a))), Leaf::Made(_, b, None))
            | (Leaf::Made(_, b, None), Leaf::Keep(_, Some((_, a)))) => joins && fits(a, b),
            (Leaf::Keep(..), Leaf::Made(..)) | (Leaf::Made(..), Leaf::Keep(..)) => false,
        };
        let mut pairs = self.values.iter().zip(&other.values);
        pairs.all(|((a, xs), (b, ys))| {
            host.same_skeleton(a, b) && xs.len() == ys.len() && xs.iter().zip(ys).all(same)
        })
    }

    /// Lets the values in which another path differs be values made in the body, of the types of both.
    pub fn join(&mut self, host: &H, other: &Self) {
        let both = |a: &LeafType, b: &LeafType| a.join_rows(b, host.trace()).unwrap_or_else(|_| a.clone());
        let leaves = self.values.iter_mut().flat_map(|(_, leaves)| leaves);
        for (leaf, other) in leaves.zip(other.leaves()) {
            let made = match (&*leaf, other) {
                (Leaf::Keep(a, Some((staged, ty))), Leaf::Keep(b, Some((_, other)))) if !host.same(a, b) => {
                    Some(Leaf::Made(*staged, both(ty, other), None))
                }
                (Leaf::Keep(_, Some((staged, ty))), Leaf::Made(_, other, _)) => {
                    Some(Leaf::Made(*staged, both(ty, other), None))
                }
                (Leaf::Made(staged, ty, bit), Leaf::Made(_, other, _) | Leaf::Keep(_, Some((_, other)))) => {
                    Some(Leaf::Made(*staged, both(ty, other), *bit))
                }
                (Leaf::Keep(..), _) | (Leaf::Made(..), Leaf::Keep(_, None)) => None,
            };
            if let Some(made) = made {
                *leaf = made;
            }
        }
    }

    /// The values as they are behind the `try`. What follows a way may be traced twice, so each time the containers among
    /// them are new ones: the first time may have stored into its own.
    pub fn rebuild(&self, host: &H, results: &[ValueId]) -> Result<Vec<H::Value>, H::Error> {
        let mut columns = self.columns.iter().map(|&column| results[column]);
        let mut next = |value: ValueId| columns.next().unwrap_or(value);
        let mut values = Vec::with_capacity(self.values.len());
        for (skeleton, leaves) in &self.values {
            let leaf = |leaf: &Leaf<H::Value>| match leaf {
                Leaf::Keep(value, _) => Ok(value.clone()),
                Leaf::Made(staged, _, None) => {
                    host.show(Shown::Staged(Staged { value: next(staged.value), ..*staged }))
                }
                Leaf::Made(staged, _, Some((bit, lack))) => {
                    let staged = Staged { value: next(staged.value), ..*staged };
                    host.show(Shown::Maybe(staged, next(*bit), *lack))
                }
            };
            let leaves = leaves.iter().map(leaf).collect::<Result<Vec<_>, _>>()?;
            values.push(host.rebuild(skeleton, leaves)?);
        }
        Ok(values)
    }
}

fn type_of<H: Host>(host: &H, staged: Staged) -> LeafType {
    LeafType { weak: staged.weak, ..LeafType::strong(host.trace().ty(staged.value)) }
}

/// Gives the values of each way a column of their type; the columns' types.
pub fn columns<H: Host>(trace: &Trace, ways: &mut [Way<H>]) -> Vec<TensorType> {
    let mut all: Vec<TensorType> = Vec::new();
    for way in ways {
        let mut used = Vec::new();
        for ty in way.types(trace) {
            let free = (0..all.len()).find(|at| all[*at] == ty && !used.contains(at));
            let column = free.unwrap_or_else(|| {
                all.push(ty);
                all.len() - 1
            });
            used.push(column);
        }
        way.columns = used;
    }
    all
}
