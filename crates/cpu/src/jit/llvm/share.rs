//! Loops that several threads may share, as in the first tier.

use std::mem::offset_of;

use gw_base::Id;
use gw_runtime::Loop;

use super::text::{Likely, Text, int};
use crate::loops::{Callee, Share, Ty};

impl Text<'_> {
    /// Defines the parameters of a piece: the first three come in registers, what it is given in memory.
    pub(super) fn take_run(&mut self) {
        let func = self.func;
        for (at, &param) in func.params.iter().enumerate() {
            let value = match at.checked_sub(3) {
                None => ["%first", "%count", "%own"][at].to_owned(),
                Some(word) => {
                    let from = self.give(&format!("getelementptr i8, ptr %given, i64 {}", 8 * word));
                    self.load(self.ty(param), &from)
                }
            };
            self.set(param, value);
        }
    }

    pub(super) fn share(&mut self, share: &Share) {
        if share.body.is_empty() {
            return self.in_runs(share);
        }
        let [runs, one, after] = [(); 3].map(|()| self.label());
        let work = self.value(share.cut.work);
        let enough = self.give(&format!("icmp sge i64 {work}, {}", share.cut.enough()));
        self.branch(&enough, &runs, &one, Likely::Either);
        self.enter(runs);
        self.in_runs(share);
        self.jump(&after);
        self.enter(one);
        self.in_one_run(share);
        self.jump(&after);
        self.enter(after);
    }

    fn in_one_run(&mut self, share: &Share) {
        self.set(share.first, "0".to_owned());
        self.known[share.first.index()] = Some(0);
        self.set(share.count, self.value(share.stop));
        self.known[share.count.index()] = self.known[share.stop.index()];
        if let Some(own) = share.own {
            self.set(own.start, self.value(own.here));
        }
        self.stmts(&share.body);
    }

    /// Has the runtime cut the loop into runs.
    fn in_runs(&mut self, share: &Share) {
        let told = self.fresh();
        let words = size_of::<Loop>() + 8 * share.cut.given.len();
        self.stack.push(format!("  {told} = alloca [{words} x i8], align 8"));
        let own = share.own.map_or_else(|| "null".to_owned(), |own| self.value(own.here));
        let size = share.own.map_or(0, |own| own.size as i64);
        let fields = [
            (offset_of!(Loop, run), Ty::Ptr, format!("@piece{}", share.cut.piece)),
            (offset_of!(Loop, own), Ty::Ptr, own),
            (offset_of!(Loop, own_size), Ty::I64, int(Ty::I64, size)),
            (offset_of!(Loop, stop), Ty::I64, self.value(share.stop)),
            (offset_of!(Loop, work), Ty::I64, self.value(share.cut.work)),
            (offset_of!(Loop, least), Ty::I64, int(Ty::I64, share.cut.least)),
            (offset_of!(Loop, fewest), Ty::I64, self.value(share.cut.fewest)),
        ];
        let given = share
            .cut
            .given
            .iter()
            .enumerate()
            .map(|(at, &var)| (size_of::<Loop>() + 8 * at, self.ty(var), self.value(var)));
        for (offset, ty, value) in fields.into_iter().chain(given.collect::<Vec<_>>()) {
            let to = self.give(&format!("getelementptr i8, ptr {told}, i64 {offset}"));
            self.store(ty, &value, &to);
        }
        let address = (self.links.callee)(&Callee::Share);
        self.line(format!("call void inttoptr (i64 {address} to ptr)(ptr %context, ptr {told}) #1"));
    }
}
