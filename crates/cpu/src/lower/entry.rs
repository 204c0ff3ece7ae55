//! The parameters and the results of the graph itself, which its caller passes in memory; complex numbers, which are whole there
//! alone: the imaginary part of an element follows its real one. A whole number is held as an array of its real parts, whose
//! strides count both.

use gw_base::Id;
use gw_ir::{Node, PartOp};
use gw_types::Dim;

use super::context::{Lower, Lowers, broken};
use super::place::{At, Held, View};
use crate::loops::{Field, Range, Ty, Var};

impl Lower<'_> {
    /// The function's parameters: a number is read at once, an array stays where it is.
    pub(super) fn params(&mut self) -> Lowers<()> {
        let args = self.b.field(Field::Args);
        let mut lengths: Vec<(Dim, Var)> = Vec::new();
        let mut word = 0;
        for &param in self.graph.params() {
            let ty = self.graph.ty(param);
            let (element, at) = (self.ty(param), self.b.word(word));
            let ptr = self.b.load(Ty::Ptr, args, at);
            let mut dims = Vec::new();
            for (axis, &dim) in ty.shape.0.iter().enumerate() {
                let known = lengths.iter().find(|(d, _)| *d == dim).map(|(_, var)| *var);
                let var = known.unwrap_or_else(|| match dim {
                    Dim::Fixed(n) => self.b.word(n as i64),
                    Dim::Var(_) => {
                        let at = self.b.word(word + 1 + axis as i64);
                        let length = self.b.load(Ty::I64, args, at);
                        self.b.bound(length, Range { least: 0, most: i64::MAX });
                        length
                    }
                });
                lengths.push((dim, var));
                dims.push(var);
            }
            word += 1 + dims.len() as i64;
            let zero = self.b.word(0);
            let held = match dims.is_empty() {
                _ if ty.dtype.is_complex() => Held::View(self.interleaved(ptr, element, dims)),
                true => Held::Scalar(self.b.load(element, ptr, zero)),
                false => Held::View(self.dense(ptr, element, dims)),
            };
            self.held[param.index()] = Some(held);
        }
        Ok(())
    }

    /// The function's results: numbers by their bits, arrays by their addresses and lengths.
    pub(super) fn results(&mut self) -> Lowers<()> {
        let outs = self.b.field(Field::Outs);
        let mut word = 0;
        for &result in self.graph.results() {
            let words = match self.settled(result)? {
                Held::View(view) => [vec![view.ptr], view.dims].concat(),
                Held::Scalar(var) => vec![var],
                Held::Delayed(_) => return Err(broken("a result is not in memory")),
            };
            for var in words {
                let (at, zero) = (self.b.word(word), self.b.word(0));
                let to = self.b.offset(outs, at, Ty::I64);
                self.b.store(to, zero, var);
                word += 1;
            }
        }
        Ok(())
    }

    /// Complex numbers without gaps, of which `ty` is the type of a part.
    pub(super) fn interleaved(&mut self, ptr: Var, ty: Ty, dims: Vec<Var>) -> View {
        let two = self.b.word(2);
        let strides = self.dense_strides(&dims).into_iter().map(|stride| self.b.mul(stride, two)).collect();
        View { ptr, ty, dims, strides, dense: true }
    }

    /// A part of complex numbers in memory.
    pub(super) fn part(&mut self, op: PartOp, node: &Node) -> Lowers<()> {
        let Held::View(View { ptr, ty, dims, strides, .. }) = self.held(node.args[0])? else {
            return Err(broken("a complex number is not in memory"));
        };
        let at = self.b.word(match op {
            PartOp::Real => 0,
            PartOp::Imag => 1,
        });
        let held = if dims.is_empty() {
            Held::Scalar(self.b.load(ty, ptr, at))
        } else {
            let ptr = self.b.offset(ptr, at, ty);
            let dense = self.is_dense(&dims, &strides);
            Held::View(View { ptr, ty, dims, strides, dense })
        };
        self.define(node.results[0], held)
    }

    /// Complex numbers in memory, both parts of an element in one turn of the loops.
    pub(super) fn complex(&mut self, node: &Node) -> Lowers<()> {
        let (result, parts) = (node.results[0], [node.args[0], node.args[1]]);
        let ty = self.ty(result);
        let mut dims = Vec::new();
        for part in parts {
            let own = self.dims(part)?;
            dims = self.broadcast_dims(dims, own);
        }
        let two = self.b.word(2);
        let ptr = self.room(None, ty, &[&dims[..], &[two]].concat());
        let out = self.interleaved(ptr, ty, dims);
        let mut flat = true;
        for part in parts {
            flat &= self.reads_in_order(part, &out.dims)?;
        }
        let counted = if flat { vec![self.count(&out.dims)] } else { out.dims.clone() };
        let strides = if flat { vec![two] } else { out.strides.clone() };
        let work = self.elementary();
        self.spread(&counted, work, |lower, index| {
            let place = lower.number_of(index, &strides);
            for (at, part) in parts.into_iter().enumerate() {
                let element = match flat {
                    true => lower.element(part, At::Flat(index[0]))?,
                    false => lower.stretched_element(part, &out.dims, At::Index(index))?,
                };
                let at = lower.b.word(at as i64);
                let place = lower.b.add(place, at);
                lower.b.store(out.ptr, place, element);
            }
            Ok(())
        })?;
        self.define(result, Held::View(out))
    }
}
