//! The compact and the formatted text of blocks.

use std::fmt;

use super::node::{Block, BlockKind, Element, Key, Local};
use crate::host::{Host, Payload};
use crate::page::Page;

impl<H: Host> Block<H> {
    /// Returns the text of the block on one line.
    pub fn compact(&self) -> String {
        self.written(false)
    }

    /// Returns the text of the block with each element and each local on a line of its own.
    pub fn formatted(&self) -> String {
        self.written(true)
    }

    fn written(&self, formatted: bool) -> String {
        let mut page = Page::new(formatted);
        write(&mut page, self);
        page.finish()
    }

    /// Returns the text of the constructor call that makes the block.
    pub fn constructor(&self) -> String {
        let ty = self.ty().constructor();
        match self.kind() {
            BlockKind::Reference(name, None) => format!("Reference('{name}', {ty})"),
            BlockKind::Reference(name, Some(context)) => {
                format!("Reference('{name}', {ty}, {})", context.constructor())
            }
            BlockKind::Selection(source, Key::Name(name)) => {
                format!("Selection({}, name='{name}')", source.constructor())
            }
            BlockKind::Selection(source, Key::Index(index)) => {
                format!("Selection({}, index={index})", source.constructor())
            }
            BlockKind::Struct(elements) => format!("Struct([{}])", pairs(elements.iter().map(named_element))),
            BlockKind::Call(function, None) => format!("Call({})", function.constructor()),
            BlockKind::Call(function, Some(argument)) => {
                format!("Call({}, {})", function.constructor(), argument.constructor())
            }
            BlockKind::Lambda(None, result) => format!("Lambda(None, None, {})", result.constructor()),
            BlockKind::Lambda(Some((name, ty)), result) => {
                format!("Lambda('{name}', {}, {})", ty.constructor(), result.constructor())
            }
            BlockKind::Block(locals, result) => {
                format!("Block([{}], {})", pairs(locals.iter().map(named_local)), result.constructor())
            }
            BlockKind::Intrinsic(uri) => format!("Intrinsic('{uri}', {ty})"),
            BlockKind::Data(content) => format!("Data({}, {ty})", content.constructor()),
            BlockKind::Compiled(_, name) => format!("CompiledComputation('{name}', {ty})"),
            BlockKind::Placement(placement) => format!("Placement('{}')", placement.uri()),
            BlockKind::Literal(value) => format!("Literal({}, {ty})", value.constructor()),
        }
    }
}

impl<H: Host> fmt::Display for Block<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.compact())
    }
}

impl<H: Host> fmt::Debug for Block<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.constructor())
    }
}

type Named<'b, H> = (Option<&'b str>, &'b Block<H>);

fn named_element<H: Host>(element: &Element<H>) -> Named<'_, H> {
    (element.name.as_deref(), &element.value)
}

fn named_local<H: Host>(local: &Local<H>) -> Named<'_, H> {
    (Some(&local.name), &local.value)
}

fn pairs<'b, H: Host>(named: impl Iterator<Item = Named<'b, H>>) -> String {
    let pair = |(name, value): Named<'b, H>| match name {
        Some(name) => format!("('{name}', {})", value.constructor()),
        None => format!("(None, {})", value.constructor()),
    };
    named.map(pair).collect::<Vec<String>>().join(", ")
}

fn write<H: Host>(page: &mut Page, block: &Block<H>) {
    match block.kind() {
        BlockKind::Reference(name, context) => write_reference(page, name, context.as_deref()),
        BlockKind::Selection(source, Key::Name(name)) => write_selection(page, source, &format!(".{name}")),
        BlockKind::Selection(source, Key::Index(index)) => {
            write_selection(page, source, &format!("[{index}]"))
        }
        BlockKind::Struct(elements) if elements.is_empty() => page.push("<>"),
        BlockKind::Struct(elements) => {
            page.push("<");
            write_named(page, elements.iter().map(named_element));
            page.push(">");
        }
        BlockKind::Call(function, argument) => {
            write(page, function);
            page.push("(");
            argument.iter().for_each(|argument| write(page, argument));
            page.push(")");
        }
        BlockKind::Lambda(parameter, result) => {
            page.push("(");
            parameter.iter().for_each(|(name, _)| page.push(name));
            page.push(" -> ");
            write(page, result);
            page.push(")");
        }
        BlockKind::Block(locals, result) => {
            page.push("(let ");
            write_named(page, locals.iter().map(named_local));
            page.push(" in ");
            write(page, result);
            page.push(")");
        }
        BlockKind::Intrinsic(uri) => page.push(uri),
        BlockKind::Data(content) => page.push(&content.address().to_string()),
        BlockKind::Compiled(_, name) => {
            page.push("comp#");
            page.push(name);
        }
        BlockKind::Placement(placement) => page.push(placement.name()),
        BlockKind::Literal(value) => page.push(&value.text()),
    }
}

fn write_reference<P: Payload>(page: &mut Page, name: &str, context: Option<&P>) {
    page.push(name);
    if let Some(context) = context {
        page.push("@");
        page.push(&context.text());
    }
}

fn write_selection<H: Host>(page: &mut Page, source: &Block<H>, key: &str) {
    write(page, source);
    page.push(key);
}

fn write_named<'b, H: Host>(page: &mut Page, named: impl Iterator<Item = Named<'b, H>>) {
    page.indent();
    for (index, (name, value)) in named.enumerate() {
        if index > 0 {
            page.comma();
        }
        page.label(name);
        write(page, value);
    }
    page.outdent();
}
