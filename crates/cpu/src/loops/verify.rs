//! Judges loop IR: each variable is defined once and before its uses, types fit.

use gw_base::{Broken, Id};

use super::text::word;
use super::{Arm, Binary, Block, Callee, Carry, Expr, Func, Lanewise, Share, Stmt, Ty, Unary, Var, is_apart};

/// Judges a whole function.
///
/// # Errors
/// The first rule that does not hold; the code generator's input is wrong then, and so is whoever made it.
pub fn verify(func: &Func) -> Result<(), Broken> {
    let [visible, defined] = [(); 2].map(|()| vec![false; func.vars.len()]);
    let mut judge = Judge { func, visible, defined, tries: Vec::new() };
    judge.whole().map_err(|rule| Broken::new("loops", rule))
}

type Judged = Result<(), String>;

struct Judge<'a> {
    func: &'a Func,
    visible: Vec<bool>,
    defined: Vec<bool>,
    /// The results of each `Try` around, the innermost last.
    tries: Vec<Vec<Ty>>,
}

impl Judge<'_> {
    fn whole(&mut self) -> Judged {
        self.func.params.iter().try_for_each(|&param| self.define(param))?;
        self.block(&self.func.body)?;
        self.uses(&self.func.results)
    }

    fn ty(&self, var: Var) -> Ty {
        self.func.vars[var]
    }

    fn define(&mut self, var: Var) -> Judged {
        let again = std::mem::replace(&mut self.defined[var.index()], true);
        self.visible[var.index()] = true;
        if again { Err(format!("{var} is defined twice")) } else { Ok(()) }
    }

    fn uses(&self, vars: &[Var]) -> Judged {
        match vars.iter().find(|v| !self.visible[v.index()]) {
            Some(var) => Err(format!("{var} is not defined before it is used, or not seen from there")),
            None => Ok(()),
        }
    }

    fn typed(&self, var: Var, ty: Ty) -> Judged {
        let found = self.ty(var);
        if found == ty {
            Ok(())
        } else {
            Err(format!("{var} is {} where {} is wanted", word(found), word(ty)))
        }
    }

    fn all_typed(&self, vars: &[Var], types: &[Ty]) -> Judged {
        if vars.len() != types.len() {
            return Err(format!("{} values where {} are wanted", vars.len(), types.len()));
        }
        vars.iter().zip(types).try_for_each(|(&var, &ty)| self.typed(var, ty))
    }

    fn block(&mut self, block: &Block) -> Judged {
        block.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn arm(&mut self, arm: &Arm, wanted: &[Ty]) -> Judged {
        let outside = self.visible.clone();
        self.block(&arm.block)?;
        self.uses(&arm.results)?;
        self.all_typed(&arm.results, wanted)?;
        self.visible = outside;
        Ok(())
    }

    fn types(&self, vars: impl Iterator<Item = Var>) -> Vec<Ty> {
        vars.map(|v| self.ty(v)).collect()
    }

    fn stmt(&mut self, stmt: &Stmt) -> Judged {
        match stmt {
            Stmt::Let(var, expr) => {
                self.uses(&expr.operands())?;
                self.expr(self.ty(*var), expr)?;
                self.define(*var)
            }
            Stmt::Store { ptr, index, value } => {
                self.uses(&[*ptr, *index, *value])?;
                self.all_typed(&[*ptr, *index], &[Ty::Ptr, Ty::I64])
            }
            Stmt::Do(callee, args) => {
                self.uses(args)?;
                self.call(callee, args).map(|_| ())
            }
            Stmt::Invoke { function: _, args, outs } => {
                self.uses(args)?;
                outs.iter().try_for_each(|&out| self.define(out))
            }
            Stmt::Guard { ok, site: _, words } => {
                self.uses(words)?;
                self.holds(*ok)?;
                self.words(words)
            }
            Stmt::If { test, cold: _, then, otherwise, outs } => {
                self.holds(*test)?;
                let wanted = self.types(outs.iter().copied());
                self.arm(then, &wanted)?;
                self.arm(otherwise, &wanted)?;
                outs.iter().try_for_each(|&out| self.define(out))
            }
            Stmt::Try { body, outs } => {
                let wanted = self.types(outs.iter().copied());
                self.tries.push(wanted.clone());
                self.arm(body, &wanted)?;
                self.tries.pop();
                outs.iter().try_for_each(|&out| self.define(out))
            }
            Stmt::Leave { ok, given } => {
                self.uses(given)?;
                self.uses(&[*ok])?;
                self.typed(*ok, Ty::Bool)?;
                let wanted = self.tries.last().ok_or("there is nothing to leave")?;
                self.all_typed(given, wanted)
            }
            Stmt::For { iv, stop, carries, body } => {
                self.uses(&[*stop])?;
                self.all_typed(&[*iv, *stop], &[Ty::I64, Ty::I64])?;
                self.looped(carries, Some(*iv), &[], body)
            }
            Stmt::Reduce { how, iv, stop, init, body, out } => {
                self.all_typed(&[*iv, *stop], &[Ty::I64, Ty::I64])?;
                self.reduced(*how, *iv, [*stop, *init], body, *out)
            }
            Stmt::While { carries, test, body } => self.looped(carries, None, &[test], body),
            Stmt::Share(share) => self.share(share),
            Stmt::Mark(_) => Ok(()),
        }
    }

    /// A condition.
    fn holds(&mut self, test: Var) -> Judged {
        self.uses(&[test])?;
        self.typed(test, Ty::Bool)
    }

    /// Words are put down as they are.
    fn words(&self, words: &[Var]) -> Judged {
        words.iter().try_for_each(|&word| require(self.ty(word) != Ty::Bool, "a bool is no word"))
    }

    fn share(&mut self, share: &Share) -> Judged {
        let Share { stop, first, count, own, body, cut } = share;
        self.uses(&[*stop, cut.work, cut.fewest])?;
        self.uses(&cut.given)?;
        self.all_typed(&[*stop, *first, *count, cut.work, cut.fewest], &[Ty::I64; 5])?;
        let outside = self.visible.clone();
        [*first, *count].into_iter().try_for_each(|var| self.define(var))?;
        if let Some(own) = own {
            self.uses(&[own.here])?;
            self.all_typed(&[own.here, own.start], &[Ty::Ptr; 2])?;
            self.define(own.start)?;
        }
        require(is_apart(body), "a run that another thread may not work off")?;
        self.block(body)?;
        self.visible = outside;
        Ok(())
    }

    fn reduced(&mut self, how: Lanewise, iv: Var, read: [Var; 2], body: &Arm, out: Var) -> Judged {
        self.uses(&read)?;
        self.define(iv)?;
        let [element] = body.results[..] else { return Err("a reduction of one element".to_owned()) };
        let ty = self.ty(element);
        require(ty.is_float(), "an element of another type")?;
        self.arm(body, &[ty])?;
        self.all_typed(&[read[1], out], &[how.total(ty); 2])?;
        self.define(out)
    }

    fn looped(&mut self, carries: &[Carry], iv: Option<Var>, tests: &[&Arm], body: &Arm) -> Judged {
        let outside = self.visible.clone();
        let wanted = self.types(carries.iter().map(|c| c.param));
        for carry in carries {
            self.uses(&[carry.init])?;
            self.typed(carry.init, self.ty(carry.param))?;
            self.typed(carry.out, self.ty(carry.param))?;
        }
        carries.iter().map(|c| c.param).chain(iv).try_for_each(|var| self.define(var))?;
        tests.iter().try_for_each(|test| self.arm(test, &[Ty::Bool]))?;
        self.arm(body, &wanted)?;
        self.visible = outside;
        carries.iter().try_for_each(|carry| self.define(carry.out))
    }

    fn expr(&self, ty: Ty, expr: &Expr) -> Judged {
        match expr {
            Expr::Int(_) => require(!ty.is_float() && ty != Ty::Ptr, "an integer constant of another type"),
            Expr::Real(_) => require(ty.is_float(), "a floating constant of another type"),
            Expr::Literal(_) | Expr::Field(_) => require(ty == Ty::Ptr, "an address of another type"),
            Expr::Unary(unary, x) => {
                let fits = match unary {
                    Unary::Neg | Unary::Abs => computes(ty) && ty != Ty::Bool,
                    Unary::Not => computes(ty) && !ty.is_float(),
                    Unary::Sqrt | Unary::Floor | Unary::Ceil | Unary::Nearest => ty.is_float(),
                };
                require(fits, "an operand that the function does not take")?;
                self.typed(*x, ty)
            }
            Expr::Binary(binary, x, y) => {
                require(takes(*binary, ty), "operands that the function does not take")?;
                self.all_typed(&[*x, *y], &[ty, ty])
            }
            Expr::Overflows(binary, x, y) => {
                let checked = matches!(binary, Binary::Add | Binary::Sub | Binary::Mul);
                let integers = matches!(self.ty(*x), Ty::I32 | Ty::I64);
                require(checked && integers && ty == Ty::Bool, "operands that are not checked for overflow")?;
                self.typed(*y, self.ty(*x))
            }
            Expr::Compare(_, x, y) => {
                require(ty == Ty::Bool, "a comparison gives a bool")?;
                let narrow = self.ty(*x).register() != self.ty(*x);
                require(!narrow, "operands that the function does not take")?;
                self.typed(*y, self.ty(*x))
            }
            Expr::Select(c, x, y) => self.all_typed(&[*c, *x, *y], &[Ty::Bool, ty, ty]),
            Expr::Convert(x) => {
                let from = self.ty(*x);
                require(ty != Ty::Ptr && from != Ty::Ptr, "an address is no number")?;
                let narrow = ty.register() != ty || from.register() != from;
                let in_register = from.register() == ty || ty.register() == from;
                require(
                    !narrow || in_register,
                    "a narrow integer is converted from and to its register's type",
                )
            }
            Expr::Load(ptr, index) => self.all_typed(&[*ptr, *index], &[Ty::Ptr, Ty::I64]),
            Expr::Offset(ptr, index, _) => {
                require(ty == Ty::Ptr, "an address of another type")?;
                self.all_typed(&[*ptr, *index], &[Ty::Ptr, Ty::I64])
            }
            Expr::Room => require(ty == Ty::Bool, "an answer is a bool"),
            Expr::Call(callee, args) => {
                let given = self.call(callee, args)?;
                require(given == Some(ty), "a function gives another type")
            }
        }
    }

    fn call(&self, callee: &Callee, args: &[Var]) -> Result<Option<Ty>, String> {
        let (wanted, given) = callee.signature();
        self.all_typed(args, &wanted)?;
        Ok(given)
    }
}

fn takes(binary: Binary, ty: Ty) -> bool {
    match binary {
        Binary::Add | Binary::Sub | Binary::Mul | Binary::Div => computes(ty) && ty != Ty::Bool,
        Binary::MulSaturating => ty == Ty::I64,
        Binary::MulHigh => matches!(ty, Ty::I32 | Ty::I64),
        Binary::And | Binary::Or | Binary::Xor => computes(ty) && !ty.is_float(),
        Binary::Shl | Binary::Sar | Binary::Shr => matches!(ty, Ty::I32 | Ty::I64),
        Binary::ShortDiv | Binary::ShortRest => matches!(ty, Ty::I32 | Ty::I64),
    }
}

/// True if it is the type of a register that holds a number.
fn computes(ty: Ty) -> bool {
    ty != Ty::Ptr && ty.register() == ty
}

fn require(holds: bool, rule: &str) -> Judged {
    if holds { Ok(()) } else { Err(rule.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::super::Build;
    use super::*;

    #[track_caller]
    fn check(make: impl FnOnce(&mut Build), expected: &str) {
        let mut b = Build::new();
        make(&mut b);
        let found = verify(&b.finish("f")).map_or_else(|broken| broken.rule, |()| "fine".to_owned());
        assert_eq!(found, expected);
    }

    #[test]
    fn variables_are_seen_where_they_are_defined() {
        let undefined = |b: &mut Build| {
            let x = b.fresh(Ty::I64);
            b.add(x, x);
        };
        check(undefined, "%0 is not defined before it is used, or not seen from there");
        let leaked = |b: &mut Build| {
            let ten = b.word(10);
            let mut inside = ten;
            b.for_(ten, &[], |b, i, _| {
                inside = b.mul(i, i);
                vec![]
            });
            b.add(inside, ten);
        };
        check(leaked, "%2 is not defined before it is used, or not seen from there");
    }

    #[test]
    fn types_fit() {
        let mixed = |b: &mut Build| {
            let (x, y) = (b.real(Ty::F32, 1.0), b.real(Ty::F64, 1.0));
            b.add(x, y);
        };
        check(mixed, "%1 is f64 where f32 is wanted");
        let carried = |b: &mut Build| {
            let ten = b.word(10);
            b.for_(ten, &[ten], |b, _, _| vec![b.real(Ty::F64, 0.0)]);
        };
        check(carried, "%4 is f64 where i64 is wanted");
        let shifted = |b: &mut Build| {
            let x = b.real(Ty::F64, 0.0);
            b.binary(Binary::Shl, x, x);
        };
        check(shifted, "operands that the function does not take");
    }
}
