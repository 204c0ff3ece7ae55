//! A host with numbers, tuples, objects with attributes, lists, dicts and sets: they are shared by reference, and each is as it is until the
//! graph changes it.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use gw_base::{Code, Diagnostic, Loc};
use gw_ir::{CheckKind, Literal, Piece as Text};
use gw_trace::calls::{Call, emit};
use gw_trace::objects::{Elements, Heap, Index, Operand, Registry, TableKind};
use gw_trace::{Host, Parts, Seen, Shown, Staged, State, Trace};
use gw_types::{DType, Scalar};

/// A value of the toy language.
#[derive(Debug, Clone)]
pub enum Value {
    Number(Scalar),
    Staged(Staged),
    Maybe(Staged, gw_ir::ValueId, gw_trace::Lack),
    Unbound,
    Tuple(Vec<Value>),
    List(List),
    Table(TableKind, List),
    Instance(Instance),
    /// Stands in a list for elements of the graph.
    Rows(Arc<Elements<Skeleton>>),
    NoElements,
    SameObject(Box<Value>),
}

/// A list object.
#[derive(Debug, Clone, Default)]
pub struct List(pub Rc<RefCell<Vec<Value>>>);

impl PartialEq for List {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for List {}

impl Hash for List {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Rc::as_ptr(&self.0).hash(state);
    }
}

impl List {
    pub fn of(items: Vec<Value>) -> Self {
        Self(Rc::new(RefCell::new(items)))
    }

    pub fn push(&self, item: Value) {
        self.0.borrow_mut().push(item);
    }
}

/// An object with attributes.
#[derive(Debug, Clone)]
pub struct Instance {
    pub attributes: Rc<RefCell<Vec<(&'static str, Value)>>>,
    /// True if the program made it; any other is known elsewhere, and stays the object that it is.
    is_made: bool,
}

impl Instance {
    pub fn new(attributes: &[(&'static str, Value)]) -> Self {
        Self { attributes: Rc::new(RefCell::new(attributes.to_vec())), is_made: true }
    }

    /// An object that the program did not make.
    pub fn from_elsewhere(attributes: &[(&'static str, Value)]) -> Self {
        Self { is_made: false, ..Self::new(attributes) }
    }

    pub fn is(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.attributes, &other.attributes)
    }

    pub fn get(&self, name: &str) -> Value {
        let attributes = self.attributes.borrow();
        attributes.iter().find(|(own, _)| *own == name).expect("an attribute").1.clone()
    }
}

/// The structure of a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Skeleton {
    Leaf,
    Tuple(Vec<Skeleton>),
    List(Vec<Skeleton>),
    Rows(Box<Skeleton>),
    Table(TableKind, Box<Skeleton>),
    Instance(Vec<(&'static str, Skeleton)>),
}

impl Skeleton {
    fn count(&self) -> usize {
        match self {
            Self::Leaf => 1,
            Self::Tuple(parts) | Self::List(parts) => parts.iter().map(Self::count).sum(),
            Self::Rows(part) | Self::Table(_, part) => part.count(),
            Self::Instance(parts) => parts.iter().map(|(_, part)| part.count()).sum(),
        }
    }
}

/// The end of a program before its end.
#[derive(Debug, Clone)]
pub enum Failed {
    /// The graph cannot hold the program.
    Refused(Diagnostic),
    /// The program raises an exception.
    Raised(CheckKind, String),
}

impl From<Diagnostic> for Failed {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Refused(diagnostic)
    }
}

pub struct Toy {
    pub trace: Trace,
    pub variables: RefCell<Vec<Value>>,
    lists: Registry<List, Value, Skeleton>,
    /// Objects that stand in lists of the graph, or were made of elements of one.
    listed: RefCell<Vec<Instance>>,
}

impl Toy {
    pub fn new(variables: Vec<Value>) -> Self {
        let (variables, listed) = (RefCell::new(variables), RefCell::default());
        Self { trace: Trace::new("f"), variables, lists: Registry::default(), listed }
    }

    fn here(&self, staged: Staged) -> Staged {
        Staged { value: self.trace.lift(staged.value).unwrap_or(staged.value), ..staged }
    }

    /// A number as a value of the graph.
    pub fn staged(&self, value: &Value) -> Staged {
        match value {
            Value::Number(number) => self.trace.number(*number),
            Value::Staged(staged) => self.here(*staged),
            other => panic!("{other:?} is no number"),
        }
    }

    /// Sets an attribute; an error if a list of the graph would have to know.
    pub fn assign(&self, instance: &Instance, name: &'static str, value: Value) -> Result<(), Failed> {
        if self.listed.borrow().iter().any(|listed| listed.is(instance)) {
            return Err(Diagnostic::new(Code::StoreUnclear, "an object of a list is changed").into());
        }
        let mut attributes = instance.attributes.borrow_mut();
        attributes.iter_mut().filter(|(own, _)| *own == name).for_each(|(_, old)| *old = value.clone());
        Ok(())
    }

    /// The result of an operation on numbers.
    pub fn binary(&self, op: gw_ir::Op, x: &Value, y: &Value) -> Value {
        let both = [self.staged(x), self.staged(y)];
        let made = self.trace.build(|b| emit(&Call::Binary(op), b, &both));
        Value::Staged(made.expect("numbers"))
    }

    fn leaves(&self, value: &Value, leaves: &mut Vec<Value>) -> Skeleton {
        match value {
            Value::Tuple(parts) => {
                Skeleton::Tuple(parts.iter().map(|part| self.leaves(part, leaves)).collect())
            }
            Value::List(list) => {
                Skeleton::List(list.0.borrow().iter().map(|item| self.leaves(item, leaves)).collect())
            }
            Value::Table(kind, list) => {
                Skeleton::Table(*kind, Box::new(self.leaves(&Value::List(list.clone()), leaves)))
            }
            Value::Instance(instance) if instance.is_made => {
                let attributes = instance.attributes.borrow();
                let part = |(name, value): &(&'static str, Value)| (*name, self.leaves(value, leaves));
                Skeleton::Instance(attributes.iter().map(part).collect())
            }
            Value::Rows(rows) => {
                leaves.extend(rows.leaves.iter().map(|&leaf| Value::Staged(leaf)));
                Skeleton::Rows(Box::new((*rows.element).clone()))
            }
            Value::Number(_) | Value::Staged(_) | Value::Maybe(..) | Value::Unbound => {
                leaves.push(value.clone());
                Skeleton::Leaf
            }
            Value::NoElements | Value::SameObject(_) | Value::Instance(_) => {
                leaves.push(value.clone());
                Skeleton::Leaf
            }
        }
    }

    fn built(&self, skeleton: &Skeleton, leaves: &mut impl Iterator<Item = Value>) -> Value {
        match skeleton {
            Skeleton::Leaf => leaves.next().expect("a leaf"),
            Skeleton::Tuple(parts) => {
                Value::Tuple(parts.iter().map(|part| self.built(part, &mut *leaves)).collect())
            }
            Skeleton::List(parts) => {
                let items = parts.iter().map(|part| self.built(part, &mut *leaves)).collect();
                Value::List(List::of(items))
            }
            Skeleton::Table(kind, contents) => match self.built(contents, leaves) {
                Value::List(list) => Value::Table(*kind, list),
                other => panic!("{other:?} is no list"),
            },
            Skeleton::Instance(parts) => {
                let attributes = parts.iter().map(|(name, part)| (*name, self.built(part, &mut *leaves)));
                Value::Instance(Instance::new(&attributes.collect::<Vec<_>>()))
            }
            Skeleton::Rows(element) => {
                let rows: Vec<_> = leaves.take(element.count()).map(|leaf| self.staged(&leaf)).collect();
                let element = Arc::new((**element).clone());
                Value::Rows(Arc::new(Elements { element, leaves: rows, bound: None }))
            }
        }
    }
}

impl Host for Toy {
    type Value = Value;
    type Skeleton = Skeleton;
    type Error = Failed;

    fn trace(&self) -> &Trace {
        &self.trace
    }
    fn place(&self) -> Option<Loc> {
        None
    }
    fn flatten(&self, value: &Value) -> Result<Parts<Self>, Failed> {
        let mut leaves = Vec::new();
        Ok((self.leaves(value, &mut leaves), leaves))
    }
    fn rebuild(&self, skeleton: &Skeleton, leaves: Vec<Value>) -> Result<Value, Failed> {
        Ok(self.built(skeleton, &mut leaves.into_iter()))
    }
    fn same_skeleton(&self, a: &Skeleton, b: &Skeleton) -> bool {
        a == b
    }
    fn has_rows(&self, skeleton: &Skeleton) -> bool {
        match skeleton {
            Skeleton::Leaf => false,
            Skeleton::Rows(_) => true,
            Skeleton::Tuple(parts) | Skeleton::List(parts) => parts.iter().any(|part| self.has_rows(part)),
            Skeleton::Table(_, part) => self.has_rows(part),
            Skeleton::Instance(parts) => parts.iter().any(|(_, part)| self.has_rows(part)),
        }
    }
    fn see(&self, leaf: &Value) -> Result<Seen, Failed> {
        Ok(match leaf {
            Value::Number(number) => Seen::Number(*number),
            Value::Staged(staged) => Seen::Staged(self.here(*staged)),
            Value::Maybe(staged, bit, lack) => {
                Seen::Maybe(self.here(*staged), self.trace.lift(*bit).unwrap_or(*bit), *lack)
            }
            Value::Unbound => Seen::Unbound,
            Value::NoElements => Seen::Empty,
            Value::Tuple(_) | Value::List(_) | Value::Table(..) | Value::Rows(_) => Seen::Object,
            Value::SameObject(_) | Value::Instance(_) => Seen::Object,
        })
    }
    fn show(&self, shown: Shown) -> Result<Value, Failed> {
        Ok(match shown {
            Shown::Staged(staged) => Value::Staged(staged),
            Shown::Maybe(staged, bit, lack) => Value::Maybe(staged, bit, lack),
            Shown::Number(number) => Value::Number(number),
            Shown::Nothing => Value::Unbound,
        })
    }
    fn same(&self, a: &Value, b: &Value) -> bool {
        self.is_object(a, b)
    }
    fn raises(&self, error: &Failed) -> bool {
        let Failed::Raised(kind, text) = error else { return false };
        let never = self.trace.constant(Literal::scalar(DType::Bool, Scalar::Bool(false)));
        self.check(&[never.value], *kind, vec![Text::Text(text.clone())], false).is_ok()
    }
    fn can_raise(&self, error: &Failed) -> bool {
        matches!(error, Failed::Raised(..))
    }
    fn can_learn(&self, error: &Failed) -> bool {
        self.lists.has_missed() && !(self.lists.is_asked() && self.can_raise(error))
    }
    fn misses(&self) -> usize {
        self.lists.misses()
    }
    fn ask(&self, begins: bool) {
        if begins { self.lists.ask() } else { self.lists.asked() }
    }
    fn word(&self, leaf: &Value) -> String {
        match leaf {
            Value::List(_) => "a list".to_owned(),
            Value::Instance(_) => "an object".to_owned(),
            other => format!("{other:?}"),
        }
    }
}

impl Heap for Toy {
    type Object = List;
    type Constant = ();
    type Message = String;

    fn lists(&self) -> &Registry<List, Value, Skeleton> {
        &self.lists
    }
    fn list(&self, value: &Value) -> Option<List> {
        if let Value::List(list) = value { Some(list.clone()) } else { None }
    }
    fn value_of(&self, list: &List) -> Value {
        Value::List(list.clone())
    }
    fn new_list(&self, items: Vec<Value>) -> Result<List, Failed> {
        Ok(List::of(items))
    }
    fn items(&self, list: &List) -> Vec<Value> {
        list.0.borrow().clone()
    }
    fn fill(&self, list: &List, items: Vec<Value>) -> Result<(), Failed> {
        list.0.replace(items);
        Ok(())
    }
    fn row_item(&self, elements: Elements<Skeleton>) -> Result<Value, Failed> {
        Ok(Value::Rows(Arc::new(elements)))
    }
    fn row_elements(&self, item: &Value) -> Option<Elements<Skeleton>> {
        if let Value::Rows(rows) = item { Some((**rows).clone()) } else { None }
    }
    fn read_rows(&self, _item: &Value, elements: &Elements<Skeleton>) -> Result<Vec<Staged>, Failed> {
        Ok(elements.leaves.iter().map(|&leaf| self.here(leaf)).collect())
    }
    fn is_value(&self, skeleton: &Skeleton) -> bool {
        match skeleton {
            Skeleton::Leaf => true,
            Skeleton::Tuple(parts) => parts.iter().all(|part| self.is_value(part)),
            Skeleton::Instance(parts) => parts.iter().all(|(_, part)| self.is_value(part)),
            Skeleton::List(_) | Skeleton::Rows(_) | Skeleton::Table(..) => false,
        }
    }
    fn has_own_equality(&self, skeleton: &Skeleton) -> bool {
        match skeleton {
            Skeleton::Instance(_) => true,
            Skeleton::Leaf => false,
            Skeleton::Tuple(parts) | Skeleton::List(parts) => {
                parts.iter().any(|part| self.has_own_equality(part))
            }
            Skeleton::Rows(part) | Skeleton::Table(_, part) => self.has_own_equality(part),
        }
    }
    fn is_listed(&self, value: &Value) -> Result<(), Failed> {
        if let Value::Instance(instance) = value {
            self.listed.borrow_mut().push(instance.clone());
        }
        self.inside(value)?.into_iter().flatten().try_for_each(|part| self.is_listed(&part))
    }
    fn pair(&self, skeleton: &Skeleton) -> Option<[(Skeleton, usize); 2]> {
        let Skeleton::Tuple(parts) = skeleton else { return None };
        let [key, value] = &parts[..] else { return None };
        Some([key, value].map(|part| (part.clone(), part.count())))
    }
    fn part(&self, leaf: Staged) -> Result<Value, Failed> {
        Ok(Value::Staged(leaf))
    }
    fn operand(&self, leaf: &Value) -> Result<Option<Operand<()>>, Failed> {
        Ok(match leaf {
            Value::Number(number) => Some(Operand::Number(*number)),
            Value::Staged(staged) => Some(Operand::Staged(self.here(*staged))),
            Value::Maybe(..) | Value::Unbound | Value::Tuple(_) | Value::List(_) | Value::Table(..) => None,
            Value::Rows(_) | Value::NoElements | Value::SameObject(_) | Value::Instance(_) => None,
        })
    }
    fn is_object(&self, a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => a.is(*b),
            (Value::Staged(a), Value::Staged(b)) => a == b,
            (Value::Maybe(a, p, l), Value::Maybe(b, q, m)) => a == b && p == q && l == m,
            (Value::List(a), Value::List(b)) => a == b,
            (Value::Table(k, a), Value::Table(l, b)) => k == l && a == b,
            (Value::Rows(a), Value::Rows(b)) => Arc::ptr_eq(a, b),
            (Value::Instance(a), Value::Instance(b)) => a.is(b),
            (Value::SameObject(a), Value::SameObject(b)) => self.is_object(a, b),
            (Value::Tuple(a), Value::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.is_object(a, b))
            }
            (Value::Unbound, Value::Unbound) | (Value::NoElements, Value::NoElements) => true,
            (_, _) => false,
        }
    }
    fn type_name(&self, value: &Value) -> Result<String, Failed> {
        Ok(match value {
            Value::List(_) => "list",
            Value::Tuple(_) => "tuple",
            _ => "object",
        }
        .to_owned())
    }
    fn inside(&self, value: &Value) -> Result<Option<Vec<Value>>, Failed> {
        Ok(match value {
            Value::Tuple(parts) => Some(parts.clone()),
            Value::List(list) => Some(self.items(list)),
            Value::Instance(instance) => {
                Some(instance.attributes.borrow().iter().map(|(_, value)| value.clone()).collect())
            }
            _ => None,
        })
    }
    fn no_elements(&self) -> Result<Value, Failed> {
        Ok(Value::NoElements)
    }
    fn is_no_elements(&self, value: &Value) -> bool {
        matches!(value, Value::NoElements)
    }
    fn stand_in(&self, value: &Value) -> Result<Value, Failed> {
        Ok(Value::SameObject(Box::new(value.clone())))
    }
    fn stood_for(&self, value: &Value) -> Option<Value> {
        if let Value::SameObject(object) = value { Some((**object).clone()) } else { None }
    }
    fn table(&self, value: &Value) -> Option<TableKind> {
        if let Value::Table(kind, _) = value { Some(*kind) } else { None }
    }
    fn table_list(&self, table: &Value) -> Result<Option<List>, Failed> {
        Ok(if let Value::Table(_, list) = table { Some(list.clone()) } else { None })
    }
    fn table_contents(&self, table: &Value) -> Result<List, Failed> {
        self.table_list(table).map(Option::unwrap_or_default)
    }
    fn new_table(&self, kind: TableKind, list: &List) -> Result<Value, Failed> {
        Ok(Value::Table(kind, list.clone()))
    }
    fn bring(&self, (): &()) -> Staged {
        panic!("the toy has no tensors of its own")
    }
    fn constant_type(&self, (): &()) -> (DType, usize) {
        (DType::Bool, 0)
    }
    fn has_nan(&self, (): &()) -> bool {
        false
    }
    fn bools(&self, bools: &[bool]) -> Operand<()> {
        let scalars: Vec<_> = bools.iter().map(|&is| Scalar::Bool(is)).collect();
        let literal = Literal::from_scalars(DType::Bool, vec![bools.len()], &scalars);
        Operand::Staged(self.trace.constant(literal))
    }
    fn raise(&self, kind: CheckKind, text: &String) -> Failed {
        Failed::Raised(kind, text.clone())
    }
    fn message(&self, text: &str) -> String {
        text.to_owned()
    }
    fn message_of(&self, value: &Value) -> String {
        match value {
            Value::Number(number) => number.to_i64().to_string(),
            _ => "a key".to_owned(),
        }
    }
    fn pieces(&self, text: &String, _first: usize) -> Result<(Vec<Text>, Vec<Operand<()>>), Failed> {
        Ok((vec![Text::Text(text.clone())], Vec::new()))
    }
}

impl State<Toy> for Toy {
    fn get(&self) -> Result<Vec<Value>, Failed> {
        Ok(self.variables.borrow().clone())
    }
    fn set(&self, values: &[Value]) -> Result<(), Failed> {
        *self.variables.borrow_mut() = values.to_vec();
        Ok(())
    }
}

/// A number as an index of a list.
pub fn index(toy: &Toy, value: &Value) -> Index {
    match value {
        Value::Number(number) => Index::Known(number.to_i64()),
        other => Index::Given(toy.staged(other)),
    }
}
