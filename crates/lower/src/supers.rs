//! `super()` inside a block ⇒ `super(__class__, self)`: a block has no first argument of its own.

use gw_base::Span;
use gw_syntax::{Body, Expr, ExprId, Fill, Name, Params, Stmt, Template, Tree};

use crate::Lowering;

static SUPER: Template = Template::new("super(__class__, $first)");

/// Rewrites `super()` wherever it ended up in a block.
pub fn run(lowering: &mut Lowering) {
    let body = lowering.tree.body.clone();
    Supers { tree: &mut lowering.tree, first: None, in_block: false }.body(&body);
}

struct Supers<'t> {
    tree: &'t mut Tree,
    /// The first parameter of the user's function around.
    first: Option<Name>,
    in_block: bool,
}

fn first_of(params: &Params) -> Option<Name> {
    params.positional().next().map(|param| param.name.clone())
}

impl Supers<'_> {
    fn body(&mut self, body: &Body) {
        for &id in body {
            let mut exprs = Vec::new();
            let mut bodies = Vec::new();
            self.tree[id].each_expr(&mut |&expr| exprs.push(expr));
            self.tree[id].each_body(&mut |body| bodies.push(body.clone()));
            exprs.into_iter().for_each(|expr| self.expr(expr));
            let inner = if let Stmt::FunctionDef(function) = &self.tree[id] {
                let first = if function.generated { self.first.clone() } else { first_of(&function.params) };
                (first, function.generated)
            } else {
                (self.first.clone(), self.in_block && !matches!(self.tree[id], Stmt::ClassDef(_)))
            };
            let outer = (self.first.clone(), self.in_block);
            (self.first, self.in_block) = inner;
            bodies.iter().for_each(|body| self.body(body));
            (self.first, self.in_block) = outer;
        }
    }

    fn expr(&mut self, id: ExprId) {
        let outer = (self.first.clone(), self.in_block);
        if let Expr::Lambda { params, generated, .. } = &self.tree[id] {
            let inner = if *generated { (self.first.clone(), true) } else { (first_of(params), false) };
            (self.first, self.in_block) = inner;
        }
        let mut children = Vec::new();
        self.tree[id].each_expr(&mut |&child| children.push(child));
        children.into_iter().for_each(|child| self.expr(child));
        if let (true, Some(first)) = (self.in_block && self.is_super(id), self.first.clone()) {
            let span: Span = self.tree.expr_span(id);
            let made = SUPER.fill_expr(self.tree, span, &[("first", Fill::Name(first))]);
            self.tree.set_expr(id, self.tree[made].clone());
        }
        (self.first, self.in_block) = outer;
    }

    fn is_super(&self, id: ExprId) -> bool {
        let Expr::Call { func, args, keywords } = &self.tree[id] else { return false };
        let named = matches!(&self.tree[*func], Expr::Name(name) if &**name == "super");
        named && args.is_empty() && keywords.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use gw_base::Source;

    use crate::{Pass, blocks};

    #[test]
    fn only_in_blocks() {
        let text = "def m(this, c):\n    super().a()\n    if c: super().b(lambda: super())\n";
        let tree = gw_syntax::parse(&Source::new("f.py", text)).value;
        let pass = |name, run| Pass { name, concerns: |_| true, run };
        let passes = [pass("blocks", blocks::run), pass("supers", super::run)];
        expect![[r#"
            def m(this, c):
                super().a()
                def if_body():
                    super(__class__, this).b(lambda: super())
                gw__.if_stmt(c, if_body, gw__.nothing, ())
        "#]]
        .assert_eq(&gw_syntax::to_source(&crate::run(&passes, tree).value.tree));
    }
}
