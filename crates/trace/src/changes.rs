//! Diagnostics of loops that change a variable in a way that the graph cannot hold.

use gw_base::{Code, Diagnostic};

use crate::carried::Loop;
use crate::join::{Clash, LeafType, describe};
use crate::roles::Role;
use crate::{Host, Lack, Part, Seen, Slot};

impl<H: Host> Loop<'_, H> {
    pub fn type_changes(&self, at: usize, clash: Clash, carry: &LeafType, found: &LeafType) -> H::Error {
        self.changes_rank.set(clash == Clash::Rank);
        let [a, b] = [carry, found].map(|t| describe(&t.ty, t.weak));
        let slot = Slot::at(self.slots, at);
        let message = format!("{slot} is {a} before the loop and {b} after an iteration");
        let help = match clash {
            Clash::DType => "start the loop with the dtype that the body computes, e.g. with `gw.cast`",
            Clash::Rounds => Clash::ROUNDS,
            Clash::Rank => "start the loop with the shape that the body computes, e.g. with `gw.zeros`",
        };
        self.place(at, [&a, &b], Diagnostic::new(Code::LoopChangesType, message).help(help)).into()
    }

    pub fn object_changes(&self, at: usize, before: &H::Value, after: &H::Value) -> H::Error {
        self.changes(at, before, after).into()
    }

    pub fn changes(&self, at: usize, before: &H::Value, after: &H::Value) -> Diagnostic {
        let [a, b] = [before, after].map(|v| self.host.word(v));
        let slot = Slot::at(self.slots, at);
        let message = format!("{slot} is {a} before the loop and {b} after an iteration");
        let help = "the loop runs in the graph, so what it changes must be tensors or numbers of one structure; \
                    start with a tensor, or loop over a Python value";
        self.place(at, [&a, &b], Diagnostic::new(Code::LoopChangesObject, message).help(help))
    }

    /// Refuses a variable that an iteration gives a value only while it has none: the carry has a value in each iteration,
    /// and a body that asks the host, as `key not in d` does, finds it there.
    pub fn check_presence(&self) -> Result<(), H::Error> {
        for (at, variable) in self.variables.iter().enumerate() {
            for leaf in &variable.leaves {
                let appeared = matches!(leaf.role, Role::Optional(_, Lack::Unbound));
                if appeared
                    && leaf.unchanged
                    && Slot::at(self.slots, at).is_users()
                    && self.host.see(&leaf.before)? == Seen::Unbound
                {
                    let message = format!(
                        "{} has a value after some iterations only, and the loop asks whether it has one",
                        Slot::at(self.slots, at)
                    );
                    let found = Diagnostic::new(Code::LoopChangesObject, message);
                    return Err(self.at_loop(found.help("give it a value before the loop")).into());
                }
            }
        }
        Ok(())
    }

    /// Refuses a loop of which a later iteration raises whatever the graph decides, where nobody knows how many there are.
    pub fn raises_late(&self) -> H::Error {
        let message = "an iteration of this loop raises, and those before it do not";
        let help =
            "let a tensor decide whether it raises, or write the iterations that do not before the loop";
        self.at_loop(Diagnostic::new(Code::LoopChangesObject, message).help(help)).into()
    }

    pub fn at_loop(&self, diagnostic: Diagnostic) -> Diagnostic {
        match self.host.place() {
            Some(place) => diagnostic.at(place, "this loop is in the graph"),
            None => diagnostic,
        }
    }

    /// Shows the loop, and where the variable gets its value before it and in it.
    fn place(&self, at: usize, [before, after]: [&str; 2], diagnostic: Diagnostic) -> Diagnostic {
        let mut out = self.at_loop(diagnostic);
        let Some(slot) = self.slots.get(at) else { return out };
        if let Some(at) = self.host.assigned(slot, Part::Before) {
            out = out.at(at, format!("{before} before the loop"));
        }
        if let Some(at) = self.host.assigned(slot, Part::Block(0)) {
            out = out.at(at, format!("{after} after an iteration"));
        }
        out
    }
}
