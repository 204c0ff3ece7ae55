//! Reductions: axes go away or stay with length 1.

use gw_ir::{Attr, Node, Op, ReduceOp};
use gw_types::DType;

use crate::elementwise::ends;
use crate::items::{Item, Ty};
use crate::lowering::Lowering;
use crate::refused::{Made, Refused};
use crate::writer::numbers;

/// Folds axes with an op of StableHLO.
pub(crate) fn fold(to: &mut Lowering<'_>, node: &Node, x: &Item, name: &str) -> Made<Item> {
    let Attr::Axes { axes, keep } = &node.attr else { return Err(Refused::new("it names no axes")) };
    let start = empty(to, node.op, x.dtype());
    let found = folded(to, x, &start, axes, name);
    let kept = x.lengths().iter().enumerate().map(|(axis, &n)| if axes.contains(&axis) { 1 } else { n });
    Ok(if *keep { to.text.reshape(&found, &kept.collect::<Vec<_>>()) } else { found })
}

/// Notes a failure of the node that is being written, unless all of some truth values are true.
pub(crate) fn require_all(to: &mut Lowering<'_>, ok: &Item) {
    let ok = if ok.lengths().is_empty() { ok.clone() } else { all(to, ok) };
    to.require(&ok);
}

/// True where all elements are.
fn all(to: &mut Lowering<'_>, x: &Item) -> Item {
    let start = to.text.integer(1, Ty::scalar(DType::Bool));
    let axes: Vec<usize> = (0..x.ty.rank()).collect();
    folded(to, x, &start, &axes, "stablehlo.and")
}

/// True if any element is.
pub(crate) fn any(to: &mut Lowering<'_>, x: &Item) -> Item {
    let start = to.text.integer(0, Ty::scalar(DType::Bool));
    let axes: Vec<usize> = (0..x.ty.rank()).collect();
    if axes.is_empty() { x.clone() } else { folded(to, x, &start, &axes, "stablehlo.or") }
}

/// The result of a reduction of nothing.
fn empty(to: &mut Lowering<'_>, op: Op, dtype: DType) -> Item {
    let ty = Ty::scalar(dtype);
    let is_greatest = op == Op::Reduce(ReduceOp::Max);
    if is_greatest || op == Op::Reduce(ReduceOp::Min) {
        if dtype.is_float() {
            return to.text.float(if is_greatest { f64::NEG_INFINITY } else { f64::INFINITY }, ty);
        }
        let (least, greatest) = ends(dtype);
        return to.text.integer(if is_greatest { least } else { greatest }, ty);
    }
    to.text.integer(i64::from(op == Op::Reduce(ReduceOp::Prod) || op == Op::Reduce(ReduceOp::All)), ty)
}

fn folded(to: &mut Lowering<'_>, x: &Item, start: &Item, axes: &[usize], name: &str) -> Item {
    let ty = Ty::new(x.dtype(), without(x.lengths(), axes));
    let attrs = format!("dimensions = {}", numbers(axes));
    let results = to.text.open("stablehlo.reduce", &[x, start], &attrs, &[ty]);
    let sides = [0, 1].map(|_| to.text.item(Ty::scalar(x.dtype())));
    to.text.block(&sides);
    let both = to.text.same(name, &[&sides[0], &sides[1]]);
    to.text.give(&[both]);
    to.text.close(&[x, start], &results);
    results[0].clone()
}

fn without(lengths: &[usize], axes: &[usize]) -> Vec<usize> {
    lengths.iter().enumerate().filter(|(axis, _)| !axes.contains(axis)).map(|(_, &n)| n).collect()
}

/// Position of the first greatest; the first NaN wins.
pub(crate) fn arg_max(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    position(to, node, &args[0], "GT")
}

/// Position of the first least; the first NaN wins.
pub(crate) fn arg_min(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    position(to, node, &args[0], "LT")
}

fn position(to: &mut Lowering<'_>, node: &Node, x: &Item, beats: &str) -> Made<Item> {
    let Attr::Axis(axis) = node.attr else { return Err(Refused::new("it names no axis")) };
    let ty = Ty::new(DType::I64, without(x.lengths(), &[axis]));
    if x.lengths()[axis] == 0 {
        let never = to.text.integer(0, Ty::scalar(DType::Bool));
        to.require(&never);
        return Ok(Item { known: None, ..to.text.integer(0, ty) });
    }
    let places = to.text.iota(axis, x.lengths());
    let start = to.text.integer(0, Ty::scalar(x.dtype()));
    let none = to.text.integer(i64::MAX, Ty::scalar(DType::I64));
    let args = [x, &places, &start, &none];
    let attrs = format!("dimensions = {}", numbers(&[axis]));
    let results = to.text.open("stablehlo.reduce", &args, &attrs, &[ty.with(x.dtype()), ty]);
    let [value, place] = [Ty::scalar(x.dtype()), Ty::scalar(DType::I64)];
    let params = [&value, &place, &value, &place].map(|ty| to.text.item(ty.clone()));
    to.text.block(&params);
    let wins = wins(to, &params, beats);
    let kept = [0, 1].map(|at| to.text.select(&wins, &params[at], &params[at + 2]));
    to.text.give(&kept);
    to.text.close(&args, &results);
    Ok(results[1].clone())
}

/// True if the first of two elements with their places wins. A place that no element has never wins.
fn wins(to: &mut Lowering<'_>, [x, i, y, j]: &[Item; 4], beats: &str) -> Item {
    let none = to.text.integer(i64::MAX, i.ty.clone());
    let is_better = to.text.compare(beats, x, y);
    let [x_nan, y_nan] = [x, y].map(|side| to.text.compare("NE", side, side));
    let is_equal = to.text.compare("EQ", x, y);
    let both_nan = to.text.same("stablehlo.and", &[&x_nan, &y_nan]);
    let is_tied = to.text.same("stablehlo.or", &[&is_equal, &both_nan]);
    let is_first = to.text.compare("LT", i, j);
    let by_place = to.text.same("stablehlo.and", &[&is_tied, &is_first]);
    let not_nan = to.text.same("stablehlo.not", &[&y_nan]);
    let as_nan = to.text.same("stablehlo.and", &[&x_nan, &not_nan]);
    let by_value = to.text.same("stablehlo.or", &[&is_better, &as_nan]);
    let wins = to.text.same("stablehlo.or", &[&by_value, &by_place]);
    let [x_none, y_none] = [i, j].map(|side| to.text.compare("EQ", side, &none));
    let no = to.text.integer(0, wins.ty.clone());
    let yes = to.text.integer(1, wins.ty.clone());
    let wins = to.text.select(&y_none, &yes, &wins);
    to.text.select(&x_none, &no, &wins)
}
