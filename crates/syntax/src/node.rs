//! The kinds of nodes: what Python's grammar can say, one variant per construct.

use gw_base::Span;

use crate::tree::{Body, ExprId, Name};

/// A statement. `elif` is an `If` alone in `orelse`, as in Python's own tree.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields are named as in Python's `ast`")]
pub enum Stmt {
    FunctionDef(Box<Function>),
    ClassDef(Box<Class>),
    Return(Option<ExprId>),
    Delete(Vec<ExprId>),
    Assign {
        targets: Vec<ExprId>,
        value: ExprId,
    },
    TypeAlias {
        name: ExprId,
        type_params: Vec<TypeParam>,
        value: ExprId,
    },
    AugAssign {
        target: ExprId,
        op: Operator,
        value: ExprId,
    },
    AnnAssign {
        target: ExprId,
        annotation: ExprId,
        value: Option<ExprId>,
        simple: bool,
    },
    /// `guard` is tested before each item is fetched; no Python text has it, lowering of `break` makes it.
    For {
        is_async: bool,
        target: ExprId,
        iter: ExprId,
        guard: Option<ExprId>,
        body: Body,
        orelse: Body,
    },
    While {
        test: ExprId,
        body: Body,
        orelse: Body,
    },
    If {
        test: ExprId,
        body: Body,
        orelse: Body,
    },
    With {
        is_async: bool,
        items: Vec<WithItem>,
        body: Body,
    },
    Match {
        subject: ExprId,
        cases: Vec<Case>,
    },
    Raise {
        exc: Option<ExprId>,
        cause: Option<ExprId>,
    },
    Try {
        body: Body,
        handlers: Vec<Handler>,
        orelse: Body,
        finalbody: Body,
        is_star: bool,
    },
    Assert {
        test: ExprId,
        msg: Option<ExprId>,
    },
    Import(Vec<Alias>),
    ImportFrom {
        module: Option<Name>,
        names: Vec<Alias>,
        level: u32,
    },
    Global(Vec<Name>),
    Nonlocal(Vec<Name>),
    Expr(ExprId),
    Pass,
    Break,
    Continue,
}

/// An expression. Whether it is read, bound or deleted follows from where it stands.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields are named as in Python's `ast`")]
pub enum Expr {
    BoolOp {
        op: BoolOp,
        values: Vec<ExprId>,
    },
    Named {
        target: ExprId,
        value: ExprId,
    },
    BinOp {
        left: ExprId,
        op: Operator,
        right: ExprId,
    },
    UnaryOp {
        op: UnaryOp,
        operand: ExprId,
    },
    /// A generated lambda is a thunk of ours: called at once or not at all, so it captures nothing for later.
    Lambda {
        params: Box<Params>,
        body: ExprId,
        generated: bool,
    },
    IfExp {
        test: ExprId,
        body: ExprId,
        orelse: ExprId,
    },
    /// A pair without a key is `**value`.
    Dict(Vec<(Option<ExprId>, ExprId)>),
    Set(Vec<ExprId>),
    Comp {
        kind: CompKind,
        element: ExprId,
        clauses: Vec<Clause>,
    },
    DictComp {
        key: ExprId,
        value: ExprId,
        clauses: Vec<Clause>,
    },
    Await(ExprId),
    Yield(Option<ExprId>),
    YieldFrom(ExprId),
    Compare {
        left: ExprId,
        rest: Vec<(CmpOp, ExprId)>,
    },
    Call {
        func: ExprId,
        args: Vec<ExprId>,
        keywords: Vec<Keyword>,
    },
    FString(Vec<FPart>),
    Constant(Constant),
    Attribute {
        value: ExprId,
        attr: Name,
    },
    Subscript {
        value: ExprId,
        index: ExprId,
    },
    Starred(ExprId),
    Name(Name),
    List(Vec<ExprId>),
    Tuple(Vec<ExprId>),
    Slice {
        lower: Option<ExprId>,
        upper: Option<ExprId>,
        step: Option<ExprId>,
    },
}

/// A `def`.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields are named as in Python's `ast`")]
pub struct Function {
    pub is_async: bool,
    pub decorators: Vec<ExprId>,
    pub name: Name,
    pub type_params: Vec<TypeParam>,
    pub params: Params,
    pub returns: Option<ExprId>,
    pub body: Body,
    /// Made by lowering: a block of the function around it.
    pub generated: bool,
}

/// A `class`.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields are named as in Python's `ast`")]
pub struct Class {
    pub decorators: Vec<ExprId>,
    pub name: Name,
    pub type_params: Vec<TypeParam>,
    pub bases: Vec<ExprId>,
    pub keywords: Vec<Keyword>,
    pub body: Body,
}

/// The parameters of a function or lambda.
#[derive(Debug, Clone, PartialEq, Default)]
#[allow(missing_docs, reason = "the fields are named as in Python's `ast`")]
pub struct Params {
    pub posonly: Vec<Param>,
    pub args: Vec<Param>,
    pub vararg: Option<Param>,
    pub kwonly: Vec<Param>,
    pub kwarg: Option<Param>,
}

/// One parameter.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields are named as in Python's `ast`")]
pub struct Param {
    pub span: Span,
    pub name: Name,
    pub annotation: Option<ExprId>,
    pub default: Option<ExprId>,
}

/// `except type as name: body`.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields are named as in Python's `ast`")]
pub struct Handler {
    pub span: Span,
    pub kind: Option<ExprId>,
    pub name: Option<Name>,
    pub body: Body,
}

/// `case pattern if guard: body`.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields are named as in Python's `ast`")]
pub struct Case {
    pub pattern: Pattern,
    pub guard: Option<ExprId>,
    pub body: Body,
}

/// A pattern with its span.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields are named as in Python's `ast`")]
pub struct Pattern {
    pub span: Span,
    pub kind: PatternKind,
}

/// The kinds of patterns.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields are named as in Python's `ast`")]
pub enum PatternKind {
    Value(ExprId),
    Singleton(Constant),
    Sequence(Vec<Pattern>),
    Mapping { items: Vec<(ExprId, Pattern)>, rest: Option<Name> },
    Class { cls: ExprId, args: Vec<Pattern>, keywords: Vec<(Name, Pattern)> },
    Star(Option<Name>),
    As { pattern: Option<Box<Pattern>>, name: Option<Name> },
    Or(Vec<Pattern>),
}

/// `context as target`.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields are named as in Python's `ast`")]
pub struct WithItem {
    pub context: ExprId,
    pub target: Option<ExprId>,
}

/// `name as asname`.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields are named as in Python's `ast`")]
pub struct Alias {
    pub span: Span,
    pub name: Name,
    pub asname: Option<Name>,
}

/// `for target in iter if … if …` of a comprehension.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields are named as in Python's `ast`")]
pub struct Clause {
    pub is_async: bool,
    pub target: ExprId,
    pub iter: ExprId,
    pub ifs: Vec<ExprId>,
}

/// `name=value`, or `**value` without a name.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields are named as in Python's `ast`")]
pub struct Keyword {
    pub span: Span,
    pub name: Option<Name>,
    pub value: ExprId,
}

/// `T: bound = default` in `[…]` after a name.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields are named as in Python's `ast`")]
pub struct TypeParam {
    pub span: Span,
    pub kind: TypeParamKind,
    pub name: Name,
    pub bound: Option<ExprId>,
    pub default: Option<ExprId>,
}

/// A part of an f-string.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields are named as in Python's `ast`")]
pub enum FPart {
    Literal(String),
    /// `conversion` is one of `s`, `r`, `a`.
    Field {
        span: Span,
        value: ExprId,
        conversion: Option<char>,
        format: Option<Vec<FPart>>,
    },
}

/// A constant. An `Int` is kept as its digits, which Python's `int(text, 0)` reads.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the variants are Python's own types")]
pub enum Constant {
    None,
    Bool(bool),
    Ellipsis,
    Int(String),
    Float(f64),
    Complex {
        real: f64,
        imag: f64,
    },
    Str(String),
    /// A string as it is written, because it holds lone surrogates, which no Rust string can.
    Written(String),
    Bytes(Vec<u8>),
}

/// Kind of value that a comprehension makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are Python's own types")]
pub enum CompKind {
    List,
    Set,
    Generator,
}

/// The kind of a type parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are Python's own types")]
pub enum TypeParamKind {
    TypeVar,
    TypeVarTuple,
    ParamSpec,
}

macro_rules! symbols {
    ($(#[$doc:meta])* $kind:ident: $($name:ident = $text:literal),*) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs, reason = "named as in Python's `ast`")]
        pub enum $kind { $($name),* }
        impl $kind {
            /// As it is written.
            pub fn text(self) -> &'static str { match self { $($kind::$name => $text),* } }
            /// As Python's `ast` names its class.
            pub fn class(self) -> &'static str { match self { $($kind::$name => stringify!($name)),* } }
        }
    };
}

symbols! { /// `and`, `or`.
BoolOp: And = "and", Or = "or" }
symbols! { /// Operators with two operands.
Operator: Add = "+", Sub = "-", Mult = "*", MatMult = "@", Div = "/", Mod = "%", Pow = "**", LShift = "<<",
RShift = ">>", BitOr = "|", BitXor = "^", BitAnd = "&", FloorDiv = "//" }
symbols! { /// Operators with one operand.
UnaryOp: Invert = "~", Not = "not", UAdd = "+", USub = "-" }
symbols! { /// Comparisons.
CmpOp: Eq = "==", NotEq = "!=", Lt = "<", LtE = "<=", Gt = ">", GtE = ">=", Is = "is", IsNot = "is not",
In = "in", NotIn = "not in" }

impl Params {
    /// All parameters, in the order of `co_varnames`: positional, keyword-only, `*args`, `**kwargs`.
    pub fn all(&self) -> impl Iterator<Item = &Param> {
        self.posonly.iter().chain(&self.args).chain(&self.kwonly).chain(&self.vararg).chain(&self.kwarg)
    }

    /// The parameters that can be given by position.
    pub fn positional(&self) -> impl Iterator<Item = &Param> {
        self.posonly.iter().chain(&self.args)
    }

    /// One positional parameter of this name.
    pub fn one(span: Span, name: Name) -> Self {
        Params { args: vec![Param { span, name, annotation: None, default: None }], ..Params::default() }
    }
}

impl Alias {
    /// The name that an import binds; none for `*`.
    pub fn binds(&self) -> Option<Name> {
        match &self.asname {
            Some(name) => Some(name.clone()),
            None if &*self.name == "*" => None,
            None => Some(self.name.split('.').next().unwrap_or(&self.name).into()),
        }
    }
}

impl Pattern {
    /// True if it matches anything.
    pub fn is_irrefutable(&self) -> bool {
        match &self.kind {
            PatternKind::As { pattern, .. } => pattern.as_ref().is_none_or(|inner| inner.is_irrefutable()),
            PatternKind::Or(patterns) => patterns.iter().any(Pattern::is_irrefutable),
            PatternKind::Value(_)
            | PatternKind::Singleton(_)
            | PatternKind::Sequence(_)
            | PatternKind::Mapping { .. }
            | PatternKind::Class { .. }
            | PatternKind::Star(_) => false,
        }
    }

    /// Calls `f` with each name that a match binds.
    pub fn each_capture(&self, f: &mut dyn FnMut(&Name)) {
        match &self.kind {
            PatternKind::Value(_) | PatternKind::Singleton(_) => {}
            PatternKind::Sequence(patterns) | PatternKind::Or(patterns) => {
                patterns.iter().for_each(|p| p.each_capture(f));
            }
            PatternKind::Mapping { items, rest } => {
                items.iter().for_each(|(_, p)| p.each_capture(f));
                rest.iter().for_each(f);
            }
            PatternKind::Class { args, keywords, .. } => {
                args.iter().for_each(|p| p.each_capture(f));
                keywords.iter().for_each(|(_, p)| p.each_capture(f));
            }
            PatternKind::Star(name) => name.iter().for_each(f),
            PatternKind::As { pattern, name } => {
                pattern.iter().for_each(|p| p.each_capture(f));
                name.iter().for_each(f);
            }
        }
    }
}
