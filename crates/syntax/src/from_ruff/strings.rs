//! Strings and f-strings of the foreign tree.

use ruff_python_ast as ruff;

use crate::from_ruff::{Import, span};
use crate::node::{Constant, Expr, FPart};

impl Import<'_> {
    /// The foreign parser puts U+FFFD in the place of a lone surrogate.
    pub(super) fn string(&self, e: &ruff::ExprStringLiteral) -> Expr {
        let value = e.value.to_str();
        let written = &self.source.text[span(e).start as usize..span(e).end as usize];
        let surrogates = value.contains('\u{fffd}') && written.contains("\\u");
        let surrogates = surrogates || value.contains('\u{fffd}') && written.contains("\\U");
        Expr::Constant(if surrogates {
            Constant::Written(written.into())
        } else {
            Constant::Str(value.into())
        })
    }

    pub(super) fn fstring(&mut self, value: &ruff::FStringValue) -> Vec<FPart> {
        let mut parts = Vec::new();
        for part in value {
            match part {
                ruff::FStringPart::Literal(literal) => push_literal(&mut parts, literal),
                ruff::FStringPart::FString(f) => self.fstring_elements(&f.elements, &mut parts),
            }
        }
        parts
    }

    fn fstring_elements(&mut self, elements: &ruff::InterpolatedStringElements, parts: &mut Vec<FPart>) {
        for element in elements {
            match element {
                ruff::InterpolatedStringElement::Literal(literal) => push_literal(parts, &literal.value),
                ruff::InterpolatedStringElement::Interpolation(field) => self.field(field, parts),
            }
        }
    }

    /// `{x=}` is the text `x=` and then the value, by `repr` unless it says otherwise.
    fn field(&mut self, field: &ruff::InterpolatedElement, parts: &mut Vec<FPart>) {
        let value = self.expr(&field.expression);
        let format = field.format_spec.as_ref().map(|spec| {
            let mut parts = Vec::new();
            self.fstring_elements(&spec.elements, &mut parts);
            parts
        });
        let mut conversion = field.conversion.to_char();
        if let Some(debug) = &field.debug_text {
            push_literal(parts, debug.as_str());
            if conversion.is_none() && format.is_none() {
                conversion = Some('r');
            }
        }
        parts.push(FPart::Field { span: span(field), value, conversion, format });
    }
}

fn push_literal(parts: &mut Vec<FPart>, text: &str) {
    match parts.last_mut() {
        Some(FPart::Literal(last)) => last.push_str(text),
        _ if text.is_empty() => {}
        _ => parts.push(FPart::Literal(text.to_owned())),
    }
}
