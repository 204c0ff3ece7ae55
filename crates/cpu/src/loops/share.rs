//! Loops that several threads may work off: what they say in the IR, and how each becomes a function of its own.
//!
//! A *run* is some neighbouring counts of such a loop, a *piece* the function that works one off. A loop that is worth it is
//! cut into as many runs as the runtime likes, which makes no difference to any result: no count reads what another writes.

use rustc_hash::FxHashMap;

use gw_base::Table;

use super::{Arm, Block, Carry, Expr, Func, Stmt, Ty, Var};

/// Counts from 0 to `stop`, worked off in one run or in several, in any order and at the same time.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    /// One past the last count.
    pub stop: Var,
    /// The first count of a run, in the body.
    pub first: Var,
    /// The number of counts of a run, in the body.
    pub count: Var,
    /// Memory that each run has for itself.
    pub own: Option<Own>,
    /// Works a run off; empty if there are always several.
    pub body: Block,
    /// Conditions under which there are several runs.
    pub cut: Cut,
}

/// Memory that each run of a loop has for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Own {
    /// Address in the body.
    pub start: Var,
    /// Address for a run of the thread that comes to the loop.
    pub here: Var,
    /// Bytes.
    pub size: usize,
}

/// Conditions under which a loop is cut into several runs, and the function that executes them.
#[derive(Debug, Clone, PartialEq)]
pub struct Cut {
    /// The amount of work in all.
    pub work: Var,
    /// Each run has at least so much of it.
    pub least: i64,
    /// Each run has at least so many counts.
    pub fewest: Var,
    /// Index of the piece.
    pub piece: usize,
    /// Arguments of the piece behind the first count, their number, and the memory of its own: the values
    /// that it reads of the loop's surroundings.
    pub given: Vec<Var>,
}

impl Cut {
    /// From so much work on there are several runs.
    pub fn enough(&self) -> i64 {
        self.least.saturating_mul(2)
    }
}

/// Makes the pieces of a function's shared loops, behind those that there are.
pub(crate) fn outline(func: &mut Func, pieces: &mut Vec<Func>) {
    let mut body = std::mem::take(&mut func.body);
    let mut outline = Outline { func, pieces, constants: FxHashMap::default() };
    outline.block(&mut body);
    func.body = body;
}

struct Outline<'a> {
    func: &'a Func,
    pieces: &'a mut Vec<Func>,
    /// The definitions that cost nothing to repeat.
    constants: FxHashMap<Var, Expr>,
}

impl Outline<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in block {
            if let Stmt::Let(var, expr) = stmt {
                if self.costs_nothing(expr) {
                    self.constants.insert(*var, expr.clone());
                }
            } else if let Stmt::Share(share) = stmt {
                self.share(share);
            } else {
                stmt.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            }
        }
    }

    /// True if a piece may as well compute an expression again, an address at a constant distance from another among them: which
    /// elements lie beside each other is then known there.
    fn costs_nothing(&self, expr: &Expr) -> bool {
        if let Expr::Offset(_, index, _) = expr {
            return matches!(self.constants.get(index), Some(Expr::Int(_)));
        }
        matches!(expr, Expr::Int(_) | Expr::Real(_) | Expr::Literal(_) | Expr::Field(_))
    }

    fn share(&mut self, share: &mut Share) {
        let mut copy = Copy {
            from: &self.func.vars,
            vars: Table::new(),
            names: FxHashMap::default(),
            constants: &self.constants,
            made: Vec::new(),
            given: Vec::new(),
        };
        let mut params = vec![copy.define(share.first), copy.define(share.count)];
        params.push(match share.own {
            Some(own) => copy.define(own.start),
            None => copy.vars.push(Ty::Ptr),
        });
        let body = copy.block(&share.body);
        params.extend(copy.given.iter().map(|(_, inside)| *inside));
        let given = copy.given.iter().map(|(outside, _)| *outside).collect();
        let body = copy.made.into_iter().chain(body).collect();
        let name = format!("{} piece {}", self.func.name, self.pieces.len());
        (share.cut.piece, share.cut.given) = (self.pieces.len(), given);
        if self.always(share) {
            share.body.clear();
        }
        self.pieces.push(Func { name, params, results: Vec::new(), vars: copy.vars, body });
    }

    /// True if a loop is known to have enough work for several runs.
    fn always(&self, share: &Share) -> bool {
        match self.constants.get(&share.cut.work) {
            Some(Expr::Int(work)) => *work >= share.cut.enough(),
            Some(_) | None => false,
        }
    }
}

/// A block as another function has it.
struct Copy<'a> {
    from: &'a Table<Var, Ty>,
    vars: Table<Var, Ty>,
    names: FxHashMap<Var, Var>,
    constants: &'a FxHashMap<Var, Expr>,
    /// Constants that are made again.
    made: Block,
    /// The arguments of the function, outside and inside.
    given: Vec<(Var, Var)>,
}

impl Copy<'_> {
    /// A variable that the block defines.
    fn define(&mut self, var: Var) -> Var {
        let inside = self.vars.push(self.from[var]);
        self.names.insert(var, inside);
        inside
    }

    /// A variable that the block reads.
    fn read(&mut self, var: Var) -> Var {
        if let Some(&inside) = self.names.get(&var) {
            return inside;
        }
        let made = self.constants.get(&var).map(|expr| expr.map(|operand| self.read(operand)));
        let inside = self.define(var);
        match made {
            Some(expr) => self.made.push(Stmt::Let(inside, expr)),
            None => self.given.push((var, inside)),
        }
        inside
    }

    fn all(&mut self, vars: &[Var]) -> Vec<Var> {
        vars.iter().map(|&var| self.read(var)).collect()
    }

    fn block(&mut self, block: &[Stmt]) -> Block {
        block.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn arm(&mut self, arm: &Arm) -> Arm {
        let block = self.block(&arm.block);
        Arm { block, results: self.all(&arm.results) }
    }

    fn carries(&mut self, carries: &[Carry]) -> Vec<Carry> {
        let carry = |carry: &Carry| Carry {
            init: self.read(carry.init),
            param: self.define(carry.param),
            out: self.define(carry.out),
        };
        carries.iter().map(carry).collect()
    }

    fn stmt(&mut self, stmt: &Stmt) -> Stmt {
        match stmt {
            Stmt::Let(var, expr) => {
                let expr = expr.map(|var| self.read(var));
                Stmt::Let(self.define(*var), expr)
            }
            Stmt::Store { ptr, index, value } => {
                let [ptr, index, value] = [ptr, index, value].map(|var| self.read(*var));
                Stmt::Store { ptr, index, value }
            }
            Stmt::Do(callee, args) => Stmt::Do(*callee, self.all(args)),
            Stmt::If { test, cold, then, otherwise, outs } => Stmt::If {
                test: self.read(*test),
                cold: *cold,
                then: self.arm(then),
                otherwise: self.arm(otherwise),
                outs: outs.iter().map(|&out| self.define(out)).collect(),
            },
            Stmt::For { iv, stop, carries, body } => {
                let (stop, carries) = (self.read(*stop), self.carries(carries));
                Stmt::For { iv: self.define(*iv), stop, carries, body: self.arm(body) }
            }
            Stmt::Reduce { how, iv, stop, init, body, out } => {
                let [stop, init] = [stop, init].map(|var| self.read(*var));
                let (iv, body) = (self.define(*iv), self.arm(body));
                Stmt::Reduce { how: *how, iv, stop, init, body, out: self.define(*out) }
            }
            // Nothing else is in a shared loop, as `is_apart` says.
            Stmt::Invoke { .. }
            | Stmt::Guard { .. }
            | Stmt::Try { .. }
            | Stmt::Leave { .. }
            | Stmt::While { .. }
            | Stmt::Share(_)
            | Stmt::Mark(_) => stmt.clone(),
        }
    }
}

/// True if a block does nothing but compute and store, so that it may run on any thread: it cannot fail, asks nothing of
/// the runtime and does not loop for ever.
pub(crate) fn is_apart(block: &[Stmt]) -> bool {
    let kernel = |callee: &super::Callee| matches!(callee, super::Callee::Kernel(_));
    block.iter().all(|stmt| match stmt {
        Stmt::Let(_, Expr::Call(callee, _)) | Stmt::Do(callee, _) => kernel(callee),
        Stmt::Let(_, expr) => *expr != Expr::Room,
        Stmt::Store { .. } => true,
        Stmt::If { then, otherwise, .. } => is_apart(&then.block) && is_apart(&otherwise.block),
        Stmt::For { body, .. } | Stmt::Reduce { body, .. } => is_apart(&body.block),
        Stmt::Invoke { .. } | Stmt::Guard { .. } | Stmt::Try { .. } | Stmt::Leave { .. } => false,
        Stmt::While { .. } | Stmt::Share(_) | Stmt::Mark(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Build, Field, verify};
    use super::*;
    use expect_test::expect;

    #[test]
    fn what_a_run_reads_around_it_is_given() {
        let mut b = Build::new();
        let (outs, zero, least) = (b.field(Field::Outs), b.word(0), b.word(1));
        let stop = b.load(Ty::I64, outs, zero);
        let (first, count) = (b.fresh(Ty::I64), b.fresh(Ty::I64));
        b.open();
        b.for_(count, &[], |b, i, _| {
            let at = b.add(first, i);
            let sum = b.add(at, stop);
            b.store(outs, at, sum);
            Vec::new()
        });
        let body = b.close(Vec::new()).block;
        assert!(is_apart(&body));
        let cut = Cut { work: stop, least: 100, fewest: least, piece: 0, given: Vec::new() };
        b.push(Stmt::Share(Share { stop, first, count, own: None, body, cut }));
        let (mut func, mut pieces) = (b.finish("f"), Vec::new());
        outline(&mut func, &mut pieces);
        assert_eq!((verify(&func), verify(&pieces[0])), (Ok(()), Ok(())));
        expect![[r#"
            func f
              %0: ptr = outs
              %1: i64 = 0
              %2: i64 = 1
              %3: i64 = load %0[%1]
              share %3, runs %5 from %4, piece 0 (%3) if %3 >= 200
                for %6 < %5
                  %7: i64 = add %4, %6
                  %8: i64 = add %7, %3
                  store %0[%7] = %8
            func f piece 0(%0, %1, %2, %5)
              %7: ptr = outs
              for %3 < %1
                %4: i64 = add %0, %3
                %6: i64 = add %4, %5
                store %7[%4] = %6
        "#]]
        .assert_eq(&format!("{func}{}", pieces[0]));
    }
}
