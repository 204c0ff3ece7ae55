//! Calls of functions of the graph.

use gw_ir::FunctionId;

use crate::functions::Function;
use crate::items::{Item, Ty, names, types};
use crate::lowering::Lowering;
use crate::may_fail;
use crate::refused::{Made, Refused};

/// `call`
pub(crate) fn call(to: &mut Lowering<'_>, args: &[Item], id: FunctionId) -> Made<Vec<Item>> {
    if to.running.contains(&id) {
        return Err(Refused::new("a function of StableHLO cannot call itself"));
    }
    let takes: Vec<Ty> = args.iter().map(|item| item.ty.clone()).collect();
    let threads = to.status.is_some() || may_fail::fails(to.graph, to.graph.functions[id].body);
    let function = match to.functions.find(id, &takes, threads) {
        Some(function) => function,
        None => written(to, id, takes, threads)?,
    };
    let mut args = args.to_vec();
    if threads {
        args.push(to.status());
    }
    let mut results = outcome(to, &function, &args);
    if threads {
        to.status = results.pop();
    }
    Ok(results)
}

fn written(to: &mut Lowering<'_>, id: FunctionId, takes: Vec<Ty>, threads: bool) -> Made<Function> {
    let own = &to.graph.functions[id];
    let letters = own.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    let name = format!("@f{}_{}", to.functions.made.len(), letters.collect::<String>());
    to.running.push(id);
    let written = to.function(&format!("private {name}"), own.body, takes.clone(), threads);
    to.running.pop();
    let (text, gives) = written?;
    let function = Function { id, takes, threads, name, gives, text };
    to.functions.made.push(function.clone());
    Ok(function)
}

fn outcome(to: &mut Lowering<'_>, function: &Function, args: &[Item]) -> Vec<Item> {
    let base = to.text.name();
    let count = function.gives.len();
    let results: Vec<Item> = match &function.gives[..] {
        [ty] => vec![Item::new(base.clone(), ty.clone())],
        gives => {
            gives.iter().enumerate().map(|(at, ty)| Item::new(format!("{base}#{at}"), ty.clone())).collect()
        }
    };
    let head = match count {
        0 => String::new(),
        1 => format!("{base} = "),
        _ => format!("{base}:{count} = "),
    };
    let line = format!(
        "{head}func.call {}({}) : {} -> {}",
        function.name,
        names(args),
        types(args),
        types(&results)
    );
    to.text.line(&line);
    results
}
