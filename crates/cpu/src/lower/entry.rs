//! The parameters and the results of the graph itself, which its caller passes in memory.

use gw_base::Id;
use gw_types::Dim;

use super::context::{Lower, Lowers, broken};
use super::place::Held;
use crate::loops::{Field, Ty, Var};

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
                        self.b.load(Ty::I64, args, at)
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
}
