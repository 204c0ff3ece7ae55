//! The text under construction: one op per line, in MLIR's generic form.

use gw_types::{DType, Kind};

use crate::constant;
use crate::items::{Item, Ty, names, types};

/// The lines so far, and how many names are taken.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub lines: String,
    pub depth: usize,
    next: usize,
}

impl Writer {
    /// A line at the depth of the open region.
    pub fn line(&mut self, text: &str) {
        self.lines.extend(std::iter::repeat_n("  ", self.depth));
        self.lines.push_str(text);
        self.lines.push('\n');
    }

    /// A new name.
    pub fn name(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next - 1)
    }

    /// A new item of this type, which a region's head defines.
    pub fn item(&mut self, ty: Ty) -> Item {
        Item::new(self.name(), ty)
    }

    /// An op with one result; `attrs` are `name = value`, between commas.
    pub fn op(&mut self, name: &str, args: &[&Item], attrs: &str, ty: Ty) -> Item {
        let out = self.item(ty);
        let takes = types(args.iter().copied());
        let attrs = if attrs.is_empty() { String::new() } else { format!(" <{{{attrs}}}>") };
        let operands = names(args.iter().copied());
        self.line(&format!("{} = \"{name}\"({operands}){attrs} : {takes} -> {}", out.name, out.ty));
        out
    }

    /// The same with regions, which are to be written next: [`Writer::block`], lines, [`Writer::give`] for each, then
    /// [`Writer::close`].
    pub fn open(&mut self, name: &str, args: &[&Item], attrs: &str, results: &[Ty]) -> Vec<Item> {
        let base = self.name();
        let out: Vec<Item> = match results {
            [ty] => vec![Item::new(base.clone(), ty.clone())],
            _ => results
                .iter()
                .enumerate()
                .map(|(at, ty)| Item::new(format!("{base}#{at}"), ty.clone()))
                .collect(),
        };
        let head = match results.len() {
            0 => String::new(),
            1 => format!("{base} = "),
            count => format!("{base}:{count} = "),
        };
        let attrs = if attrs.is_empty() { String::new() } else { format!(" <{{{attrs}}}>") };
        self.line(&format!("{head}\"{name}\"({}){attrs} ({{", names(args.iter().copied())));
        self.depth += 1;
        out
    }

    /// The parameters of the region that is open.
    pub fn block(&mut self, params: &[Item]) {
        let params: Vec<String> = params.iter().map(|item| format!("{}: {}", item.name, item.ty)).collect();
        self.depth -= 1;
        self.line(&format!("^bb0({}):", params.join(", ")));
        self.depth += 1;
    }

    /// The results of the region that is open.
    pub fn give(&mut self, items: &[Item]) {
        self.line(&format!("\"stablehlo.return\"({}) : {} -> ()", names(items), types(items)));
    }

    /// The next region of the same op.
    pub fn next_region(&mut self) {
        self.depth -= 1;
        self.line("}, {");
        self.depth += 1;
    }

    /// The end of an op with regions.
    pub fn close(&mut self, args: &[&Item], results: &[Item]) {
        self.depth -= 1;
        let results = if let [result] = results { result.ty.to_string() } else { types(results) };
        self.line(&format!("}}) : {} -> {results}", types(args.iter().copied())));
    }

    /// A tensor of one value.
    pub fn splat(&mut self, text: &str, ty: Ty) -> Item {
        let out = self.item(ty);
        self.line(&format!("{} = stablehlo.constant dense<{text}> : {}", out.name, out.ty));
        out
    }

    /// A tensor of one integer, or of one truth value.
    pub fn integer(&mut self, value: i64, ty: Ty) -> Item {
        let known = ty.lengths.is_empty().then_some(value);
        let text = match ty.dtype.kind() {
            Kind::Bool => (value != 0).to_string(),
            Kind::Int => value.to_string(),
            Kind::Float | Kind::Complex | Kind::Text => constant::float(ty.dtype, value as f64),
        };
        let known = known.filter(|_| !ty.dtype.is_float());
        Item { known, ..self.splat(&text, ty) }
    }

    /// A tensor of one float.
    pub fn float(&mut self, value: f64, ty: Ty) -> Item {
        let text = constant::float(ty.dtype, value);
        self.splat(&text, ty)
    }

    /// An item of the same type as its operands.
    pub fn same(&mut self, name: &str, args: &[&Item]) -> Item {
        self.op(name, args, "", args[0].ty.clone())
    }

    /// Elements in another type, as StableHLO converts them.
    pub fn convert(&mut self, x: &Item, dtype: DType) -> Item {
        if x.dtype() == dtype {
            return x.clone();
        }
        Item { known: None, ..self.op("stablehlo.convert", &[x], "", x.ty.with(dtype)) }
    }

    /// The same elements in other axes.
    pub fn reshape(&mut self, x: &Item, lengths: &[usize]) -> Item {
        if x.lengths() == lengths {
            return x.clone();
        }
        self.op("stablehlo.reshape", &[x], "", Ty::new(x.dtype(), lengths.to_vec()))
    }

    /// A comparison of equal shapes: `LT`, `EQ`, …
    pub fn compare(&mut self, direction: &str, x: &Item, y: &Item) -> Item {
        let kind = match x.dtype().kind() {
            Kind::Int if !x.dtype().is_unsigned() => "SIGNED",
            Kind::Bool | Kind::Int => "UNSIGNED",
            Kind::Float | Kind::Complex | Kind::Text => "FLOAT",
        };
        let attrs = format!(
            "comparison_direction = #stablehlo<comparison_direction {direction}>, compare_type = \
             #stablehlo<comparison_type {kind}>"
        );
        self.op("stablehlo.compare", &[x, y], &attrs, x.ty.with(DType::Bool))
    }

    /// `x` where the truth values are true, `y` where not.
    pub fn select(&mut self, test: &Item, x: &Item, y: &Item) -> Item {
        self.op("stablehlo.select", &[test, x, y], "", x.ty.clone())
    }

    /// A value repeated to these lengths, aligned at the last axis.
    pub fn stretch(&mut self, x: &Item, lengths: &[usize]) -> Item {
        let added = lengths.len() - x.ty.rank();
        let axes: Vec<usize> = (added..lengths.len()).collect();
        self.spread(x, &axes, lengths)
    }

    /// A value whose axes become these of a shape, and are repeated along the others.
    pub fn spread(&mut self, x: &Item, axes: &[usize], lengths: &[usize]) -> Item {
        if x.lengths() == lengths {
            return x.clone();
        }
        let attrs = format!("broadcast_dimensions = {}", numbers(axes));
        self.op("stablehlo.broadcast_in_dim", &[x], &attrs, Ty::new(x.dtype(), lengths.to_vec()))
    }

    /// The positions along one axis, as i64.
    pub fn iota(&mut self, axis: usize, lengths: &[usize]) -> Item {
        let attrs = format!("iota_dimension = {axis} : i64");
        self.op("stablehlo.iota", &[], &attrs, Ty::new(DType::I64, lengths.to_vec()))
    }
}

/// Numbers as an attribute.
pub(crate) fn numbers<N: ToString>(numbers: &[N]) -> String {
    let texts: Vec<String> = numbers.iter().map(N::to_string).collect();
    if texts.is_empty() { "array<i64>".to_owned() } else { format!("array<i64: {}>", texts.join(", ")) }
}
