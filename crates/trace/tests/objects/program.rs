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
    /// The program takes too long.
    Endless,
}

/// A plain run.
struct Plain {
    now: Contents,
    n: i64,
    item: i64,
    fuel: usize,
}

/// Runs a program in plain Rust.
pub fn plain(program: &[Step], begins: &Contents, n: i64) -> Result<Contents, Stop> {
    let mut run = Plain { now: begins.clone(), n, item: 0, fuel: 400 };
    run.steps(program)?;
    Ok(run.now)
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
            Number::Len(list) => self.now.lists[list].len() as i64,
        }
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
        let at = position(index, self.now.lists[list].len())?;
        Ok(self.now.lists[list].remove(at))
    }

    fn find(&self, list: usize, number: Number) -> Result<usize, Stop> {
        let wanted = self.number(number);
        self.now.lists[list].iter().position(|&x| x == wanted).ok_or(Stop::Raised(CheckKind::Value))
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
        match step {
            Step::If(a, b, then, orelse) => {
                let truth = self.number(*a) > self.number(*b);
                self.steps(if truth { then } else { orelse })
            }
            Step::Repeat(count, body) => (0..self.number(*count)).try_for_each(|i| self.within(i, body)),
            Step::Until(most, body) => {
                while self.now.acc < self.number(*most) {
                    self.now.acc += 1;
                    self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Endless)?;
                    self.steps(body)?;
                }
                Ok(())
            }
            Step::Each(list, body) => {
                let mut at = 0;
                while let Some(&item) = self.now.lists[*list].get(at) {
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
            Step::Append(list, number) => self.now.lists[list].push(self.number(number)),
            Step::Pop(list) => drop(self.take(list, -1)?),
            Step::PopAt(list, at) | Step::Delete(list, at) => drop(self.take(list, self.number(at))?),
            Step::Insert(list, at, number) => {
                let (at, number, length) =
                    (self.number(at), self.number(number), self.now.lists[list].len() as i64);
                let at = if at < 0 { (at + length).max(0) } else { at.min(length) };
                self.now.lists[list].insert(at as usize, number);
            }
            Step::Put(list, at, number) => {
                let at = position(self.number(at), self.now.lists[list].len())?;
                self.now.lists[list][at] = self.number(number);
            }
            Step::Remove(list, number) => {
                let at = self.find(list, number)?;
                self.now.lists[list].remove(at);
            }
            Step::Reverse(list) => self.now.lists[list].reverse(),
            Step::Sort(list, descending) => {
                self.now.lists[list].sort_unstable();
                if descending {
                    self.now.lists[list].reverse();
                }
            }
            Step::Clear(list) | Step::New(list) => self.now.lists[list].clear(),
            Step::Extend(list, other) => {
                let more = self.now.lists[other].clone();
                self.now.lists[list].extend(more);
            }
            Step::Copy(list, other) => self.now.lists[list] = self.now.lists[other].clone(),
            Step::Swap => self.now.lists.swap(0, 1),
            Step::Let(number) => self.now.acc = self.number(number),
            Step::AddMax(list) => {
                let greatest = self.now.lists[list].iter().max().copied();
                self.now.acc += greatest.ok_or(Stop::Raised(CheckKind::Value))?;
            }
            _ => return self.ask(step),
        }
        Ok(())
    }

    fn ask(&mut self, step: &Step) -> Result<(), Stop> {
        self.now.acc += match *step {
            Step::Add(number) => self.number(number),
            Step::AddAt(list, at) => {
                self.now.lists[list][position(self.number(at), self.now.lists[list].len())?]
            }
            Step::AddPopped(list) => self.take(list, -1)?,
            Step::AddCount(list, number) => {
                let wanted = self.number(number);
                self.now.lists[list].iter().filter(|&&x| x == wanted).count() as i64
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
                if self.now.lists[0] == self.now.lists[1] {
                    100
                } else {
                    0
                }
            }
            _ => return self.table(step),
        };
        Ok(())
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
            Step::AddValue(key) => self.now.acc += self.now.pairs[self.key(key).ok_or(missing)?].1,
            Step::AddGet(key, default) => {
                let found = self.key(key).map(|at| self.now.pairs[at].1);
                self.now.acc += found.unwrap_or_else(|| self.number(default));
            }
            Step::Forget(key) => drop(self.now.pairs.remove(self.key(key).ok_or(missing)?)),
            Step::AddHasKey(key) => self.now.acc += if self.key(key).is_some() { 10 } else { 0 },
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
                self.now.acc += if self.element(element).is_some() { 10 } else { 0 };
            }
            _ => unreachable!("the other steps are taken above"),
        }
        Ok(())
    }
}
