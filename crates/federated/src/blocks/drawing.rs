//! The structure of a block as a drawn tree.
//!
//! A picture is a list of lines. Two pictures stand beside each other as closely as their outlines allow: the distance is
//! found from the blanks at the end of the left lines and at the beginning of the right ones.

use super::node::{Block, BlockKind, Key};
use crate::host::{Host, Payload};

impl<H: Host> Block<H> {
    /// Returns the drawing of the tree of the block.
    pub fn structural(&self) -> String {
        let lines = draw(self).0;
        let lines: Vec<String> = lines.into_iter().map(|line| line.iter().collect::<String>()).collect();
        let trimmed: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
        trimmed.join("\n")
    }
}

type Line = Vec<char>;

/// Lines of one width.
struct Picture(Vec<Line>);

#[derive(Clone, Copy)]
enum Pad {
    Left,
    Right,
}

/// The least distance of two lines that stand beside each other, save the first ones.
const BETWEEN_LINES: isize = 4;

fn leading(line: &[char]) -> usize {
    line.iter().take_while(|char| **char == ' ').count()
}

fn trailing(line: &[char]) -> usize {
    line.iter().rev().take_while(|char| **char == ' ').count()
}

fn blanks(count: usize) -> Line {
    vec![' '; count]
}

/// Returns `text` behind `count` blanks.
fn indented(count: usize, text: &str) -> Line {
    blanks(count).into_iter().chain(text.chars()).collect()
}

impl Picture {
    fn of(text: &str) -> Picture {
        Picture(vec![text.chars().collect()])
    }

    fn width(&self) -> usize {
        self.0.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Pads all lines to the width of the longest.
    fn padded(mut self, pad: Pad) -> Picture {
        let width = self.width();
        for line in &mut self.0 {
            let missing = width - line.len();
            let at = match pad {
                Pad::Left => 0,
                Pad::Right => line.len(),
            };
            line.splice(at..at, blanks(missing));
        }
        self
    }

    /// Puts lines on top of the picture.
    fn under(self, mut above: Vec<Line>, pad: Pad) -> Picture {
        above.extend(self.0);
        Picture(above).padded(pad)
    }

    /// Returns the number of columns by which `right` can be moved towards this picture.
    fn inset(&self, right: &Picture, between_first: isize, between_others: isize) -> isize {
        let pairs = self.0.iter().zip(&right.0).enumerate();
        let room = |(index, (left, right)): (usize, (&Line, &Line))| {
            let between = if index == 0 { between_first } else { between_others };
            (trailing(left) + leading(right)).cast_signed() - between
        };
        pairs.map(room).min().unwrap_or(0)
    }

    fn beside(self, right: Picture, between_first: isize, between_others: isize) -> Picture {
        let inset = self.inset(&right, between_first, between_others);
        let (left_height, right_height) = (self.0.len(), right.0.len());
        let mut lines = Vec::with_capacity(left_height.max(right_height));
        let (mut lefts, mut rights) = (self.0.into_iter(), right.0.into_iter());
        for _ in 0..left_height.min(right_height) {
            if let (Some(left), Some(right)) = (lefts.next(), rights.next()) {
                lines.push(joined(left, &right, inset));
            }
        }
        lines.extend(lefts.chain(rights));
        let pad = if left_height > right_height { Pad::Right } else { Pad::Left };
        Picture(lines).padded(pad)
    }
}

/// Joins two lines; a positive inset is taken from the blanks between them.
fn joined(mut left: Line, right: &[char], inset: isize) -> Line {
    let surplus = inset.max(0).unsigned_abs();
    let from_left = trailing(&left).min(surplus);
    let from_right = leading(right).min(surplus - from_left);
    left.truncate(left.len() - from_left);
    left.extend(blanks((-inset).max(0).unsigned_abs()));
    left.extend(&right[from_right..]);
    left
}

fn draw<H: Host>(block: &Block<H>) -> Picture {
    match block.kind() {
        BlockKind::Reference(name, _) => Picture::of(&format!("Ref({name})")),
        BlockKind::Intrinsic(uri) => Picture::of(uri),
        BlockKind::Data(content) => Picture::of(&format!("Data({})", content.address())),
        BlockKind::Compiled(_, name) => Picture::of(&format!("Compiled({name})")),
        BlockKind::Placement(_) => Picture::of("Placement"),
        BlockKind::Literal(value) => Picture::of(&format!("Lit({})", value.text())),
        BlockKind::Selection(source, Key::Name(name)) => hung(&format!("Sel({name})"), draw(source)),
        BlockKind::Selection(source, Key::Index(index)) => hung(&format!("Sel({index})"), draw(source)),
        BlockKind::Lambda(parameter, result) => {
            let name = parameter.as_ref().map_or("None", |(name, _)| name);
            hung(&format!("Lambda({name})"), draw(result))
        }
        BlockKind::Struct(elements) => {
            let elements = elements.iter().map(|element| (element.name.as_deref(), &element.value));
            hung("Struct", row(elements))
        }
        BlockKind::Call(function, argument) => {
            forked("Call", draw(function), argument.as_ref().map(|argument| draw(argument)))
        }
        BlockKind::Block(locals, result) => {
            let locals = locals.iter().map(|local| (Some(&*local.name), &local.value));
            forked("Block", row(locals), Some(draw(result)))
        }
    }
}

/// Draws a node above its only child.
fn hung(label: &str, child: Picture) -> Picture {
    let column = leading(&child.0[0]);
    child.under(vec![indented(column, label), indented(column, "|")], Pad::Right)
}

/// Draws a node above and between its two children.
fn forked(label: &str, left: Picture, right: Option<Picture>) -> Picture {
    let column = left.0[0].len() - trailing(&left.0[0]);
    let left = left.under(vec![indented(column, "/")], Pad::Right);
    let children = match right {
        Some(right) => left.beside(edged(right), label.len().cast_signed(), BETWEEN_LINES),
        None => left,
    };
    let column = leading(&children.0[0]) + 1;
    children.under(vec![indented(column, label)], Pad::Right)
}

/// Draws the edge that leads to a right child.
fn edged(child: Picture) -> Picture {
    let width = child.0[0].len();
    let edge = std::iter::once('\\').chain(blanks(width - leading(&child.0[0]))).collect();
    child.under(vec![edge], Pad::Left)
}

/// Draws elements or locals between brackets.
fn row<'b, H: Host>(named: impl Iterator<Item = (Option<&'b str>, &'b Block<H>)>) -> Picture {
    let mut picture = Picture::of("[");
    for (index, (name, value)) in named.enumerate() {
        let mut element = draw(value);
        if let Some(name) = name {
            element = Picture::of(&format!("{name}=")).beside(element, 0, 0);
        }
        picture = if index == 0 {
            picture.beside(element, 0, 0)
        } else {
            picture.beside(Picture::of(","), 0, 0).beside(element, 1, BETWEEN_LINES)
        };
    }
    picture.beside(Picture::of("]"), 0, 0)
}
