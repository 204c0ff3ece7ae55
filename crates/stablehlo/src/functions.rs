//! Functions of the graph as functions of the module, one for each row of argument types.

use gw_ir::FunctionId;

use crate::items::Ty;

/// The functions written so far.
#[derive(Debug, Default)]
pub(crate) struct Functions {
    pub made: Vec<Function>,
}

/// One of them: what it takes, whether the status goes through it, what it is called, gives and says.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    pub id: FunctionId,
    pub takes: Vec<Ty>,
    pub threads: bool,
    pub name: String,
    pub gives: Vec<Ty>,
    pub text: String,
}

impl Functions {
    /// Their texts, in the order in which they were written.
    pub fn texts(&self) -> Vec<String> {
        self.made.iter().map(|function| function.text.clone()).collect()
    }

    /// The function of these types, if it is written.
    pub fn find(&self, id: FunctionId, takes: &[Ty], threads: bool) -> Option<Function> {
        let same = |made: &&Function| made.id == id && made.takes == takes && made.threads == threads;
        self.made.iter().find(same).cloned()
    }
}
