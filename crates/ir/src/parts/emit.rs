//! Nodes that are added: real arithmetic, where each value has the shape to which its operands broadcast.

use gw_types::{DType, Scalar, Shape, TensorType};

use super::Split;
use crate::{Attr, BinaryOp, CompareOp, Literal, Node, Op, TestOp, UnaryOp};
use crate::{Value, ValueDef, ValueId};

impl Split<'_> {
    pub(super) fn added(&mut self, op: Op, attr: Attr, args: Vec<ValueId>, ty: TensorType) -> ValueId {
        let own = self.own.take();
        let id = own.unwrap_or_else(|| self.graph.nodes.next_id());
        let value = self.graph.values.push(Value { ty, def: ValueDef::Result(id, 0), name: None });
        let node = Node { op, attr, args, regions: Vec::new(), results: vec![value] };
        if own.is_some() {
            self.graph.nodes[id] = node;
        } else {
            let place = self.place.and_then(|node| self.graph.places[node].clone());
            self.graph.places.push(place);
            self.graph.nodes.push(node);
        }
        self.nodes.push(id);
        value
    }

    pub(super) fn dtype(&self, value: ValueId) -> DType {
        self.graph.ty(value).dtype
    }

    /// The type of a part of a complex value.
    pub(super) fn real_type(&self, value: ValueId) -> TensorType {
        let ty = self.graph.ty(value);
        TensorType { dtype: ty.dtype.part(), ..ty.clone() }
    }

    /// The shape to which values broadcast.
    fn meet(&mut self, values: &[ValueId]) -> Shape {
        let mut shape = Shape::scalar();
        for &value in values {
            let own = self.graph.ty(value).shape.clone();
            if own != shape {
                shape = gw_types::broadcast(&shape, &own, &mut || self.graph.fresh_dim()).unwrap_or(own);
            }
        }
        shape
    }

    pub(super) fn number(&mut self, dtype: DType, number: f64) -> ValueId {
        let literal = Literal::scalar(dtype, Scalar::Float(number));
        self.added(Op::Const, Attr::Literal(literal), Vec::new(), TensorType::scalar(dtype))
    }

    pub(super) fn truth(&mut self, truth: bool) -> ValueId {
        let literal = Literal::scalar(DType::Bool, Scalar::Bool(truth));
        self.added(Op::Const, Attr::Literal(literal), Vec::new(), TensorType::scalar(DType::Bool))
    }

    /// Zeros in the shape of a value.
    pub(super) fn zero_like(&mut self, value: ValueId) -> ValueId {
        let zero = self.number(self.dtype(value), 0.0);
        if self.graph.ty(value).is_scalar() {
            return zero;
        }
        let no = self.truth(false);
        self.select(no, value, zero)
    }

    pub(super) fn converted(&mut self, value: ValueId, dtype: DType) -> ValueId {
        if self.dtype(value) == dtype {
            return value;
        }
        let ty = TensorType { dtype, ..self.graph.ty(value).clone() };
        self.added(Op::Cast, Attr::To(dtype), vec![value], ty)
    }

    pub(super) fn of_one(&mut self, op: UnaryOp, x: ValueId) -> ValueId {
        let ty = self.graph.ty(x).clone();
        self.added(op.into(), Attr::None, vec![x], ty)
    }

    pub(super) fn of_two(&mut self, op: BinaryOp, x: ValueId, y: ValueId) -> ValueId {
        let ty = TensorType::new(self.dtype(x), self.meet(&[x, y]));
        self.added(op.into(), Attr::None, vec![x, y], ty)
    }

    pub(super) fn select(&mut self, test: ValueId, x: ValueId, y: ValueId) -> ValueId {
        let ty = TensorType::new(self.dtype(x), self.meet(&[test, x, y]));
        self.added(Op::Select, Attr::None, vec![test, x, y], ty)
    }

    /// A choice between two numbers.
    pub(super) fn choose(&mut self, test: ValueId, x: [ValueId; 2], y: [ValueId; 2]) -> [ValueId; 2] {
        [self.select(test, x[0], y[0]), self.select(test, x[1], y[1])]
    }

    pub(super) fn is(&mut self, op: CompareOp, x: ValueId, y: ValueId) -> ValueId {
        let ty = TensorType::new(DType::Bool, self.meet(&[x, y]));
        self.added(op.into(), Attr::None, vec![x, y], ty)
    }

    /// A comparison with a number.
    pub(super) fn is_to(&mut self, op: CompareOp, x: ValueId, number: f64) -> ValueId {
        let number = self.number(self.dtype(x), number);
        self.is(op, x, number)
    }

    pub(super) fn is_finite(&mut self, x: ValueId) -> ValueId {
        let ty = TensorType { dtype: DType::Bool, ..self.graph.ty(x).clone() };
        self.added(TestOp::IsFinite.into(), Attr::None, vec![x], ty)
    }

    /// True of infinities.
    pub(super) fn is_infinite(&mut self, x: ValueId) -> ValueId {
        let size = self.abs(x);
        self.is_to(CompareOp::Eq, size, f64::INFINITY)
    }

    pub(super) fn not(&mut self, x: ValueId) -> ValueId {
        self.of_one(UnaryOp::Not, x)
    }

    pub(super) fn and(&mut self, x: ValueId, y: ValueId) -> ValueId {
        self.of_two(BinaryOp::And, x, y)
    }

    pub(super) fn or(&mut self, x: ValueId, y: ValueId) -> ValueId {
        self.of_two(BinaryOp::Or, x, y)
    }

    pub(super) fn plus(&mut self, x: ValueId, y: ValueId) -> ValueId {
        self.of_two(BinaryOp::Add, x, y)
    }

    pub(super) fn minus(&mut self, x: ValueId, y: ValueId) -> ValueId {
        self.of_two(BinaryOp::Sub, x, y)
    }

    pub(super) fn times(&mut self, x: ValueId, y: ValueId) -> ValueId {
        self.of_two(BinaryOp::Mul, x, y)
    }

    pub(super) fn over(&mut self, x: ValueId, y: ValueId) -> ValueId {
        self.of_two(BinaryOp::Div, x, y)
    }

    /// `number + x`
    pub(super) fn more(&mut self, x: ValueId, number: f64) -> ValueId {
        let number = self.number(self.dtype(x), number);
        self.plus(x, number)
    }

    /// `number - x`
    pub(super) fn less_from(&mut self, number: f64, x: ValueId) -> ValueId {
        let number = self.number(self.dtype(x), number);
        self.minus(number, x)
    }

    /// `number * x`
    pub(super) fn scaled(&mut self, x: ValueId, number: f64) -> ValueId {
        let number = self.number(self.dtype(x), number);
        self.times(x, number)
    }

    /// `number / x`
    pub(super) fn into(&mut self, number: f64, x: ValueId) -> ValueId {
        let number = self.number(self.dtype(x), number);
        self.over(number, x)
    }

    pub(super) fn neg(&mut self, x: ValueId) -> ValueId {
        self.of_one(UnaryOp::Neg, x)
    }

    pub(super) fn abs(&mut self, x: ValueId) -> ValueId {
        self.of_one(UnaryOp::Abs, x)
    }

    /// The size of `x` with the sign of `y`, that of a zero as well.
    pub(super) fn with_sign(&mut self, x: ValueId, y: ValueId) -> ValueId {
        let size = self.abs(x);
        let below = self.neg(size);
        let is_low = self.is_negative(y);
        self.select(is_low, below, size)
    }

    /// True of numbers with the sign of minus, -0 among them.
    fn is_negative(&mut self, y: ValueId) -> ValueId {
        let is_low = self.is_to(CompareOp::Lt, y, 0.0);
        let is_zero = self.is_to(CompareOp::Eq, y, 0.0);
        let over = self.into(1.0, y);
        let is_low_zero = self.is_to(CompareOp::Lt, over, 0.0);
        let is_low_zero = self.and(is_zero, is_low_zero);
        self.or(is_low, is_low_zero)
    }
}
