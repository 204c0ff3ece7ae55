//! Functions of single precision on a register of LLVM's.

use gw_kernels::{Single, Steps};

use super::expr::Kind;
use super::text::{Text, real};
use crate::loops::{Binary, Compare, Ty};

/// So many numbers at once. They have names, each of which is kept here under its own number.
pub(super) struct Register<'t, 'a> {
    pub(super) text: &'t mut Text<'a>,
    pub(super) count: usize,
    pub(super) names: Vec<String>,
}

/// Where the name of a value is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named(usize);

impl Register<'_, '_> {
    /// What a function gives.
    pub(super) fn apply(&mut self, single: Single, x: String) -> String {
        let x = self.keep(x);
        let found = single.apply(self, x);
        self.names[found.0].clone()
    }

    fn keep(&mut self, name: String) -> Named {
        self.names.push(name);
        Named(self.names.len() - 1)
    }

    fn kind(&self, ty: Ty) -> Kind {
        Kind { ty, count: self.count }
    }

    fn two(&mut self, binary: Binary, ty: Ty, x: Named, y: Named) -> Named {
        let kind = self.kind(ty);
        let given = self.text.binary(binary, kind, &self.names[x.0], &self.names[y.0]);
        self.keep(given)
    }

    fn cast(&mut self, from: Ty, to: Ty, x: Named) -> Named {
        let (from, to) = (self.kind(from).name(), self.kind(to).name());
        let given = self.text.give(&format!("bitcast {from} {} to {to}", self.names[x.0]));
        self.keep(given)
    }

    fn shift(&mut self, binary: Binary, x: Named, by: u8) -> Named {
        let kind = self.kind(Ty::I32);
        let given = self.text.binary(binary, kind, &self.names[x.0], &kind.constant(&by.to_string()));
        self.keep(given)
    }
}

impl Steps for Register<'_, '_> {
    type Float = Named;
    type Bits = Named;
    type Test = Named;

    fn real(&mut self, value: f32) -> Named {
        let constant = self.kind(Ty::F32).constant(&real(Ty::F32, f64::from(value)));
        self.keep(constant)
    }
    fn int(&mut self, value: i32) -> Named {
        let constant = self.kind(Ty::I32).constant(&value.to_string());
        self.keep(constant)
    }
    fn add(&mut self, x: Named, y: Named) -> Named {
        self.two(Binary::Add, Ty::F32, x, y)
    }
    fn sub(&mut self, x: Named, y: Named) -> Named {
        self.two(Binary::Sub, Ty::F32, x, y)
    }
    fn mul(&mut self, x: Named, y: Named) -> Named {
        self.two(Binary::Mul, Ty::F32, x, y)
    }
    fn div(&mut self, x: Named, y: Named) -> Named {
        self.two(Binary::Div, Ty::F32, x, y)
    }
    fn fma(&mut self, x: Named, y: Named, z: Named) -> Named {
        let kind = self.kind(Ty::F32);
        let operands = [x, y, z].map(|operand| self.names[operand.0].as_str());
        let given = self.text.machine("fma", kind, &operands);
        self.keep(given)
    }
    fn below(&mut self, x: Named, y: Named) -> Named {
        let kind = self.kind(Ty::F32);
        let given = self.text.compare(Compare::Lt, kind, &self.names[x.0], &self.names[y.0]);
        self.keep(given)
    }
    fn select(&mut self, test: Named, x: Named, y: Named) -> Named {
        let (of, count) = (self.kind(Ty::F32).name(), self.count);
        let [test, x, y] = [test, x, y].map(|operand| &self.names[operand.0]);
        let given = self.text.give(&format!("select <{count} x i1> {test}, {of} {x}, {of} {y}"));
        self.keep(given)
    }
    fn bits(&mut self, x: Named) -> Named {
        self.cast(Ty::F32, Ty::I32, x)
    }
    fn float(&mut self, x: Named) -> Named {
        self.cast(Ty::I32, Ty::F32, x)
    }
    fn number(&mut self, x: Named) -> Named {
        let from = self.kind(Ty::I32);
        let given = self.text.convert(from, Ty::F32, &self.names[x.0]);
        self.keep(given)
    }
    fn plus(&mut self, x: Named, y: Named) -> Named {
        self.two(Binary::Add, Ty::I32, x, y)
    }
    fn minus(&mut self, x: Named, y: Named) -> Named {
        self.two(Binary::Sub, Ty::I32, x, y)
    }
    fn both(&mut self, x: Named, y: Named) -> Named {
        self.two(Binary::And, Ty::I32, x, y)
    }
    fn either(&mut self, x: Named, y: Named) -> Named {
        self.two(Binary::Or, Ty::I32, x, y)
    }
    fn left(&mut self, x: Named, by: u8) -> Named {
        self.shift(Binary::Shl, x, by)
    }
    fn right(&mut self, x: Named, by: u8) -> Named {
        self.shift(Binary::Sar, x, by)
    }
}
