//! Arrays: where they are, how one element is read, how delayed ones are put into memory.

use gw_base::Id;
use gw_ir::{Attr, Node, NodeId, ValueId};
use gw_runtime::{Buffer, Report};
use gw_types::{DType, Scalar};

use super::context::{Lower, Lowers, broken};
use super::place::{At, Axis, Delayed, Held, Home, Rule, View};
use crate::loops::{Arm, Binary, Callee, Compare, Expr, Field, Stmt, Ty, Var};

impl Lower<'_> {
    /// The lengths of a value's axes.
    pub(super) fn dims(&self, value: ValueId) -> Lowers<Vec<Var>> {
        Ok(match self.held(value)? {
            Held::Scalar(_) => Vec::new(),
            Held::View(view) => view.dims,
            Held::Delayed(delayed) => delayed.dims,
        })
    }

    pub(super) fn elementwise(&mut self, id: NodeId, node: &Node) -> Lowers<()> {
        let result = node.results[0];
        let ty = self.ty(result);
        if self.graph.ty(result).is_scalar() {
            let args = node.args.iter().map(|&v| self.scalar(v)).collect::<Lowers<Vec<_>>>()?;
            let value = self.apply_node(node, ty, &args)?;
            return self.define(result, Held::Scalar(value));
        }
        let mut dims = Vec::new();
        for &arg in &node.args {
            let own = self.dims(arg)?;
            dims = self.broadcast_dims(dims, own);
        }
        self.define(result, Held::Delayed(Delayed { rule: Rule::Elementwise(id), ty, dims }))
    }

    /// The lengths that two arrays broadcast to; the run fails if they do not.
    pub(super) fn broadcast_dims(&mut self, a: Vec<Var>, b: Vec<Var>) -> Vec<Var> {
        let (longer, shorter) = if a.len() >= b.len() { (a, b) } else { (b, a) };
        let added = longer.len() - shorter.len();
        let mut dims = longer;
        for (x, &y) in dims[added..].iter_mut().zip(&shorter) {
            *x = self.broadcast_dim(*x, y);
        }
        dims
    }

    fn broadcast_dim(&mut self, x: Var, y: Var) -> Var {
        if self.b.same(x, y) || self.b.known(y) == Some(1) {
            return x;
        }
        if self.b.known(x) == Some(1) {
            return y;
        }
        let one = self.b.word(1);
        let equal = self.b.compare(Compare::Eq, x, y);
        let [x_one, y_one] = [x, y].map(|dim| self.b.compare(Compare::Eq, dim, one));
        let either = self.b.or(x_one, y_one);
        let ok = self.b.or(equal, either);
        self.guard(ok, Report::Unbroadcastable, vec![x, y]);
        self.b.select(x_one, y, x)
    }

    /// The element of a value at a position.
    pub(super) fn element(&mut self, value: ValueId, at: At) -> Lowers<Var> {
        let key: Vec<Var> = match at {
            At::Index(index) => index.to_vec(),
            At::Flat(number) => vec![number],
        };
        if let Some((_, _, var)) = self.memo.iter().find(|(v, index, _)| *v == value && *index == key) {
            return Ok(*var);
        }
        let var = match self.held(value)? {
            Held::Scalar(var) => return Ok(var),
            Held::View(view) => self.read(&view, at),
            Held::Delayed(delayed) => self.compute(value, &delayed, at)?,
        };
        self.memo.push((value, key, var));
        Ok(var)
    }

    fn compute(&mut self, value: ValueId, delayed: &Delayed, at: At) -> Lowers<Var> {
        match (&delayed.rule, at) {
            (Rule::Elementwise(id), _) => {
                let node = &self.graph.nodes[*id];
                let mut args = Vec::new();
                for &arg in &node.args {
                    args.push(self.stretched_element(arg, &delayed.dims, at)?);
                }
                let around = std::mem::replace(&mut self.of_arrays, true);
                let element = self.apply_node(node, delayed.ty, &args);
                self.of_arrays = around;
                element
            }
            (Rule::Moved(source, axes), At::Index(index)) => {
                let position = |lower: &mut Self, axis: &Axis| match axis.from {
                    None => axis.start,
                    Some((from, step)) => {
                        let offset = lower.b.mul(index[from], step);
                        lower.b.add(axis.start, offset)
                    }
                };
                let index: Vec<Var> = axes.iter().map(|axis| position(self, axis)).collect();
                self.element(*source, At::Index(&index))
            }
            (Rule::Moved(..), At::Flat(_)) => Err(broken(format!("{value:?} is not read in order"))),
            (Rule::Range(start, step), _) => {
                let number = match at {
                    At::Flat(number) => number,
                    At::Index(index) => {
                        let strides = self.dense_strides(&delayed.dims);
                        self.number_of(index, &strides)
                    }
                };
                let number = self.b.convert(delayed.ty, number);
                let offset = self.b.mul(number, *step);
                Ok(self.b.add(*start, offset))
            }
            (Rule::Piece(ptr, start), At::Flat(number)) => {
                let at = self.b.sub(number, *start);
                Ok(self.b.load(delayed.ty, *ptr, at))
            }
            (Rule::Piece(..), At::Index(_)) => Err(broken(format!("{value:?} is read piece by piece"))),
        }
    }

    /// The element of a value that is stretched to the lengths `to`.
    pub(super) fn stretched_element(&mut self, value: ValueId, to: &[Var], at: At) -> Lowers<Var> {
        let At::Index(index) = at else { return self.element(value, at) };
        let own = self.dims(value)?;
        let added = to.len() - own.len();
        let (index, to) = (&index[added..], &to[added..]);
        let mut stretched = Vec::new();
        for ((&i, &to), &own) in index.iter().zip(to).zip(&own) {
            stretched.push(self.stretched(i, to, own));
        }
        self.element(value, At::Index(&stretched))
    }

    /// The position on an axis of length `own` that is stretched to `to`.
    pub(super) fn stretched(&mut self, i: Var, to: Var, own: Var) -> Var {
        if self.b.same(own, to) {
            return i;
        }
        let (zero, one) = (self.b.word(0), self.b.word(1));
        let single = self.b.compare(Compare::Eq, own, one);
        self.b.select(single, zero, i)
    }

    /// The element of an array in memory.
    pub(super) fn read(&mut self, view: &View, at: At) -> Var {
        let number = match at {
            At::Flat(_) if self.is_single(view) => self.b.word(0),
            At::Flat(number) => number,
            At::Index(index) => self.number_of(index, &view.strides),
        };
        self.b.load(view.ty, view.ptr, number)
    }

    /// `Σ index[k] * strides[k]`
    pub(super) fn number_of(&mut self, index: &[Var], strides: &[Var]) -> Var {
        let mut number = self.b.word(0);
        for (&i, &stride) in index.iter().zip(strides) {
            let offset = self.b.mul(i, stride);
            number = self.b.add(number, offset);
        }
        number
    }

    /// The strides of a row-major array without gaps.
    pub(super) fn dense_strides(&mut self, dims: &[Var]) -> Vec<Var> {
        let mut strides = Vec::new();
        // The length of the first axis counts for none: it may be that of a loop which has not begun.
        for axis in (0..dims.len()).rev() {
            let inner = strides.last().map(|&inner| self.b.mul(inner, dims[axis + 1]));
            let stride = inner.unwrap_or_else(|| self.b.word(1));
            strides.push(stride);
        }
        strides.reverse();
        strides
    }

    /// An array without gaps.
    pub(super) fn dense(&mut self, ptr: Var, ty: Ty, dims: Vec<Var>) -> View {
        let strides = self.dense_strides(&dims);
        View { ptr, ty, dims, strides, dense: true }
    }

    /// Number of elements; a number that does not fit becomes the greatest one.
    pub(super) fn count(&mut self, dims: &[Var]) -> Var {
        let one = self.b.word(1);
        dims.iter().fold(one, |count, &dim| self.b.binary(Binary::MulSaturating, count, dim))
    }

    /// A new slot: its least size, 0 if it grows.
    pub(super) fn slot(&mut self, size: usize) -> usize {
        self.slots.push(size);
        self.slots.len() - 1
    }

    /// Bytes that arrays of these lengths take, if they are known.
    pub(super) fn known_size(&self, ty: Ty, dims: &[Var]) -> Option<usize> {
        let lengths = dims.iter().map(|&dim| self.b.known(dim)).collect::<Option<Vec<_>>>()?;
        Some(lengths.iter().fold(ty.size(), |size, &n| size.saturating_mul(n.max(0) as usize)))
    }

    /// Memory for an array of these lengths, at home if the value has a home.
    pub(super) fn room(&mut self, value: Option<ValueId>, ty: Ty, dims: &[Var]) -> Var {
        let home = value.and_then(|v| self.homes.iter().rev().find(|(of, _)| *of == v)).copied();
        self.housed.extend(home.map(|(of, _)| of));
        match (home.map(|(_, home)| home), self.known_size(ty, dims)) {
            (Some(Home::Fixed(ptr)), _) => ptr,
            (Some(Home::Growing(slot)), _) => self.grown(slot, ty, dims),
            (None, Some(size)) => {
                if let Some(own) = self.own_room(size) {
                    return own;
                }
                let slot = self.slot(size);
                self.slot_start(slot)
            }
            (None, None) => {
                let slot = self.slot(0);
                let slot = self.slot_address(slot);
                self.grown(slot, ty, dims)
            }
        }
    }

    /// Start address of a slot of fixed size.
    pub(super) fn slot_start(&mut self, slot: usize) -> Var {
        let slot = self.slot_address(slot);
        let zero = self.b.word(0);
        self.b.load(Ty::Ptr, slot, zero)
    }

    /// The address of a slot itself, which is two words long.
    pub(super) fn slot_address(&mut self, slot: usize) -> Var {
        self.addressed += 1;
        let slots = self.frame.unwrap_or_else(|| self.b.field(Field::Slots));
        let at = self.b.slot_word(2 * slot as i64);
        // Never folded: the allocation of buffers finds the slots by it.
        self.b.let_(Ty::Ptr, Expr::Offset(slots, at, Ty::Ptr))
    }

    /// Makes a slot big enough; gives where it begins.
    pub(super) fn grown(&mut self, slot: Var, ty: Ty, dims: &[Var]) -> Var {
        let count = self.count(dims);
        let element = self.b.word(ty.size() as i64);
        let size = self.b.binary(Binary::MulSaturating, count, element);
        let (zero, one) = (self.b.word(0), self.b.word(1));
        let capacity = self.b.load(Ty::I64, slot, one);
        let small = self.b.compare(Compare::Lt, capacity, size);
        self.b.open();
        let ok = self.b.call(Ty::Bool, Callee::Grow, vec![slot, size]);
        self.guard(ok, Report::OutOfMemory, Vec::new());
        let then = self.b.close(Vec::new());
        self.b.push(Stmt::If { test: small, cold: true, then, otherwise: Arm::default(), outs: Vec::new() });
        self.b.load(Ty::Ptr, slot, zero)
    }

    /// The value in memory; a delayed one is computed now.
    pub(super) fn materialise(&mut self, value: ValueId) -> Lowers<View> {
        let (ty, dims) = match self.held(value)? {
            Held::View(view) => return Ok(view),
            Held::Scalar(var) => {
                let ptr = self.room(None, self.b.ty(var), &[]);
                let zero = self.b.word(0);
                self.b.store(ptr, zero, var);
                return Ok(self.dense(ptr, self.b.ty(var), Vec::new()));
            }
            Held::Delayed(delayed) => (delayed.ty, delayed.dims),
        };
        let ptr = self.room(Some(value), ty, &dims);
        let view = self.dense(ptr, ty, dims);
        self.fill(&view, value)?;
        // Values that a branch or iteration computes are not there in the next one.
        if self.born[value.index()] >= self.depth {
            self.held[value.index()] = Some(Held::View(view.clone()));
        }
        Ok(view)
    }

    /// The value in memory, row-major and without gaps.
    pub(super) fn materialise_dense(&mut self, value: ValueId) -> Lowers<View> {
        let view = self.materialise(value)?;
        if view.dense {
            return Ok(view);
        }
        let ptr = self.room(None, view.ty, &view.dims);
        let copy = self.dense(ptr, view.ty, view.dims);
        self.fill(&copy, value)?;
        Ok(copy)
    }

    /// A value as a region hands it out: a number, or an array without gaps.
    pub(super) fn settled(&mut self, value: ValueId) -> Lowers<Held> {
        match self.held(value)? {
            Held::Scalar(var) => Ok(Held::Scalar(var)),
            Held::View(_) | Held::Delayed(_) => self.materialise_dense(value).map(Held::View),
        }
    }

    /// A tensor written in the graph: a number, or an address.
    pub(super) fn constant(&mut self, node: &Node) -> Lowers<()> {
        let Attr::Literal(literal) = &node.attr else { return Err(broken("a constant without a literal")) };
        let ty = Ty::of(literal.dtype());
        let buffer = || Buffer::from_bytes(literal.dtype(), literal.lengths(), literal.bytes());
        if let Some(scalar) = literal.as_scalar() {
            let var = match scalar {
                Scalar::Float(_) if ty.is_integer() => {
                    let bits = Scalar::read(DType::U16, literal.bytes());
                    self.b.int(ty, bits.to_i64())
                }
                Scalar::Float(value) => self.b.real(ty, value),
                Scalar::Complex(..) => return Err(broken("a complex number is whole")),
                Scalar::Bool(_) | Scalar::Int(_) | Scalar::Nat(_) => self.b.int(ty, scalar.to_i64()),
                Scalar::Text(text) if text.is_short() => self.b.int(ty, text.word() as i64),
                Scalar::Text(_) => {
                    // The word is that of this process.
                    self.literals.push(buffer());
                    let ptr = self.b.let_(Ty::Ptr, Expr::Literal(self.literals.len() - 1));
                    let first = self.b.word(0);
                    self.b.let_(ty, Expr::Load(ptr, first))
                }
            };
            return self.define(node.results[0], Held::Scalar(var));
        }
        self.literals.push(buffer());
        let ptr = self.b.let_(Ty::Ptr, Expr::Literal(self.literals.len() - 1));
        let dims = literal.lengths().iter().map(|&n| self.b.word(n as i64)).collect();
        let view = self.dense(ptr, ty, dims);
        self.define(node.results[0], Held::View(view))
    }
}
