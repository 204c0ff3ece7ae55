//! The interface to a host whose values can be containers. Its defaults are those of a host without elements of its own.

use std::hash::Hash;

use gw_base::{Diagnostic, Loc};
use gw_ir::{Attr, CheckKind, Op, Piece as Text, PrintFormat, Stream, ValueId};
use gw_types::{DType, Scalar};

use super::held::Elements;
use super::operand::Operand;
use super::registry::Registry;
use crate::calls::{Call, emit};
use crate::{Host, Lack, Parts, Seen, Staged, Trace};

/// The kind of a container that holds its contents in a list of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableKind {
    /// Pairs of keys and values.
    Dict,
    /// Elements that differ.
    Set,
}

/// The bool that says if the elements of a list are there, their absence otherwise, and the list without this doubt.
pub type Doubt<O> = (ValueId, Lack, O);

/// The pieces of a text, and the values in it.
pub type Pieces<C> = (Vec<Text>, Vec<Operand<C>>);

/// A host with lists: objects of an identity of their own that hold values.
pub trait Heap: Host {
    /// A list; two are equal if they are one object.
    type Object: Clone + Eq + Hash;
    /// Elements that the host holds.
    type Constant: Clone;
    /// The text of an exception, which may show values of the graph.
    type Message;

    /// The lists of the trace in progress.
    fn lists(&self) -> &Registry<Self::Object, Self::Value, Self::Skeleton>;
    /// Is told of the first list that comes into the graph.
    fn first_list(&self) -> Result<(), Self::Error> {
        Ok(())
    }
    /// The place in the user's text where the program is now.
    fn here(&self) -> Option<Loc> {
        self.place()
    }

    /// The value as a list, if it is one.
    fn list(&self, value: &Self::Value) -> Option<Self::Object>;
    /// The list as a value.
    fn value_of(&self, list: &Self::Object) -> Self::Value;
    /// A new list.
    fn new_list(&self, items: Vec<Self::Value>) -> Result<Self::Object, Self::Error>;
    /// The items of a list, of which some may stand for rows.
    fn items(&self, list: &Self::Object) -> Vec<Self::Value>;
    /// Gives a list these items.
    fn fill(&self, list: &Self::Object, items: Vec<Self::Value>) -> Result<(), Self::Error>;
    /// Gives a list the same contents in another form.
    fn reshape(&self, list: &Self::Object, items: Vec<Self::Value>) -> Result<(), Self::Error> {
        self.fill(list, items)
    }
    /// Copies an item into the rows of a list: later stores into the item are refused.
    fn part_with(&self, item: &Self::Value) -> Result<(), Self::Error> {
        let _ = item;
        Ok(())
    }

    /// The item that stands for these elements in a list.
    fn row_item(&self, elements: Elements<Self::Skeleton>) -> Result<Self::Value, Self::Error>;
    /// The elements for which an item stands, if it does.
    fn row_elements(&self, item: &Self::Value) -> Option<Elements<Self::Skeleton>>;
    /// True if an item stands for elements.
    fn is_rows(&self, item: &Self::Value) -> bool {
        self.row_elements(item).is_some()
    }
    /// True if rows stand in a list.
    fn holds_rows(&self, list: &Self::Object) -> bool {
        self.items(list).iter().any(|item| self.is_rows(item))
    }
    /// Elements that are read: their leaves as they may be used here. An error if they may not.
    fn read_rows(
        &self,
        item: &Self::Value,
        elements: &Elements<Self::Skeleton>,
    ) -> Result<Vec<Staged>, Self::Error>;
    /// The list as if each name of which it is in doubt had a value, and the doubt that all items share, if they do.
    fn doubt(&self, list: &Self::Object) -> Result<Option<Doubt<Self::Object>>, Self::Error> {
        let _ = list;
        Ok(None)
    }

    /// Takes an element apart.
    fn open(&self, value: &Self::Value) -> Result<Parts<Self>, Self::Error> {
        self.flatten(value)
    }
    /// True if a list of the graph can hold elements of this structure, as what they are made of.
    fn is_value(&self, skeleton: &Self::Skeleton) -> bool;
    /// True if something else than the parts of such elements may say which are equal, and which is less.
    fn has_own_equality(&self, skeleton: &Self::Skeleton) -> bool {
        let _ = skeleton;
        false
    }
    /// A value enters a list of the graph, or was made of an element of one: whoever changes it from now on would change the list.
    fn is_listed(&self, value: &Self::Value) -> Result<(), Self::Error> {
        let _ = value;
        Ok(())
    }
    /// A list that held these rows has others now, which begin with the same elements.
    fn is_longer(&self, list: &Self::Object, rows: &Self::Value) -> Result<(), Self::Error> {
        let _ = (list, rows);
        Ok(())
    }
    /// A list gets more or fewer elements.
    fn is_resized(&self, list: &Self::Object) -> Result<(), Self::Error> {
        let _ = list;
        Ok(())
    }
    /// Another list gets the elements that a list holds.
    fn is_copied_list(&self, list: &Self::Object) -> Result<(), Self::Error> {
        let _ = list;
        Ok(())
    }
    /// A value becomes an element of a list of the graph, as what it is made of.
    fn enters(&self, value: &Self::Value) -> Result<(), Self::Error> {
        let _ = value;
        Ok(())
    }
    /// A value was made of an element that its list no longer has.
    fn is_moved(&self, value: &Self::Value, list: &Self::Object) -> Result<(), Self::Error> {
        let _ = list;
        self.is_listed(value)
    }
    /// A value was made of an element that stays in its list.
    fn is_copied(&self, value: &Self::Value) -> Result<(), Self::Error> {
        let _ = value;
        Ok(())
    }
    /// A value was made of the element of a list at a position counted from the start, which `at` emits.
    fn stands_for(
        &self,
        value: &Self::Value,
        list: &Self::Object,
        at: &dyn Fn() -> ValueId,
    ) -> Result<(), Self::Error> {
        let _ = (value, list, at);
        Ok(())
    }
    /// A value was made of the element over which a loop runs.
    fn is_walked(&self, value: &Self::Value) -> Result<(), Self::Error> {
        let _ = value;
        Ok(())
    }
    /// Brings what values that stand for elements were changed to into their lists, before a list is read.
    fn is_read(&self, list: &Self::Object) -> Result<(), Self::Error> {
        let _ = list;
        Ok(())
    }
    /// The structures of a pair's parts, each with the number of its leaves.
    fn pair(&self, skeleton: &Self::Skeleton) -> Option<[(Self::Skeleton, usize); 2]>;
    /// A leaf of an element that was taken out of a list.
    fn part(&self, leaf: Staged) -> Result<Self::Value, Self::Error>;
    /// A leaf as an operand, if it is a value of the graph or can become one.
    fn operand(&self, leaf: &Self::Value) -> Result<Option<Operand<Self::Constant>>, Self::Error>;
    /// True if two values are one object.
    fn is_object(&self, a: &Self::Value, b: &Self::Value) -> bool;
    /// True if an item of a list stayed as it was.
    fn same_item(&self, a: &Self::Value, b: &Self::Value) -> bool {
        self.is_object(a, b) || self.same(a, b)
    }
    /// The name of a value's type.
    fn type_name(&self, value: &Self::Value) -> Result<String, Self::Error>;
    /// The values inside of a structure; none for a leaf.
    fn inside(&self, value: &Self::Value) -> Result<Option<Vec<Self::Value>>, Self::Error>;

    /// The items of a tuple; nothing for any other value.
    fn tuple(&self, value: &Self::Value) -> Result<Option<Vec<Self::Value>>, Self::Error> {
        let _ = value;
        Ok(None)
    }
    /// A tuple as this one is, of other items.
    fn tuple_like(&self, tuple: &Self::Value, items: Vec<Self::Value>) -> Result<Self::Value, Self::Error> {
        let _ = items;
        Ok(tuple.clone())
    }

    /// Stands for the contents of a list without elements.
    fn no_elements(&self) -> Result<Self::Value, Self::Error>;
    /// True if a value is [`Heap::no_elements`].
    fn is_no_elements(&self, value: &Self::Value) -> bool;
    /// Stands for a list that is the same object on all paths, since its contents flow by themselves.
    fn stand_in(&self, value: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// The object for which a stand-in of [`Heap::stand_in`] stands.
    fn stood_for(&self, value: &Self::Value) -> Option<Self::Value>;
    /// The object for which any stand-in stands, or what is inside of it.
    fn original(&self, value: &Self::Value) -> Result<Option<Self::Value>, Self::Error> {
        Ok(self.stood_for(value))
    }

    /// The kind of a value that is a dict or set.
    fn table(&self, value: &Self::Value) -> Option<TableKind> {
        let _ = value;
        None
    }
    /// The list that holds the contents of a dict or set in the graph, if it is in the graph.
    fn table_list(&self, table: &Self::Value) -> Result<Option<Self::Object>, Self::Error> {
        let _ = table;
        Ok(None)
    }
    /// The contents of a dict or set of the host's own, as a list.
    fn table_contents(&self, table: &Self::Value) -> Result<Self::Object, Self::Error>;
    /// True if two dicts or sets of the host's own have other keys.
    fn keys_differ(&self, a: &Self::Value, b: &Self::Value) -> Result<bool, Self::Error> {
        let _ = (a, b);
        Ok(false)
    }
    /// A new dict or set with these contents.
    fn new_table(&self, kind: TableKind, list: &Self::Object) -> Result<Self::Value, Self::Error>;

    /// Elements of the host's own as a value of the graph.
    fn bring(&self, constant: &Self::Constant) -> Staged;
    /// The type of elements of the host's own, and the lengths of their axes.
    fn constant_type(&self, constant: &Self::Constant) -> (DType, usize);
    /// True if one of these elements is NaN.
    fn has_nan(&self, constant: &Self::Constant) -> bool;
    /// Bools as elements.
    fn bools(&self, bools: &[bool]) -> Operand<Self::Constant>;

    /// Adds an operation to the graph.
    fn apply(&self, call: &Call, operands: Vec<Operand<Self::Constant>>) -> Result<Staged, Self::Error> {
        let staged: Vec<_> = operands.iter().map(|operand| self.stage(operand)).collect();
        self.locate();
        let made = self.trace().build(|b| emit(call, b, &staged));
        made.map_err(|unfit| Trace::diagnose(unfit, self.here()).into())
    }
    /// An operand as a value of the graph.
    fn stage(&self, operand: &Operand<Self::Constant>) -> Staged {
        match operand {
            Operand::Staged(staged) => *staged,
            Operand::Number(number) => self.trace().number(*number),
            Operand::Constant(constant) => self.bring(constant),
        }
    }
    /// Says where in the user's text the next operations come from.
    fn locate(&self) {
        self.trace().set_place(self.here());
    }
    /// Fails with a text when the graph runs, unless the first of `values` holds; the others stand in the text. No handler of the
    /// program catches the failure of a limit.
    fn check(
        &self,
        values: &[ValueId],
        kind: CheckKind,
        pieces: Vec<Text>,
        limit: bool,
    ) -> Result<(), Self::Error> {
        let message = PrintFormat { pieces, stream: Stream::Stderr, summarize: None };
        self.locate();
        let check = Attr::Check { kind, message, limit };
        let made = self.trace().build(|b| b.effect(Op::Check, check, values));
        made.map_err(|unfit| Trace::diagnose(unfit, self.here()).into())
    }
    /// The error for a diagnostic of the place where the program is now.
    fn refuse(&self, diagnostic: Diagnostic) -> Self::Error {
        match self.here() {
            Some(place) => diagnostic.at(place, "").into(),
            None => diagnostic.into(),
        }
    }
    /// The exception of the host's that the program raises while it is traced.
    fn raise(&self, kind: CheckKind, text: &Self::Message) -> Self::Error;
    /// A text without values.
    fn message(&self, text: &str) -> Self::Message;
    /// A value as a text.
    fn message_of(&self, value: &Self::Value) -> Self::Message;
    /// The pieces of a text and the values that it shows, which are the operands from `first` on.
    fn pieces(&self, text: &Self::Message, first: usize) -> Result<Pieces<Self::Constant>, Self::Error>;

    /// The element type of an operand.
    fn dtype(&self, operand: &Operand<Self::Constant>) -> DType {
        match operand {
            Operand::Staged(staged) => self.trace().ty(staged.value).dtype,
            Operand::Number(number) => lone_dtype(*number),
            Operand::Constant(constant) => self.constant_type(constant).0,
        }
    }
    /// The number of axes of an operand.
    fn rank(&self, operand: &Operand<Self::Constant>) -> usize {
        match operand {
            Operand::Staged(staged) => self.trace().ty(staged.value).rank(),
            Operand::Number(_) => 0,
            Operand::Constant(constant) => self.constant_type(constant).1,
        }
    }
    /// True unless it is known that no element is NaN.
    fn may_be_nan(&self, operand: &Operand<Self::Constant>) -> bool {
        let known = |staged: &Staged| self.trace().known(staged.value);
        self.dtype(operand).is_float()
            && match operand {
                Operand::Number(number) => number.is_nan(),
                Operand::Constant(constant) => self.has_nan(constant),
                Operand::Staged(staged) => known(staged).is_none_or(|number| number.is_nan()),
            }
    }
    /// The leaf as a value of the graph or a number, if it can be one.
    fn piece(&self, leaf: &Self::Value) -> Result<Option<Seen>, Self::Error> {
        Ok(self.operand(leaf)?.map(|operand| match operand {
            Operand::Number(number) => Seen::Number(number),
            Operand::Staged(_) | Operand::Constant(_) => Seen::Staged(self.stage(&operand)),
        }))
    }
}

/// The element type of a number that stands alone.
pub(crate) fn lone_dtype(number: Scalar) -> DType {
    match number {
        Scalar::Text(_) => DType::Str,
        Scalar::Bool(_) => DType::Bool,
        Scalar::Int(i) if i32::try_from(i).is_err() => DType::I64,
        Scalar::Int(_) => gw_types::Number::Int.default_dtype(),
        Scalar::Nat(_) => DType::U64,
        Scalar::Float(_) => gw_types::Number::Float.default_dtype(),
        Scalar::Complex(..) => gw_types::Number::Complex.default_dtype(),
    }
}
