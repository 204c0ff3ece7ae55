//! `f(f"a{x:.2f}")` ⇒ `gw__.conv_told(f, 7)(gw__.told(gw__.field(7, x, None, '.2f')))`: the text of an argument may wait.
//!
//! Host code gets its text when the graph calls it, when the tensors in it have their values; any other function gets it now. The
//! number is that of the call: it tells its fields from those of calls inside them. Each field is formatted where it stands.

use gw_base::Id;
use gw_syntax::{Constant, Expr, ExprId, FPart, Fill, Template, Tree};

use crate::fresh::Names;

static CONV: Template = Template::new("$operators.conv_told($func, $call)");
static TOLD: Template = Template::new("$operators.told()");
static TEXT: Template = Template::new("$operators.text()");
static SHOWN: Template = Template::new("$operators.shown($value, $conversion, $format)");
pub(crate) static FIELD: Template = Template::new("$operators.field($call, $value, $conversion, $format)");

/// The function of a call, if texts among its arguments may wait; the arguments are lowered then.
pub fn function(tree: &mut Tree, names: &Names, call: ExprId) -> Option<ExprId> {
    let Expr::Call { func, args, keywords } = tree[call].clone() else { return None };
    let texts = args.iter().copied().chain(keywords.iter().map(|keyword| keyword.value));
    let texts: Vec<ExprId> = texts.filter(|&text| may_wait(&tree[text])).collect();
    if texts.is_empty() {
        return None;
    }
    for text in texts {
        let made = made(tree, names, &TOLD, &FIELD, text, Some(call));
        let made = tree[made].clone();
        tree.set_expr(text, made);
    }
    let at = number(tree, call);
    let holes = [
        ("operators", Fill::Name(names.operators.clone())),
        ("func", Fill::Expr(func)),
        ("call", Fill::Expr(at)),
    ];
    Some(CONV.fill_expr(tree, tree.expr_span(func), &holes))
}

/// An argument of `print`: a text with formats is made when it is printed.
pub(crate) fn printed(tree: &mut Tree, names: &Names, arg: ExprId) -> ExprId {
    if !may_wait(&tree[arg]) {
        return arg;
    }
    made(tree, names, &TEXT, &SHOWN, arg, None)
}

/// True of an f-string with a field, whose formats are known.
pub(crate) fn may_wait(text: &Expr) -> bool {
    let Expr::FString(parts) = text else { return false };
    let is_known = |part: &FPart| match part {
        FPart::Literal(_) => true,
        FPart::Field { format, .. } => format.iter().flatten().all(|part| matches!(part, FPart::Literal(_))),
    };
    parts.iter().any(|part| matches!(part, FPart::Field { .. })) && parts.iter().all(is_known)
}

/// The maker of a text applied to its fields, which wait for a call if one is given.
pub(crate) fn made(
    tree: &mut Tree,
    names: &Names,
    maker: &Template,
    field: &Template,
    text: ExprId,
    call: Option<ExprId>,
) -> ExprId {
    let Expr::FString(parts) = tree[text].clone() else { return text };
    let parts = parts.into_iter().map(|part| one(tree, names, field, (text, call), part)).collect();
    let holes = [("operators", Fill::Name(names.operators.clone()))];
    let made = maker.fill_expr(tree, tree.expr_span(text), &holes);
    if let Expr::Call { args, .. } = tree.expr_mut(made) {
        *args = parts;
    }
    made
}

fn one(
    tree: &mut Tree,
    names: &Names,
    field: &Template,
    (text, call): (ExprId, Option<ExprId>),
    part: FPart,
) -> ExprId {
    let (span, value, conversion, format) = match part {
        FPart::Literal(literal) => return string(tree, text, Some(literal)),
        FPart::Field { span, value, conversion, format } => (span, value, conversion, format),
    };
    let literals = |parts: Vec<FPart>| {
        let literal = |part| if let FPart::Literal(text) = part { Some(text) } else { None };
        parts.into_iter().filter_map(literal).collect::<String>()
    };
    let of_call = match call {
        Some(call) => number(tree, call),
        None => string(tree, text, None),
    };
    let holes = [
        ("operators", Fill::Name(names.operators.clone())),
        ("call", Fill::Expr(of_call)),
        ("value", Fill::Expr(value)),
        ("conversion", Fill::Expr(string(tree, text, conversion.map(String::from)))),
        ("format", Fill::Expr(string(tree, text, format.map(literals)))),
    ];
    field.fill_expr(tree, span, &holes)
}

fn string(tree: &mut Tree, at: ExprId, text: Option<String>) -> ExprId {
    let constant = text.map_or(Constant::None, Constant::Str);
    tree.expr(tree.expr_span(at), Expr::Constant(constant))
}

fn number(tree: &mut Tree, call: ExprId) -> ExprId {
    tree.expr(tree.expr_span(call), Expr::Constant(Constant::Int(call.index().to_string())))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn fields_of_arguments_are_formatted_where_they_stand() {
        check(
            "calls",
            "def f(x, w):\n    g(f'a{x:.2f}{x!r}', k=f'{x}')\n    g(f'{x:{w}}', f'known')\n    print(f'{x}')\n",
            expect![[r#"
                def f(x, w):
                    gw__.conv_told(g, 6)(gw__.told('a', gw__.field(6, x, None, '.2f'), gw__.field(6, x, 'r', None)), k=gw__.told(gw__.field(6, x, None, None)))
                    gw__.conv(g)(f"{x:{w}}", f"known")
                    gw__.conv(print)(gw__.text(x))
            "#]],
        );
    }
}
