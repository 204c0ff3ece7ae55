//! From a node to its children, in the order in which Python evaluates them.
//!
//! The two walks differ in mutability alone, so one text makes both.

use crate::node::{
    Class, Clause, Expr, FPart, Function, Keyword, Params, Pattern, PatternKind, Stmt, TypeParam,
};
use crate::tree::{Body, ExprId};

macro_rules! walks {
    ($exprs:ident $bodies:ident $($m:tt)?) => {
        impl Stmt {
            /// Calls `f` with each expression of the statement itself, not of the statements inside.
            pub fn $exprs(&$($m)? self, f: &mut dyn FnMut(&$($m)? ExprId)) {
                match self {
                    Stmt::FunctionDef(function) => function.$exprs(f),
                    Stmt::ClassDef(class) => class.$exprs(f),
                    Stmt::Return(value) => { if let Some(value) = value { f(value) } }
                    Stmt::Delete(targets) => { for target in targets { f(target) } }
                    Stmt::Assign { targets, value } => { f(value); for target in targets { f(target) } }
                    Stmt::TypeAlias { name, type_params, value } => {
                        f(name);
                        for param in type_params { param.$exprs(f) }
                        f(value);
                    }
                    Stmt::AugAssign { target, value, .. } => { f(target); f(value) }
                    Stmt::AnnAssign { target, annotation, value, .. } => {
                        if let Some(value) = value { f(value) }
                        f(target);
                        f(annotation);
                    }
                    Stmt::For { target, iter, guard, .. } => {
                        f(iter);
                        if let Some(guard) = guard { f(guard) }
                        f(target);
                    }
                    Stmt::While { test, .. } | Stmt::If { test, .. } => f(test),
                    Stmt::With { items, .. } => for item in items {
                        f(&$($m)? item.context);
                        if let Some(target) = &$($m)? item.target { f(target) }
                    },
                    Stmt::Match { subject, cases } => {
                        f(subject);
                        for case in cases {
                            case.pattern.$exprs(f);
                            if let Some(guard) = &$($m)? case.guard { f(guard) }
                        }
                    }
                    Stmt::Raise { exc, cause } => {
                        if let Some(exc) = exc { f(exc) }
                        if let Some(cause) = cause { f(cause) }
                    }
                    Stmt::Try { handlers, .. } => for handler in handlers {
                        if let Some(kind) = &$($m)? handler.kind { f(kind) }
                    },
                    Stmt::Assert { test, msg } => { f(test); if let Some(msg) = msg { f(msg) } }
                    Stmt::Expr(value) => f(value),
                    Stmt::Import(_) | Stmt::ImportFrom { .. } | Stmt::Global(_) | Stmt::Nonlocal(_) => {}
                    Stmt::Pass | Stmt::Break | Stmt::Continue => {}
                }
            }

            /// Calls `f` with each body of the statement, functions and classes included.
            pub fn $bodies(&$($m)? self, f: &mut dyn FnMut(&$($m)? Body)) {
                match self {
                    Stmt::FunctionDef(function) => f(&$($m)? function.body),
                    Stmt::ClassDef(class) => f(&$($m)? class.body),
                    Stmt::For { body, orelse, .. } | Stmt::While { body, orelse, .. } | Stmt::If { body, orelse, .. } => {
                        f(body);
                        f(orelse);
                    }
                    Stmt::With { body, .. } => f(body),
                    Stmt::Match { cases, .. } => for case in cases { f(&$($m)? case.body) },
                    Stmt::Try { body, handlers, orelse, finalbody, .. } => {
                        f(body);
                        for handler in handlers { f(&$($m)? handler.body) }
                        f(orelse);
                        f(finalbody);
                    }
                    Stmt::Return(_) | Stmt::Delete(_) | Stmt::Assign { .. } | Stmt::TypeAlias { .. }
                    | Stmt::AugAssign { .. } | Stmt::AnnAssign { .. } | Stmt::Raise { .. } | Stmt::Assert { .. }
                    | Stmt::Import(_) | Stmt::ImportFrom { .. } | Stmt::Global(_) | Stmt::Nonlocal(_)
                    | Stmt::Expr(_) | Stmt::Pass | Stmt::Break | Stmt::Continue => {}
                }
            }
        }

        impl Function {
            /// Calls `f` with decorators, defaults and annotations.
            pub fn $exprs(&$($m)? self, f: &mut dyn FnMut(&$($m)? ExprId)) {
                for decorator in &$($m)? self.decorators { f(decorator) }
                for param in &$($m)? self.type_params { param.$exprs(f) }
                self.params.$exprs(f);
                if let Some(returns) = &$($m)? self.returns { f(returns) }
            }
        }

        impl Class {
            /// Calls `f` with decorators, bases and keywords.
            pub fn $exprs(&$($m)? self, f: &mut dyn FnMut(&$($m)? ExprId)) {
                for decorator in &$($m)? self.decorators { f(decorator) }
                for param in &$($m)? self.type_params { param.$exprs(f) }
                for base in &$($m)? self.bases { f(base) }
                for keyword in &$($m)? self.keywords { keyword.$exprs(f) }
            }
        }

        impl Params {
            /// Calls `f` with defaults and annotations.
            pub fn $exprs(&$($m)? self, f: &mut dyn FnMut(&$($m)? ExprId)) {
                let Params { posonly, args, vararg, kwonly, kwarg } = self;
                for param in posonly.into_iter().chain(args).chain(kwonly).chain(vararg).chain(kwarg) {
                    if let Some(default) = &$($m)? param.default { f(default) }
                    if let Some(annotation) = &$($m)? param.annotation { f(annotation) }
                }
            }
        }

        impl TypeParam {
            /// Calls `f` with bound and default.
            pub fn $exprs(&$($m)? self, f: &mut dyn FnMut(&$($m)? ExprId)) {
                if let Some(bound) = &$($m)? self.bound { f(bound) }
                if let Some(default) = &$($m)? self.default { f(default) }
            }
        }

        impl Keyword {
            /// Calls `f` with the value.
            pub fn $exprs(&$($m)? self, f: &mut dyn FnMut(&$($m)? ExprId)) {
                f(&$($m)? self.value);
            }
        }

        impl Clause {
            /// Calls `f` with iterable, target and conditions.
            pub fn $exprs(&$($m)? self, f: &mut dyn FnMut(&$($m)? ExprId)) {
                f(&$($m)? self.iter);
                f(&$($m)? self.target);
                for test in &$($m)? self.ifs { f(test) }
            }
        }

        impl FPart {
            /// Calls `f` with the values shown.
            pub fn $exprs(&$($m)? self, f: &mut dyn FnMut(&$($m)? ExprId)) {
                if let FPart::Field { value, format, .. } = self {
                    f(value);
                    if let Some(parts) = format { for part in parts { part.$exprs(f) } }
                }
            }
        }

        impl Pattern {
            /// Calls `f` with values, keys and classes.
            pub fn $exprs(&$($m)? self, f: &mut dyn FnMut(&$($m)? ExprId)) {
                match &$($m)? self.kind {
                    PatternKind::Value(value) => f(value),
                    PatternKind::Singleton(_) | PatternKind::Star(_) => {}
                    PatternKind::Sequence(all) | PatternKind::Or(all) => for p in all { p.$exprs(f) },
                    PatternKind::Mapping { items, .. } => for (key, p) in items { f(key); p.$exprs(f) },
                    PatternKind::Class { cls, args, keywords } => {
                        f(cls);
                        for p in args { p.$exprs(f) }
                        for (_, p) in keywords { p.$exprs(f) }
                    }
                    PatternKind::As { pattern, .. } => { if let Some(p) = pattern { p.$exprs(f) } }
                }
            }
        }

        impl Expr {
            /// Calls `f` with each direct child.
            pub fn $exprs(&$($m)? self, f: &mut dyn FnMut(&$($m)? ExprId)) {
                match self {
                    Expr::BoolOp { values, .. } => for value in values { f(value) },
                    Expr::Named { target, value } => { f(value); f(target) }
                    Expr::BinOp { left, right, .. } => { f(left); f(right) }
                    Expr::UnaryOp { operand, .. } => f(operand),
                    Expr::Lambda { params, body, .. } => { params.$exprs(f); f(body) }
                    Expr::IfExp { test, body, orelse } => { f(test); f(body); f(orelse) }
                    Expr::Dict(items) => for (key, value) in items {
                        if let Some(key) = key { f(key) }
                        f(value);
                    },
                    Expr::Comp { element, clauses, .. } => {
                        for clause in clauses { clause.$exprs(f) }
                        f(element);
                    }
                    Expr::DictComp { key, value, clauses } => {
                        for clause in clauses { clause.$exprs(f) }
                        f(key);
                        f(value);
                    }
                    Expr::Await(value) | Expr::YieldFrom(value) | Expr::Starred(value) => f(value),
                    Expr::Yield(value) => { if let Some(value) = value { f(value) } }
                    Expr::Compare { left, rest } => { f(left); for (_, right) in rest { f(right) } }
                    Expr::Call { func, args, keywords } => {
                        f(func);
                        for arg in args { f(arg) }
                        for keyword in keywords { keyword.$exprs(f) }
                    }
                    Expr::FString(parts) => for part in parts { part.$exprs(f) },
                    Expr::Constant(_) | Expr::Name(_) => {}
                    Expr::Attribute { value, .. } => f(value),
                    Expr::Subscript { value, index } => { f(value); f(index) }
                    Expr::Set(items) | Expr::List(items) | Expr::Tuple(items) => for item in items { f(item) },
                    Expr::Slice { lower, upper, step } => {
                        if let Some(lower) = lower { f(lower) }
                        if let Some(upper) = upper { f(upper) }
                        if let Some(step) = step { f(step) }
                    }
                }
            }
        }
    };
}

impl Stmt {
    /// True if the statement has bodies in which the statements of a function go on: it is no definition.
    pub fn is_compound(&self) -> bool {
        matches!(
            self,
            Stmt::For { .. }
                | Stmt::While { .. }
                | Stmt::If { .. }
                | Stmt::With { .. }
                | Stmt::Match { .. }
                | Stmt::Try { .. }
        )
    }
}

walks!(each_expr each_body);
walks!(each_expr_mut each_body_mut mut);
