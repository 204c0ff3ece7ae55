//! Programs over a number `acc`, lists, a dict and a set, each run twice: by plain Rust, and as a graph by the interpreter of graphs. Both
//! must agree on what they leave and on the exception that they raise.

use gw_ir::CheckKind;

/// A number.
#[derive(Debug, Clone, Copy)]
pub enum Number {
    Is(i64),
    /// The parameter of the function.
    N,
    Acc,
    /// The item of the innermost loop.
    Item,
    /// The number of elements of a list.
    Len(usize),
}

/// A step of a program; lists are numbered.
#[derive(Debug, Clone)]
pub enum Step {
    Append(usize, Number),
    Pop(usize),
    PopAt(usize, Number),
    Insert(usize, Number, Number),
    Put(usize, Number, Number),
    Delete(usize, Number),
    Remove(usize, Number),
    Reverse(usize),
    Sort(usize, bool),
    Clear(usize),
    /// `xs.extend(ys)`
    Extend(usize, usize),
    /// `xs = []`
    New(usize),
    /// `xs = ys.copy()`
    Copy(usize, usize),
    Swap,
    /// `acc = number`
    Let(Number),
    /// `acc = acc + number`
    Add(Number),
    /// `acc = acc + xs[number]`
    AddAt(usize, Number),
    AddPopped(usize),
    AddCount(usize, Number),
    AddIndex(usize, Number),
    /// `acc = acc + (10 if number in xs else 0)`
    AddIn(usize, Number),
    /// `acc = acc + (100 if xs == ys else 0)`
    AddEqual,
    AddMax(usize),
    Store(Number, Number),
    AddValue(Number),
    AddGet(Number, Number),
    Forget(Number),
    AddHasKey(Number),
    /// `for k in d: …`
    EachKey(Vec<Step>),
    /// `for v in d.values(): …`
    EachValue(Vec<Step>),
    AddElement(Number),
    Discard(Number),
    RemoveElement(Number),
    AddHasElement(Number),
    /// `if a > b: … else: …`
    If(Number, Number, Vec<Step>, Vec<Step>),
    /// `for i in range(count): …`
    Repeat(Number, Vec<Step>),
    /// `while acc < number: acc = acc + 1; …`
    Until(Number, Vec<Step>),
    /// `for x in xs: …`
    Each(usize, Vec<Step>),
}

/// The content of all variables.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Contents {
    pub acc: i64,
    pub lists: [Vec<i64>; 2],
    pub pairs: Vec<(i64, i64)>,
    pub set: Vec<i64>,
}

/// The end of a plain run before the end of the program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stop {
    Raised(CheckKind),
    /// The program takes too long, or its numbers grow too large.
    Endless,
}

/// A plain run.
struct Plain {
    now: Contents,
    /// All lists.
    heap: Vec<Vec<i64>>,
    /// The list that each name has.
    names: [usize; 2],
    n: i64,
    item: i64,
    fuel: usize,
}

/// Runs a program in plain Rust.
pub fn plain(program: &[Step], begins: &Contents, n: i64) -> Result<Contents, Stop> {
    let heap = begins.lists.to_vec();
    let mut run = Plain { now: begins.clone(), heap, names: [0, 1], n, item: 0, fuel: 400 };
    run.steps(program)?;
    let lists = run.names.map(|list| run.heap[list].clone());
    Ok(Contents { lists, ..run.now })
}

fn position(index: i64, length: usize) -> Result<usize, Stop> {
    let length = length as i64;
    let at = if index < 0 { index + length } else { index };
    if (0..length).contains(&at) { Ok(at as usize) } else { Err(Stop::Raised(CheckKind::Index)) }
}

impl Plain {
    fn number(&self, number: Number) -> i64 {
        match number {
            Number::Is(i) => i,
            Number::N => self.n,
            Number::Acc => self.now.acc,
            Number::Item => self.item,
            Number::Len(list) => self.heap[self.names[list]].len() as i64,
        }
    }

    fn add(&mut self, number: i64) -> Result<(), Stop> {
        self.now.acc = self.now.acc.checked_add(number).ok_or(Stop::Endless)?;
        Ok(())
    }

    /// Gives a name a new list.
    fn name(&mut self, name: usize, items: Vec<i64>) {
        self.names[name] = self.heap.len();
        self.heap.push(items);
    }

    fn steps(&mut self, steps: &[Step]) -> Result<(), Stop> {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn within(&mut self, item: i64, body: &[Step]) -> Result<(), Stop> {
        let outer = std::mem::replace(&mut self.item, item);
        self.steps(body)?;
        self.item = outer;
        Ok(())
    }

    fn take(&mut self, list: usize, index: i64) -> Result<i64, Stop> {
        let at = position(index, self.heap[self.names[list]].len())?;
        Ok(self.heap[self.names[list]].remove(at))
    }

    fn find(&self, list: usize, number: Number) -> Result<usize, Stop> {
        let wanted = self.number(number);
        self.heap[self.names[list]].iter().position(|&x| x == wanted).ok_or(Stop::Raised(CheckKind::Value))
    }

    fn key(&self, key: Number) -> Option<usize> {
        let key = self.number(key);
        self.now.pairs.iter().position(|&(k, _)| k == key)
    }

    fn element(&self, element: Number) -> Option<usize> {
        let element = self.number(element);
        self.now.set.iter().position(|&x| x == element)
    }

    fn step(&mut self, step: &Step) -> Result<(), Stop> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Endless)?;
        if self.heap.iter().any(|list| list.len() > 100) {
            return Err(Stop::Endless);
        }
        match step {
            Step::If(a, b, then, orelse) => {
                let truth = self.number(*a) > self.number(*b);
                self.steps(if truth { then } else { orelse })
            }
            Step::Repeat(count, body) => (0..self.number(*count)).try_for_each(|i| self.within(i, body)),
            Step::Until(most, body) => {
                while self.now.acc < self.number(*most) {
                    self.add(1)?;
                    self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Endless)?;
                    self.steps(body)?;
                }
                Ok(())
            }
            Step::Each(list, body) => {
                let (object, mut at) = (self.names[*list], 0);
                while let Some(&item) = self.heap[object].get(at) {
                    self.within(item, body)?;
                    at += 1;
                }
                Ok(())
            }
            Step::EachKey(body) => {
                let keys: Vec<_> = self.now.pairs.iter().map(|&(key, _)| key).collect();
                keys.into_iter().try_for_each(|key| self.within(key, body))
            }
            Step::EachValue(body) => {
                let values: Vec<_> = self.now.pairs.iter().map(|&(_, value)| value).collect();
                values.into_iter().try_for_each(|value| self.within(value, body))
            }
            simple => self.change(simple),
        }
    }

    fn change(&mut self, step: &Step) -> Result<(), Stop> {
        match *step {
            Step::Append(list, number) => {
                let number = self.number(number);
                self.heap[self.names[list]].push(number);
            }
            Step::Pop(list) => drop(self.take(list, -1)?),
            Step::PopAt(list, at) | Step::Delete(list, at) => drop(self.take(list, self.number(at))?),
            Step::Insert(list, at, number) => {
                let (at, number, length) =
                    (self.number(at), self.number(number), self.heap[self.names[list]].len() as i64);
                let at = if at < 0 { (at + length).max(0) } else { at.min(length) };
                self.heap[self.names[list]].insert(at as usize, number);
            }
            Step::Put(list, at, number) => {
                let at = position(self.number(at), self.heap[self.names[list]].len())?;
                self.heap[self.names[list]][at] = self.number(number);
            }
            Step::Remove(list, number) => {
                let at = self.find(list, number)?;
                self.heap[self.names[list]].remove(at);
            }
            Step::Reverse(list) => self.heap[self.names[list]].reverse(),
            Step::Sort(list, descending) => {
                self.heap[self.names[list]].sort_unstable();
                if descending {
                    self.heap[self.names[list]].reverse();
                }
            }
            Step::Clear(list) => self.heap[self.names[list]].clear(),
            Step::New(list) => self.name(list, Vec::new()),
            Step::Extend(list, other) => {
                let more = self.heap[self.names[other]].clone();
                self.heap[self.names[list]].extend(more);
            }
            Step::Copy(list, other) => self.name(list, self.heap[self.names[other]].clone()),
            Step::Swap => self.names.swap(0, 1),
            Step::Let(number) => self.now.acc = self.number(number),
            Step::AddMax(list) => {
                let greatest = self.heap[self.names[list]].iter().max().copied();
                self.add(greatest.ok_or(Stop::Raised(CheckKind::Value))?)?;
            }
            _ => return self.ask(step),
        }
        Ok(())
    }

    fn ask(&mut self, step: &Step) -> Result<(), Stop> {
        let more = match *step {
            Step::Add(number) => self.number(number),
            Step::AddAt(list, at) => {
                self.heap[self.names[list]][position(self.number(at), self.heap[self.names[list]].len())?]
            }
            Step::AddPopped(list) => self.take(list, -1)?,
            Step::AddCount(list, number) => {
                let wanted = self.number(number);
                self.heap[self.names[list]].iter().filter(|&&x| x == wanted).count() as i64
            }
            Step::AddIndex(list, number) => self.find(list, number)? as i64,
            Step::AddIn(list, number) => {
                if self.find(list, number).is_ok() {
                    10
                } else {
                    0
                }
            }
            Step::AddEqual => {
                if self.heap[self.names[0]] == self.heap[self.names[1]] {
                    100
                } else {
                    0
                }
            }
            _ => return self.table(step),
        };
        self.add(more)
    }

    fn table(&mut self, step: &Step) -> Result<(), Stop> {
        let missing = Stop::Raised(CheckKind::Key);
        match *step {
            Step::Store(key, value) => {
                let (at, key, value) = (self.key(key), self.number(key), self.number(value));
                match at {
                    Some(at) => self.now.pairs[at].1 = value,
                    None => self.now.pairs.push((key, value)),
                }
            }
            Step::AddValue(key) => self.add(self.now.pairs[self.key(key).ok_or(missing)?].1)?,
            Step::AddGet(key, default) => {
                let found = self.key(key).map(|at| self.now.pairs[at].1);
                self.add(found.unwrap_or_else(|| self.number(default)))?;
            }
            Step::Forget(key) => drop(self.now.pairs.remove(self.key(key).ok_or(missing)?)),
            Step::AddHasKey(key) => self.add(if self.key(key).is_some() { 10 } else { 0 })?,
            Step::AddElement(element) => {
                if self.element(element).is_none() {
                    self.now.set.push(self.number(element));
                }
            }
            Step::Discard(element) => {
                if let Some(at) = self.element(element) {
                    self.now.set.remove(at);
                }
            }
            Step::RemoveElement(element) => drop(self.now.set.remove(self.element(element).ok_or(missing)?)),
            Step::AddHasElement(element) => {
                self.add(if self.element(element).is_some() { 10 } else { 0 })?;
            }
            _ => unreachable!("the other steps are taken above"),
        }
        Ok(())
    }
}
