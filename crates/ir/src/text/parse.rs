//! Text as a graph.

use rustc_hash::{FxHashMap, FxHashSet};

use gw_base::Table;
use gw_types::{Dim, DimVar, Shape, TensorType};

use super::error::ParseError;
use super::lexer::{Lexer, Token};
use super::names::users_name;
use super::reads::Reads;
use super::{attrs, literal};
use crate::{
    Attr, Function, FunctionId, Graph, Literal, Node, Op, Region, RegionId, Value, ValueDef, ValueId, verify,
};

/// Reads one function, and those that it calls, which follow it; the graph is legal.
///
/// # Errors
/// If the text is not one, or the graph would not be legal (said of the last line).
pub fn parse(text: &str) -> Result<Graph, ParseError> {
    let mut parser = Parser::new(text)?;
    parser.module()?;
    let last = text.lines().count();
    let illegal = |broken: gw_base::Broken| ParseError { line: last, message: broken.rule };
    verify(&parser.graph, "text").map_err(illegal)?;
    Ok(parser.graph.compact())
}

/// Reads one op on literals: `add [1.0, 2.0]:f32, 3.0:f32`. Whether they fit the op is not judged.
///
/// # Errors
/// If the text is not one, or the op has regions.
pub fn parse_call(text: &str) -> Result<(Op, Attr, Vec<Literal>), ParseError> {
    let mut lexer = Lexer::new(text)?;
    let op = lexer.op()?;
    if matches!(op, Op::Cond | Op::While | Op::Call | Op::Try) {
        return Err(lexer.error("regions stand in a `func`"));
    }
    let mut operands = Vec::new();
    if literal::comes(&lexer) {
        operands.push(literal::read(&mut lexer)?);
        while lexer.eat(',')? {
            operands.push(literal::read(&mut lexer)?);
        }
    }
    let attr = match (op, operands.pop()) {
        (Op::Const, Some(literal)) => Attr::Literal(literal),
        (_, last) => {
            operands.extend(last);
            attrs::read(&mut lexer, op)?
        }
    };
    lexer.end()?;
    Ok((op, attr, operands))
}

/// Variables from here on are those written as a bare `?`.
const FIRST_BARE: u32 = 1 << 20;

/// Regions are read by recursion.
const DEEPEST: usize = 256;

/// `%carry: type = %init`
type Carry<'a> = (&'a str, Option<TensorType>, ValueId);

struct Parser<'a> {
    lexer: Lexer<'a>,
    graph: Graph,
    values: FxHashMap<&'a str, ValueId>,
    /// The functions that were read, besides the first.
    said: FxHashSet<FunctionId>,
    depth: usize,
}

impl<'a> Reads<'a> for Parser<'a> {
    fn lexer(&mut self) -> &mut Lexer<'a> {
        &mut self.lexer
    }
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Result<Self, ParseError> {
        let mut regions = Table::new();
        let body = regions.push(Region::default());
        let graph = Graph {
            name: String::new(),
            body,
            functions: Table::new(),
            nodes: Table::new(),
            values: Table::new(),
            regions,
            places: Table::new(),
            dim_vars: FIRST_BARE,
        };
        Ok(Self {
            lexer: Lexer::new(text)?,
            graph,
            values: FxHashMap::default(),
            said: FxHashSet::default(),
            depth: 0,
        })
    }

    fn module(&mut self) -> Result<(), ParseError> {
        self.keyword("func")?;
        self.graph.name = self.function_name()?;
        self.function(self.graph.body, None)?;
        while *self.lexer.peek() == Token::Word("func") {
            self.lexer.take()?;
            self.values.clear();
            let name = self.function_name()?;
            let function = self.named(name);
            if !self.said.insert(function) {
                return Err(self.lexer.error("two functions have this name"));
            }
            self.function(self.graph.functions[function].body, Some(function))?;
        }
        let unsaid = self.graph.functions.iter().find(|(id, _)| !self.said.contains(id));
        if let Some((_, function)) = unsaid {
            return Err(self.lexer.error(format!("`@{}` is called, but not there", function.name)));
        }
        self.lexer.end()
    }

    fn function_name(&mut self) -> Result<String, ParseError> {
        if let Token::At(name) = *self.lexer.peek() {
            self.lexer.take()?;
            return Ok(name.to_owned());
        }
        self.sign('@')?;
        self.quoted()
    }

    /// The function of this name, which may follow later.
    fn named(&mut self, name: String) -> FunctionId {
        let known = self.graph.functions.iter().find(|(_, function)| function.name == name);
        known.map(|(id, _)| id).unwrap_or_else(|| {
            let body = self.graph.regions.push(Region::default());
            self.graph.functions.push(Function { name, body, back: None })
        })
    }

    /// Parses everything that follows a function's name.
    fn function(&mut self, body: RegionId, called: Option<FunctionId>) -> Result<(), ParseError> {
        self.params(body)?;
        self.sign('>')?;
        let types = self.types()?;
        if let Some(function) = called
            && *self.lexer.peek() == Token::Word("back")
        {
            self.lexer.take()?;
            let back = self.function_name()?;
            self.graph.functions[function].back = Some(self.named(back));
        }
        self.sign('{')?;
        self.region(body, "return")?;
        let results = &self.graph.regions[body].results;
        let fits = self.graph.types(results) == types;
        if fits {
            Ok(())
        } else {
            Err(self.lexer.error("the results have other types than the function says"))
        }
    }

    /// `(%x: f32[], …)`
    fn params(&mut self, region: RegionId) -> Result<(), ParseError> {
        self.sign('(')?;
        self.list(')', |p| {
            let name = p.value_name()?;
            p.sign(':')?;
            let ty = p.ty()?;
            p.param(region, name, ty);
            Ok(())
        })?;
        Ok(())
    }

    fn param(&mut self, region: RegionId, name: &'a str, ty: TensorType) {
        let at = self.graph.regions[region].params.len();
        let value = self.define(name, ty, ValueDef::Param(region, at));
        self.graph.regions[region].params.push(value);
    }

    fn define(&mut self, name: &'a str, ty: TensorType, def: ValueDef) -> ValueId {
        let value = self.graph.values.push(Value { ty, def, name: users_name(name).map(str::to_owned) });
        self.values.insert(name, value);
        value
    }

    /// Statements, `give` with the results, and `}`.
    fn region(&mut self, id: RegionId, give: &str) -> Result<(), ParseError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.lexer.error("regions are nested too deep"));
        }
        while *self.lexer.peek() != Token::Word(give) {
            self.statement(id)?;
        }
        self.lexer.take()?;
        self.depth -= 1;
        if *self.lexer.peek() != Token::Sign('}') {
            self.graph.regions[id].results = self.operands()?;
        }
        self.sign('}')
    }

    fn statement(&mut self, region: RegionId) -> Result<(), ParseError> {
        let mut names = Vec::new();
        if matches!(self.lexer.peek(), Token::Value(_)) {
            names.push(self.value_name()?);
            while self.eat(',')? {
                names.push(self.value_name()?);
            }
            self.sign('=')?;
        }
        let op = self.op()?;
        let (node, types) = if op == Op::Cond {
            self.cond()?
        } else if op == Op::While {
            self.while_()?
        } else if op == Op::Try {
            self.try_()?
        } else if op == Op::Const {
            self.constant()?
        } else {
            let node = self.plain(op)?;
            (node, if names.is_empty() { Vec::new() } else { self.result_types()? })
        };
        self.push(region, node, &names, types)
    }

    /// `: f32[], …`
    fn result_types(&mut self) -> Result<Vec<TensorType>, ParseError> {
        self.sign(':')?;
        let mut types = vec![self.ty()?];
        while self.eat(',')? {
            types.push(self.ty()?);
        }
        Ok(types)
    }

    fn push(
        &mut self,
        region: RegionId,
        mut node: Node,
        names: &[&'a str],
        types: Vec<TensorType>,
    ) -> Result<(), ParseError> {
        if names.len() != types.len() {
            return Err(self.lexer.error(format!("{} results have {} types", names.len(), types.len())));
        }
        let id = self.graph.nodes.next_id();
        let defined = names.iter().zip(types).enumerate();
        node.results =
            defined.map(|(at, (name, ty))| self.define(name, ty, ValueDef::Result(id, at))).collect();
        self.graph.nodes.push(node);
        self.graph.places.push(None);
        self.graph.regions[region].nodes.push(id);
        Ok(())
    }

    fn plain(&mut self, op: Op) -> Result<Node, ParseError> {
        let function = if op == Op::Call { Some(self.function_name()?) } else { None };
        let some = matches!(self.lexer.peek(), Token::Value(_));
        let args = if some { self.operands()? } else { Vec::new() };
        let attr = match function {
            Some(name) => Attr::Function(self.named(name)),
            None => attrs::read(&mut self.lexer, op)?,
        };
        Ok(Node { op, attr, args, regions: Vec::new(), results: Vec::new() })
    }

    fn constant(&mut self) -> Result<(Node, Vec<TensorType>), ParseError> {
        let literal = literal::read(&mut self.lexer)?;
        let types = vec![literal.tensor_type()];
        let attr = Attr::Literal(literal);
        let node = Node { op: Op::Const, attr, args: Vec::new(), regions: Vec::new(), results: Vec::new() };
        Ok((node, types))
    }

    /// `%test : (types) { … } else { … }`
    fn cond(&mut self) -> Result<(Node, Vec<TensorType>), ParseError> {
        let args = self.operands()?;
        self.sign(':')?;
        let types = self.types()?;
        let [then, other] = [0, 1].map(|_| self.graph.regions.push(Region::default()));
        self.sign('{')?;
        self.region(then, "yield")?;
        self.keyword("else")?;
        self.sign('{')?;
        self.region(other, "yield")?;
        let regions = vec![then, other];
        Ok((Node { op: Op::Cond, attr: Attr::None, args, regions, results: Vec::new() }, types))
    }

    /// `: (types) { … }`
    fn try_(&mut self) -> Result<(Node, Vec<TensorType>), ParseError> {
        self.sign(':')?;
        let types = self.types()?;
        let body = self.graph.regions.push(Region::default());
        self.sign('{')?;
        self.region(body, "yield")?;
        let regions = vec![body];
        Ok((Node { op: Op::Try, attr: Attr::None, args: Vec::new(), regions, results: Vec::new() }, types))
    }

    /// `(%carry = %init, …) : (types) { … } do { … }`
    fn while_(&mut self) -> Result<(Node, Vec<TensorType>), ParseError> {
        self.sign('(')?;
        let carries = self.list(')', |p| {
            let name = p.value_name()?;
            let ty = if p.eat(':')? { Some(p.ty()?) } else { None };
            p.sign('=')?;
            Ok((name, ty, p.operand()?))
        })?;
        self.sign(':')?;
        let types = self.types()?;
        if types.len() != carries.len() {
            return Err(self.lexer.error(format!("{} carries have {} types", carries.len(), types.len())));
        }
        let param = |((name, ty, _), result): (&Carry<'a>, &TensorType)| {
            (*name, ty.clone().unwrap_or(result.clone()))
        };
        let params: Vec<_> = carries.iter().zip(&types).map(param).collect();
        let [test, body] = [0, 1].map(|_| self.graph.regions.push(Region::default()));
        params.iter().for_each(|(name, ty)| self.param(test, name, ty.clone()));
        self.sign('{')?;
        self.region(test, "yield")?;
        self.keyword("do")?;
        if *self.lexer.peek() == Token::Sign('(') {
            self.params(body)?;
        } else {
            params.into_iter().for_each(|(name, ty)| self.param(body, name, ty));
        }
        self.sign('{')?;
        self.region(body, "yield")?;
        let args = carries.iter().map(|&(_, _, init)| init).collect();
        let regions = vec![test, body];
        Ok((Node { op: Op::While, attr: Attr::None, args, regions, results: Vec::new() }, types))
    }

    fn operands(&mut self) -> Result<Vec<ValueId>, ParseError> {
        let mut operands = vec![self.operand()?];
        while self.eat(',')? {
            operands.push(self.operand()?);
        }
        Ok(operands)
    }

    fn operand(&mut self) -> Result<ValueId, ParseError> {
        let name = self.value_name()?;
        self.values.get(name).copied().ok_or_else(|| self.lexer.error(format!("`%{name}` is not defined")))
    }

    fn types(&mut self) -> Result<Vec<TensorType>, ParseError> {
        self.sign('(')?;
        self.list(')', Self::ty)
    }

    /// `f32[?0,3]`; a bare `?` is a variable of its own.
    fn ty(&mut self) -> Result<TensorType, ParseError> {
        let dtype = self.dtype()?;
        self.sign('[')?;
        let dims = self.list(']', Self::dim)?;
        Ok(TensorType::new(dtype, Shape(dims)))
    }

    fn dim(&mut self) -> Result<Dim, ParseError> {
        if !self.eat('?')? {
            return Ok(Dim::Fixed(self.number("a length")?));
        }
        if !matches!(self.lexer.peek(), Token::Word(_)) {
            return Ok(Dim::Var(self.graph.fresh_dim()));
        }
        let var: u32 = self.number("the number of a variable")?;
        if var < FIRST_BARE { Ok(Dim::Var(DimVar(var))) } else { Err(self.lexer.error("too many variables")) }
    }
}
