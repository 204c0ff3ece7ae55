//! The toy language: functions of statements over integers, written as Python writes them. `return` ends a block at the end of a
//! function, and names in capitals are variables of the whole program.

/// A program: its functions, of which `main` is run.
#[derive(Debug, Clone, Default)]
pub struct Program {
    pub functions: Vec<Function>,
}

/// A function and the names of all its variables, the parameters first.
#[derive(Debug, Clone)]
pub struct Function {
    pub name: String,
    pub parameters: usize,
    pub variables: Vec<String>,
    pub body: Vec<Statement>,
}

/// The variable that holds the result of a function.
pub const RETURNED: &str = "return";

#[derive(Debug, Clone)]
pub enum Statement {
    Pass,
    Set(String, Expr),
    Do(Expr),
    If(Expr, Vec<Statement>, Vec<Statement>),
    While(Expr, Vec<Statement>),
    /// Raises an exception of this class.
    Raise(String),
    Try(Box<Try>),
}

/// A `try` with its handlers, each for a class.
#[derive(Debug, Clone, Default)]
pub struct Try {
    pub body: Vec<Statement>,
    pub handlers: Vec<(String, Vec<Statement>)>,
    pub orelse: Vec<Statement>,
    pub always: Vec<Statement>,
}

impl Try {
    /// The statements that follow the body, by the class of what it raises; none if no handler is for that.
    pub fn next(&self, raised: Option<&str>) -> Option<&[Statement]> {
        match raised {
            None => Some(&self.orelse),
            Some(class) => self.handlers.iter().find(|(own, _)| own == class).map(|(_, block)| &**block),
        }
    }

    /// All its blocks.
    pub fn blocks(&self) -> impl Iterator<Item = &[Statement]> {
        let handlers = self.handlers.iter().map(|(_, block)| &**block);
        [&*self.body, &*self.orelse, &*self.always].into_iter().chain(handlers)
    }
}

#[derive(Debug, Clone)]
pub enum Expr {
    Int(i64),
    Name(String),
    /// A list without items.
    List,
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Call(String, Vec<Expr>),
}

/// The operators, those that bind least first.
const OPERATORS: [&[&str]; 3] = [&["==", "!=", "<=", ">=", "<", ">"], &["+", "-"], &["*", "//", "%"]];

/// Lines with their indentation, from the first that is not read.
struct Lines<'a> {
    lines: Vec<(usize, &'a str)>,
    at: usize,
}

impl Program {
    /// The program of a text.
    pub fn of(text: &str) -> Self {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let lines = lines.map(|line| (line.len() - line.trim_start().len(), line.trim()));
        let mut lines = Lines { lines: lines.collect(), at: 0 };
        let mut program = Self::default();
        while let Some((_, line)) = lines.next() {
            let head = line.strip_prefix("def ").and_then(|head| head.strip_suffix("):"));
            let (name, parameters) = head.and_then(|head| head.split_once('(')).expect("a function");
            let parameters = parameters.split(',').map(str::trim).filter(|name| !name.is_empty());
            let mut variables: Vec<String> = parameters.map(str::to_owned).collect();
            let parameters = variables.len();
            let body = lines.block();
            variables.push(RETURNED.to_owned());
            names(&body, &mut variables);
            program.functions.push(Function { name: name.to_owned(), parameters, variables, body });
        }
        program
    }

    /// The number of a function.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.functions.iter().position(|function| function.name == name)
    }
}

/// True if a name is a variable of the whole program.
pub fn is_global(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_uppercase())
}

/// Adds the variables that statements assign.
fn names(block: &[Statement], variables: &mut Vec<String>) {
    for statement in block {
        match statement {
            Statement::Pass | Statement::Do(_) | Statement::Raise(_) => {}
            Statement::Set(name, _) if is_global(name) || variables.contains(name) => {}
            Statement::Set(name, _) => variables.push(name.clone()),
            Statement::If(_, then, orelse) => {
                names(then, variables);
                names(orelse, variables);
            }
            Statement::While(_, body) => names(body, variables),
            Statement::Try(parts) => parts.blocks().for_each(|block| names(block, variables)),
        }
    }
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<(usize, &'a str)> {
        self.at += 1;
        self.lines.get(self.at - 1).copied()
    }

    /// The lines that are indented by more than the one before.
    fn block(&mut self) -> Vec<Statement> {
        let outer = self.lines[self.at - 1].0;
        let mut block = Vec::new();
        while self.lines.get(self.at).is_some_and(|(indent, _)| *indent > outer) {
            block.push(self.statement());
        }
        block
    }

    /// The block behind a line of this text, if it comes next.
    fn block_of(&mut self, indent: usize, line: &str) -> Vec<Statement> {
        if self.lines.get(self.at) != Some(&(indent, line)) {
            return Vec::new();
        }
        self.at += 1;
        self.block()
    }

    fn try_(&mut self, indent: usize) -> Try {
        let mut parts = Try { body: self.block(), ..Try::default() };
        while let Some(&(at, line)) = self.lines.get(self.at)
            && let Some(class) = line.strip_prefix("except ").filter(|_| at == indent)
        {
            self.at += 1;
            parts.handlers.push((class.trim_end_matches(':').to_owned(), self.block()));
        }
        parts.orelse = self.block_of(indent, "else:");
        let always = self.block_of(indent, "finally:");
        if always.is_empty() {
            return parts;
        }
        // It is for what the handlers raise, too.
        Try { body: vec![Statement::Try(Box::new(parts))], always, ..Try::default() }
    }

    fn statement(&mut self) -> Statement {
        let (indent, line) = self.next().expect("a statement");
        if let Some(test) = line.strip_prefix("if ") {
            let then = self.block();
            return Statement::If(expr(test), then, self.block_of(indent, "else:"));
        }
        if line == "try:" {
            return Statement::Try(Box::new(self.try_(indent)));
        }
        if let Some(class) = line.strip_prefix("raise ") {
            return Statement::Raise(class.to_owned());
        }
        if let Some(test) = line.strip_prefix("while ") {
            return Statement::While(expr(test), self.block());
        }
        if let Some(value) = line.strip_prefix("return ") {
            return Statement::Set(RETURNED.to_owned(), expr(value));
        }
        match line.split_once(" = ") {
            Some((name, value)) => Statement::Set(name.to_owned(), expr(value)),
            None if line == "pass" => Statement::Pass,
            None => Statement::Do(expr(line)),
        }
    }
}

/// The expression of a text, with or without a colon behind it.
fn expr(text: &str) -> Expr {
    let mut rest = text.trim_end_matches(':');
    let expr = binary(&mut rest, 0);
    assert!(rest.trim().is_empty(), "`{rest}` is left of `{text}`");
    expr
}

fn binary(rest: &mut &str, level: usize) -> Expr {
    let Some(operators) = OPERATORS.get(level) else { return atom(rest) };
    let mut left = binary(rest, level + 1);
    loop {
        *rest = rest.trim_start();
        let Some(op) = operators.iter().find(|op| rest.starts_with(**op)) else { return left };
        *rest = &rest[op.len()..];
        left = Expr::Binary(op, Box::new(left), Box::new(binary(rest, level + 1)));
    }
}

fn atom(rest: &mut &str) -> Expr {
    *rest = rest.trim_start();
    if let Some(inner) = rest.strip_prefix('(') {
        *rest = inner;
        let expr = binary(rest, 0);
        *rest = rest.trim_start().strip_prefix(')').expect("a closing parenthesis");
        return expr;
    }
    if let Some(after) = rest.strip_prefix("[]") {
        *rest = after;
        return Expr::List;
    }
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    *rest = after;
    if let Ok(number) = word.parse() {
        return Expr::Int(number);
    }
    assert!(!word.is_empty(), "an operand before `{after}`");
    let Some(inner) = rest.strip_prefix('(') else { return Expr::Name(word.to_owned()) };
    *rest = inner;
    let mut arguments = Vec::new();
    while !rest.trim_start().starts_with(')') {
        arguments.push(binary(rest, 0));
        *rest = rest.trim_start().trim_start_matches(',');
    }
    *rest = &rest.trim_start()[1..];
    Expr::Call(word.to_owned(), arguments)
}
