//! The interface to the host language. A toy host of a few lines is enough to test every rule.

use gw_base::{Code, Diagnostic, Loc};
use gw_ir::ValueId;
use gw_types::{Scalar, Text};

use crate::{Slot, Staged, Trace};

/// The host language: what its values are to the graph.
pub trait Host {
    /// Value of a variable.
    type Value: Clone;
    /// The structure of a value: what is left when its leaves are taken out.
    type Skeleton;
    /// The host's error; diagnostics become one.
    type Error: From<Diagnostic>;

    /// The graph that is being built.
    fn trace(&self) -> &Trace;
    /// Location in the user's text that the host executes now.
    fn place(&self) -> Option<Loc>;
    /// The most iterations that the loop being traced may take, once its body said so.
    fn limit(&self) -> Option<i64> {
        None
    }
    /// In how many levels of segments the loop being traced is: the way back keeps what segments begin with, and no more.
    fn segments(&self) -> usize {
        0
    }
    /// Location in the user's text at which a part of the statement assigns a variable; none if it does not, or
    /// if the host does not know.
    fn assigned(&self, slot: &Slot, part: Part) -> Option<Loc> {
        let _ = (slot, part);
        None
    }
    /// Takes a value apart: its structure and its leaves. A value without structure is its own leaf.
    fn flatten(&self, value: &Self::Value) -> Result<Parts<Self>, Self::Error>;
    /// The same of a value at a way out of a `try`, where objects stay the ones that they are: what they hold flows by itself.
    fn flatten_way(&self, value: &Self::Value) -> Result<Parts<Self>, Self::Error> {
        self.flatten(value)
    }
    /// Puts leaves back into a structure.
    fn rebuild(
        &self,
        skeleton: &Self::Skeleton,
        leaves: Vec<Self::Value>,
    ) -> Result<Self::Value, Self::Error>;
    /// True if two structures are the same.
    fn same_skeleton(&self, a: &Self::Skeleton, b: &Self::Skeleton) -> bool;
    /// True if a structure has the elements of lists of the graph for leaves, as rows: those are numbers of the host's.
    fn has_rows(&self, skeleton: &Self::Skeleton) -> bool {
        let _ = skeleton;
        false
    }
    /// The structure of a list of the graph that either of two lists may become, if they differ in length, or one of them is such a
    /// list: with it the number of elements of each that is the host's own.
    fn as_rows(&self, lists: [&Self::Skeleton; 2]) -> Option<(Self::Skeleton, [Option<usize>; 2])> {
        let _ = lists;
        None
    }
    /// Is told that lists of the host's own became lists of the graph.
    fn has_lists(&self) -> Result<(), Self::Error> {
        Ok(())
    }
    /// The leaf of a list without elements, of a host that has one.
    fn leaf_without_elements(&self) -> Option<Result<Self::Value, Self::Error>> {
        None
    }
    /// The structure of what may be the host's object for no value or a structure like this one: a bool, and behind it
    /// the leaves. It is its own if it is one already; there is none for a leaf.
    fn optional(&self, skeleton: &Self::Skeleton) -> Option<Self::Skeleton> {
        let _ = skeleton;
        None
    }
    /// Classifies a leaf for the graph. Tensors that hold values are brought into the graph, in the region open
    /// now.
    fn see(&self, leaf: &Self::Value) -> Result<Seen, Self::Error>;
    /// The host value that stands for a value of the graph.
    fn show(&self, shown: Shown) -> Result<Self::Value, Self::Error>;
    /// Placeholder for a name that has a value on some paths only, and there one that the graph cannot hold: a
    /// read of it raises the diagnostic. Hosts that do not observe every read raise it at once.
    fn unclear(&self, slot: &Slot, why: Diagnostic) -> Result<Self::Value, Self::Error> {
        let _ = slot;
        Err(why.into())
    }
    /// True if two leaves are one and the same: one object, or equal numbers of one type.
    fn same(&self, a: &Self::Value, b: &Self::Value) -> bool;
    /// True unless the second of two values is an object that can be changed in place and is not the first one.
    fn is_one(&self, found: &Self::Value, left: &Self::Value) -> bool {
        let _ = (found, left);
        true
    }
    /// The host's own state that code changes without naming it, in an order that is kept: what functions of the graph take
    /// and give besides their arguments. In a branch or loop it is part of the statement's state.
    fn own_state(&self) -> Result<Vec<Self::Value>, Self::Error> {
        Ok(Vec::new())
    }
    /// Gives the first of the host's own state these values; the rest gets back what it had before it was met.
    fn set_own_state(&self, values: &[Self::Value]) -> Result<(), Self::Error> {
        let _ = values;
        Ok(())
    }
    /// Puts what `content` holds into a leaf, as a store does that the host's program makes.
    fn store(&self, leaf: &Self::Value, content: &Self::Value) -> Result<(), Self::Error> {
        let _ = (leaf, content);
        Ok(())
    }
    /// The error that stops code of the host's, on its way through the frames of the program.
    fn interrupt(&self, why: Interrupt) -> Self::Error {
        Diagnostic::new(Code::BranchesDisagree, why.text()).into()
    }
    /// The reason why code of the host's was stopped, if an error is that.
    fn interrupt_of(&self, error: &Self::Error) -> Option<Interrupt> {
        let _ = error;
        None
    }
    /// Remedy to suggest for a leaf that the graph cannot hold, if there is a more specific one than for any
    /// other.
    fn instead(&self, leaf: &Self::Value) -> Option<&'static str> {
        let _ = leaf;
        None
    }
    /// Lets the graph raise, where it gets to the end of the region open now, what was raised there while it was traced;
    /// false if only the host can.
    fn raises(&self, error: &Self::Error) -> bool {
        let _ = error;
        false
    }
    /// True if the graph can raise it.
    fn can_raise(&self, error: &Self::Error) -> bool {
        let _ = error;
        false
    }
    /// Is told that a statement raises this whatever the graph decides in it.
    fn passes(&self, error: &Self::Error) {
        let _ = error;
    }
    /// True if the last failure lacked knowledge that another branch may give, and can be tried again after that.
    fn can_learn(&self, error: &Self::Error) -> bool {
        let _ = error;
        false
    }
    /// The number of such failures so far: one that is older than a branch is none of the branch's.
    fn misses(&self) -> usize {
        0
    }
    /// Is told that another branch is asked for what the last failure lacked, or is not asked any more. A branch in it that
    /// lacks the same raises at once: each would ask those behind it again, so that time doubles with every branch.
    fn ask(&self, begins: bool) {
        let _ = begins;
    }
    /// Description of a leaf in the user's words, for diagnostics: "`None`", "a `str`".
    fn word(&self, leaf: &Self::Value) -> String;
}

/// A reason to stop code of the host's before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interrupt {
    /// It calls a function of which nothing is known yet: the branch that makes the call ends there.
    UnknownCallee,
    /// A call comes again: one around it becomes a function of the graph, and is traced anew.
    Recurses,
}

impl Interrupt {
    /// All reasons.
    pub const ALL: [Self; 2] = [Self::UnknownCallee, Self::Recurses];

    /// The reason in words, for a host whose errors are texts.
    pub fn text(self) -> &'static str {
        match self {
            Self::UnknownCallee => "nothing is known yet of the function",
            Self::Recurses => "the function is to be made one of the graph",
        }
    }
}

/// True if an error stops a branch because it calls a function of which nothing is known yet.
pub(crate) fn is_unknown<H: Host>(host: &H, error: &H::Error) -> bool {
    host.interrupt_of(error) == Some(Interrupt::UnknownCallee)
}

/// A part of the text around a statement that is staged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Code that runs before it.
    Before,
    /// A branch of it, or its body.
    Block(usize),
}

/// A structure and its leaves.
pub type Parts<H> = (<H as Host>::Skeleton, Vec<<H as Host>::Value>);

/// The variables that flow through a statement, as many as it has names: those that it names, and what the host found that
/// it changes without naming it. Where the host finds more, it ends the statement with an error and stages it anew.
pub trait State<H: Host> {
    /// The variables' values now.
    fn get(&self) -> Result<Vec<H::Value>, H::Error>;
    /// Gives the variables values.
    fn set(&self, values: &[H::Value]) -> Result<(), H::Error>;
}

/// All that flows through a statement.
pub(crate) struct Flow<'a, H: Host> {
    /// Host that owns the state.
    pub host: &'a H,
    /// The variables, if the statement has any.
    pub state: Option<&'a dyn State<H>>,
    /// The variables.
    pub slots: &'a [Slot],
}

impl<H: Host> Flow<'_, H> {
    /// The values now.
    pub fn get(&self) -> Result<Vec<H::Value>, H::Error> {
        self.state.map_or_else(|| Ok(Vec::new()), State::get)
    }

    /// Gives all of it values.
    pub fn set(&self, values: &[H::Value]) -> Result<(), H::Error> {
        self.state.map_or(Ok(()), |state| state.set(values))
    }
}

/// Classification of a leaf for the graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Seen {
    /// A value of the graph.
    Staged(Staged),
    /// A number of the host's own, which may become a value of the graph.
    Number(Scalar),
    /// A string of the host's own, which the host keeps: it is as it is where it stays the same, and otherwise becomes a
    /// value of the graph.
    Text(Text),
    /// A name without a value.
    Unbound,
    /// The host's object for no value.
    Nothing,
    /// A value of the graph, a bool that says whether the name has it, and what it has otherwise.
    Maybe(Staged, ValueId, Lack),
    /// A list without elements, so of elements of any type.
    Empty,
    /// A name that the graph cannot hold, which nobody may read.
    Unclear,
    /// Anything else; it cannot differ between branches or iterations.
    Object,
}

/// Content of a name that may lack a value, on the paths where it lacks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lack {
    /// Nothing at all: it cannot be read.
    Unbound,
    /// The host's object for no value.
    Nothing,
    /// A value of another rank, from before a loop that has not run.
    OtherRank,
}

impl Seen {
    /// Kind of absence that a leaf may have, if any.
    pub fn lack(self) -> Option<Lack> {
        match self {
            Seen::Unbound => Some(Lack::Unbound),
            Seen::Nothing => Some(Lack::Nothing),
            Seen::Maybe(_, _, lack) => Some(lack),
            Seen::Staged(_) | Seen::Number(_) | Seen::Text(_) | Seen::Empty => None,
            Seen::Unclear | Seen::Object => None,
        }
    }
}

/// Values that the graph gives back to the host.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shown {
    /// A value of the graph.
    Staged(Staged),
    /// A value of the graph, a bool that says whether the name has it, and what it has otherwise.
    Maybe(Staged, ValueId, Lack),
    /// A number of the host's own.
    Number(Scalar),
    /// The host's object for no value.
    Nothing,
}
