//! Every kind of node that the grammar has, so that none is passed over in silence.

use std::collections::BTreeSet;

use ruff_python_ast as ruff;
use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, TraversalSignal, walk_module};

macro_rules! kinds {
    ($($kind:ident)*) => {
        /// The kinds, as the parser names them.
        pub const KINDS: &[&str] = &[$(stringify!($kind)),*];

        /// A kind's name. A kind that the table lacks does not compile.
        fn name_of(kind: ruff::NodeKind) -> &'static str {
            match kind { $(ruff::NodeKind::$kind => stringify!($kind)),* }
        }
    };
}

kinds! {
    ModModule ModExpression

    StmtFunctionDef StmtClassDef StmtReturn StmtDelete StmtTypeAlias StmtAssign StmtAugAssign StmtAnnAssign StmtFor
    StmtWhile StmtIf StmtWith StmtMatch StmtRaise StmtTry StmtAssert StmtImport StmtImportFrom StmtGlobal StmtNonlocal
    StmtExpr StmtPass StmtBreak StmtContinue StmtIpyEscapeCommand

    ExprBoolOp ExprNamed ExprBinOp ExprUnaryOp ExprLambda ExprIf ExprDict ExprSet ExprListComp ExprSetComp ExprDictComp
    ExprGenerator ExprAwait ExprYield ExprYieldFrom ExprCompare ExprCall ExprFString ExprTString ExprStringLiteral
    ExprBytesLiteral ExprNumberLiteral ExprBooleanLiteral ExprNoneLiteral ExprEllipsisLiteral ExprAttribute
    ExprSubscript ExprStarred ExprName ExprList ExprTuple ExprSlice ExprIpyEscapeCommand

    PatternMatchValue PatternMatchSingleton PatternMatchSequence PatternMatchMapping PatternMatchClass PatternMatchStar
    PatternMatchAs PatternMatchOr PatternArguments PatternKeyword

    TypeParams TypeParamTypeVar TypeParamTypeVarTuple TypeParamParamSpec

    FString TString InterpolatedElement InterpolatedStringLiteralElement InterpolatedStringFormatSpec StringLiteral
    BytesLiteral

    ExceptHandlerExceptHandler Comprehension Arguments Parameters Parameter ParameterWithDefault Keyword Alias WithItem
    MatchCase Decorator ElifElseClause Identifier
}

/// The kinds of nodes in a Python text.
pub fn kinds_in(text: &str) -> BTreeSet<&'static str> {
    let parsed = ruff_python_parser::parse_unchecked_source(text, ruff::PySourceType::Python);
    let mut found = Found::default();
    walk_module(&mut found, &ruff::Mod::Module(parsed.into_syntax()));
    found.0
}

#[derive(Default)]
struct Found(BTreeSet<&'static str>);

impl<'a> SourceOrderVisitor<'a> for Found {
    fn enter_node(&mut self, node: ruff::AnyNodeRef<'a>) -> TraversalSignal {
        self.0.insert(name_of(node.kind()));
        // The walk goes from a field straight to the elements of its format.
        if let ruff::AnyNodeRef::InterpolatedElement(field) = node
            && field.format_spec.is_some()
        {
            self.0.insert(name_of(ruff::NodeKind::InterpolatedStringFormatSpec));
        }
        TraversalSignal::Traverse
    }
}
