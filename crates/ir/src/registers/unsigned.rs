//! Integers of 64 bits without a sign, computed in `i64`, which has the same bits. Sums, products and equality are the
//! same; order is that of numbers whose highest bit is turned; division halves the dividend first, as Hacker's
//! Delight, 9-3, has it.

use gw_types::DType;

use super::{Computes, Rewrite, computes};
use crate::{Attr, BinaryOp, CompareOp, Keep, Node, NodeId, Op, ReduceOp, UnaryOp, ValueId};

/// The highest bit.
const HIGH: i128 = i64::MIN as i128;
/// All bits but the highest.
const LOW: i128 = i64::MAX as i128;

impl Rewrite<'_> {
    /// True if a node computes with words.
    pub(super) fn is_unsigned(&self, node: &Node) -> bool {
        let computes = !matches!(computes(node), Computes::None | Computes::From(_));
        computes && node.args.first().is_some_and(|&x| self.dtype(x) == DType::U64)
    }

    /// Rewrites a node whose result is not that of numbers with a sign; false if it is.
    pub(super) fn unsigned(&mut self, id: NodeId, node: &Node) -> bool {
        match node.op {
            Op::Compare(CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge) => {
                self.ordered(id, node, 2);
            }
            Op::Binary(BinaryOp::Max | BinaryOp::Min) => self.ordered(id, node, 2),
            Op::Put if is_extreme(&node.attr) => self.ordered(id, node, 2),
            Op::Reduce(ReduceOp::Max | ReduceOp::Min) | Op::Arg(_) | Op::Sort => self.ordered(id, node, 1),
            Op::Unary(UnaryOp::Abs) => self.unary(node, |_, x| x),
            Op::Unary(UnaryOp::Sign) => self.unary(node, Self::is_not_zero),
            Op::Binary(BinaryOp::FloorDiv) => self.divide(id, node, Self::quotient),
            Op::Binary(BinaryOp::Mod) => self.divide(id, node, Self::rest),
            Op::Binary(BinaryOp::Pow) => self.power(id, node),
            Op::Binary(BinaryOp::Shl) => self.shift_left(id, node),
            Op::Binary(BinaryOp::Shr) => self.shift_right(id, node),
            // Their lowest bits are those of numbers with a sign, or they compute with nothing.
            Op::Unary(_) | Op::Binary(_) | Op::Compare(_) | Op::Reduce(_) | Op::Put => return false,
            Op::Part(_) | Op::Complex => return false,
            Op::Matmul | Op::Conv2d | Op::Range | Op::Test(_) | Op::Matrix(_) => return false,
            Op::String(_) | Op::Select | Op::Foreign | Op::Cast | Op::Const | Op::Dim => return false,
            Op::Reshape | Op::Broadcast | Op::Transpose | Op::Slice | Op::Index => return false,
            Op::Gather | Op::Concat | Op::Cond | Op::While | Op::Call | Op::Try | Op::Leave => return false,
            Op::Print | Op::Host | Op::Check => return false,
        }
        true
    }

    /// A node of the first operands in order, as numbers with a sign that have the same order.
    fn ordered(&mut self, id: NodeId, node: &Node, operands: usize) {
        for (at, &arg) in node.args.iter().enumerate() {
            let wide = if at < operands { self.turned(arg) } else { self.position(arg) };
            self.graph.nodes[id].args[at] = wide;
        }
        self.nodes.push(id);
        if self.dtype(node.results[0]) == DType::U64 {
            let found = self.widened_result(id, 0, node.results[0]);
            let back = self.with_number(BinaryOp::Xor, found, HIGH);
            self.given(node.results[0], back);
        }
    }

    /// A word with its highest bit turned.
    fn turned(&mut self, word: ValueId) -> ValueId {
        let wide = self.widened(word);
        self.with_number(BinaryOp::Xor, wide, HIGH)
    }

    fn unary(&mut self, node: &Node, of: fn(&mut Self, ValueId) -> ValueId) {
        let wide = self.widened(node.args[0]);
        let found = of(self, wide);
        self.given(node.results[0], found);
    }

    fn is_not_zero(&mut self, x: ValueId) -> ValueId {
        let zero = self.number(DType::I64, 0);
        let test = self.compared(CompareOp::Ne, x, zero);
        self.converted(test, DType::I64)
    }

    /// A comparison of words in `i64`, of which the first has the shape of the result.
    fn compared(&mut self, op: CompareOp, x: ValueId, y: ValueId) -> ValueId {
        let ty = self.like(x, DType::Bool);
        self.added(op.into(), Attr::None, vec![x, y], ty)
    }

    fn is_below_zero(&mut self, x: ValueId) -> ValueId {
        let zero = self.number(DType::I64, 0);
        self.compared(CompareOp::Lt, x, zero)
    }

    /// `x >= y` of words.
    fn reaches(&mut self, x: ValueId, y: ValueId) -> ValueId {
        let [x, y] = [x, y].map(|word| self.with_number(BinaryOp::Xor, word, HIGH));
        self.compared(CompareOp::Ge, x, y)
    }

    fn selected(&mut self, test: ValueId, x: ValueId, y: ValueId) -> ValueId {
        let ty = self.like(test, self.dtype(x));
        self.added(Op::Select, Attr::None, vec![test, x, y], ty)
    }

    /// `x >> 1` of a word.
    fn halved(&mut self, x: ValueId) -> ValueId {
        let half = self.with_number(BinaryOp::Shr, x, 1);
        self.with_number(BinaryOp::And, half, LOW)
    }

    /// Both operands in the shape of the result.
    fn operands(&mut self, node: &Node) -> [ValueId; 2] {
        let to = self.like(node.results[0], DType::I64);
        [0, 1].map(|at| {
            let wide = self.widened(node.args[at]);
            if self.graph.ty(wide).shape == to.shape {
                return wide;
            }
            let zero = self.number(DType::I64, 0);
            let other = self.widened(node.args[1 - at]);
            let zeros =
                self.added(BinaryOp::And.into(), Attr::None, vec![other, zero], self.like(other, DType::I64));
            self.added(BinaryOp::Or.into(), Attr::None, vec![wide, zeros], to.clone())
        })
    }

    /// Division; the node itself divides the half of the dividend by a divisor that is no word with its highest bit set, and fails
    /// where that is zero.
    fn divide(&mut self, id: NodeId, node: &Node, of: fn(&mut Self, ValueId, [ValueId; 3]) -> ValueId) {
        let [x, y] = self.operands(node);
        let (half, is_great, one) = (self.halved(x), self.is_below_zero(y), self.number(DType::I64, 1));
        let small = self.selected(is_great, one, y);
        self.graph.nodes[id].args = vec![half, small];
        self.nodes.push(id);
        let found = self.widened_result(id, 0, node.results[0]);
        let found = of(self, found, [x, y, is_great]);
        self.given(node.results[0], found);
    }

    /// The quotient, of that of the half.
    fn quotient(&mut self, of_half: ValueId, [x, y, is_great]: [ValueId; 3]) -> ValueId {
        let quotient = self.with_number(BinaryOp::Mul, of_half, 2);
        let product = self.binary(BinaryOp::Mul, quotient, y);
        let rest = self.binary(BinaryOp::Sub, x, product);
        let [more, once] = [rest, x].map(|x| {
            let test = self.reaches(x, y);
            self.converted(test, DType::I64)
        });
        let quotient = self.binary(BinaryOp::Add, quotient, more);
        self.selected(is_great, once, quotient)
    }

    /// The rest, of that of the half.
    fn rest(&mut self, of_half: ValueId, [x, y, is_great]: [ValueId; 3]) -> ValueId {
        let (twice, odd) =
            (self.with_number(BinaryOp::Mul, of_half, 2), self.with_number(BinaryOp::And, x, 1));
        let near = self.binary(BinaryOp::Add, twice, odd);
        let near = self.selected(is_great, x, near);
        let (test, less) = (self.reaches(near, y), self.binary(BinaryOp::Sub, near, y));
        self.selected(test, less, near)
    }

    /// A power; of an exponent with its highest bit set those of the even numbers are zero as those of a lesser one are.
    fn power(&mut self, id: NodeId, node: &Node) {
        let [x, y] = self.operands(node);
        let (is_great, low) = (self.is_below_zero(y), self.with_number(BinaryOp::And, y, LOW));
        let lesser = self.with_number(BinaryOp::Or, low, 1 << 62);
        let exponent = self.selected(is_great, lesser, y);
        self.rewritten(id, node, [x, exponent], None);
    }

    fn shift_left(&mut self, id: NodeId, node: &Node) {
        let [x, y] = self.operands(node);
        let amount = self.bounded(y);
        self.rewritten(id, node, [x, amount], None);
    }

    /// The half of a word has no sign: it is shifted by one less.
    fn shift_right(&mut self, id: NodeId, node: &Node) {
        let [x, y] = self.operands(node);
        let (half, amount) = (self.halved(x), self.bounded(y));
        let (test, less) = (self.is_not_zero(amount), self.with_number(BinaryOp::Sub, amount, 1));
        let (some, less) = (self.converted(test, DType::Bool), self.with_number(BinaryOp::Max, less, 0));
        self.rewritten(id, node, [half, less], Some((some, x)));
    }

    /// The node with other operands; where a test fails it gives another word.
    fn rewritten(&mut self, id: NodeId, node: &Node, args: [ValueId; 2], unless: Option<(ValueId, ValueId)>) {
        self.graph.nodes[id].args = args.to_vec();
        self.nodes.push(id);
        let mut found = self.widened_result(id, 0, node.results[0]);
        if let Some((test, other)) = unless {
            found = self.selected(test, found, other);
        }
        self.given(node.results[0], found);
    }

    /// A word, or the greatest number with a sign for one that is greater.
    fn bounded(&mut self, wide: ValueId) -> ValueId {
        let (is_great, most) = (self.is_below_zero(wide), self.number(DType::I64, LOW));
        self.selected(is_great, most, wide)
    }

    /// A length, or a position along an axis: a word that is no number with a sign is past every end.
    pub(super) fn position(&mut self, value: ValueId) -> ValueId {
        let wide = self.widened(value);
        if self.dtype(value) == DType::U64 { self.bounded(wide) } else { wide }
    }

    /// The nearest float of a word: that of twice its half, whose last bit says whether there is more.
    pub(super) fn float_of_word(&mut self, word: ValueId, to: DType) -> ValueId {
        let register = if to == to.register() { to } else { DType::F64 };
        let x = self.widened(word);
        let (half, odd) = (self.halved(x), self.with_number(BinaryOp::And, x, 1));
        let sticky = self.binary(BinaryOp::Or, half, odd);
        let half = self.converted(sticky, register);
        let (great, plain) = (self.binary(BinaryOp::Add, half, half), self.converted(x, register));
        let is_great = self.is_below_zero(x);
        self.selected(is_great, great, plain)
    }

    /// The word that a float is cut to, between 0 and the greatest one.
    pub(super) fn word_of_float(&mut self, x: ValueId) -> ValueId {
        let wide = self.widened(x);
        let wide = self.converted(wide, DType::F64);
        let end = self.float(2f64.powi(63));
        let ty = self.like(wide, DType::Bool);
        let is_great = self.added(CompareOp::Ge.into(), Attr::None, vec![wide, end], ty);
        let over = self.binary(BinaryOp::Sub, wide, end);
        let over = self.converted(over, DType::I64);
        let (over, plain) = (self.with_number(BinaryOp::Xor, over, HIGH), self.converted(wide, DType::I64));
        let plain = self.with_number(BinaryOp::Max, plain, 0);
        self.selected(is_great, over, plain)
    }
}

/// True if the lesser or the greater of the elements in a place stays.
fn is_extreme(attr: &Attr) -> bool {
    matches!(attr, Attr::Places { keep: Keep::Least | Keep::Greatest, .. })
}
