//! The steps of a program on the toy host, which builds a graph.

use std::cell::RefCell;

use gw_ir::{BinaryOp, CheckKind, CompareOp, Op, ValueId};
use gw_trace::objects::{
    self, Heap, Index, PairPart, ReachedList, TableKind, Walk, Walking, check_walked, elements, place, staged,
};
use gw_trace::{Host, Slot, Staged, counted, for_, go_on, if_, while_};
use gw_types::{DType, Scalar};

use crate::host::{Failed, List, Toy, Value, index};
use crate::program::{Contents, Number, Step};

/// The variables: `acc`, two lists, the dict, the set.
const NAMES: [&str; 5] = ["acc", "xs", "ys", "d", "s"];

type Done = Result<(), Failed>;

/// A program that is staged.
pub struct Run {
    pub toy: Toy,
    n: Value,
    item: RefCell<Value>,
    fuel: RefCell<usize>,
}

fn int(i: i64) -> Value {
    Value::Number(Scalar::Int(i))
}

fn known(value: &Value) -> Option<i64> {
    if let Value::Number(number) = value { Some(number.to_i64()) } else { None }
}

impl Run {
    pub fn new(begins: &Contents) -> Self {
        let list = |items: &[i64]| List::of(items.iter().map(|&i| int(i)).collect());
        let pairs = begins.pairs.iter().map(|&(k, v)| Value::Tuple(vec![int(k), int(v)])).collect();
        let toy = Toy::new(vec![
            int(begins.acc),
            Value::List(list(&begins.lists[0])),
            Value::List(list(&begins.lists[1])),
            Value::Table(TableKind::Dict, List::of(pairs)),
            Value::Table(TableKind::Set, list(&begins.set)),
        ]);
        let n = Value::Staged(toy.trace.parameter(DType::I64, &[], "n"));
        Self { toy, n, item: RefCell::new(int(0)), fuel: RefCell::new(2_000) }
    }

    fn get(&self, at: usize) -> Value {
        self.toy.variables.borrow()[at].clone()
    }

    fn put(&self, at: usize, value: Value) {
        self.toy.variables.borrow_mut()[at] = value;
    }

    /// The list number `at`, or what the dict (2) or the set (3) holds.
    pub fn list(&self, at: usize) -> List {
        match self.get(at + 1) {
            Value::List(list) | Value::Table(_, list) => list,
            other => panic!("{other:?} is no list"),
        }
    }

    fn holds_rows(&self, list: &List) -> bool {
        self.toy.holds_rows(list)
    }

    fn is_staged(&self, list: &List, numbers: &[&Value]) -> bool {
        let fills = list.0.borrow().is_empty() && self.toy.trace.in_region();
        self.holds_rows(list) || fills || numbers.iter().any(|number| known(number).is_none())
    }

    /// True if one of the elements is of the graph.
    fn holds_staged(&self, list: &List, value: &Value) -> bool {
        let items = list.0.borrow();
        self.holds_rows(list) || items.iter().chain([value]).any(|item| known(item).is_none())
    }

    fn length(&self, list: &List) -> Result<Value, Failed> {
        if !self.holds_rows(list) {
            return Ok(int(list.0.borrow().len() as i64));
        }
        let held = elements(&self.toy, list)?.expect("rows");
        let trace = &self.toy.trace;
        Ok(match held.count(trace) {
            Some(count) => int(count as i64),
            None => Value::Staged(Staged::strong(held.length(trace))),
        })
    }

    fn number(&self, number: Number) -> Result<Value, Failed> {
        Ok(match number {
            Number::Is(i) => int(i),
            Number::N => self.n.clone(),
            Number::Acc => self.get(0),
            Number::Item => self.item.borrow().clone(),
            Number::Len(list) => self.length(&self.list(list))?,
        })
    }

    fn add(&self, value: &Value) {
        let acc = self.get(0);
        self.put(
            0,
            match (known(&acc), known(value)) {
                (Some(a), Some(b)) => int(a.wrapping_add(b)),
                _ => self.toy.binary(Op::Binary(BinaryOp::Add), &acc, value),
            },
        );
    }

    fn slots(&self) -> Vec<Slot> {
        NAMES.iter().map(|name| Slot::of(*name)).collect()
    }

    fn reached(&self) -> Vec<ReachedList<List>> {
        let list = |at: usize| ReachedList { list: self.list(at), path: NAMES[at + 1].to_owned(), names: 1 };
        (0..4).map(list).collect()
    }

    /// Goes on; an error where the host's own part of the program takes too long.
    fn burn(&self) -> Done {
        let is_long = (0..2).any(|list| self.list(list).0.borrow().len() > 200);
        let Some(fuel) = self.fuel.borrow().checked_sub(1).filter(|_| !is_long) else {
            return Err(gw_base::Diagnostic::new(gw_base::Code::ListInGraph, "too many steps").into());
        };
        self.fuel.replace(fuel);
        Ok(())
    }

    pub fn steps(&self, steps: &[Step]) -> Done {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn within(&self, item: Value, body: &[Step]) -> Done {
        let outer = self.item.replace(item);
        let done = self.steps(body);
        self.item.replace(outer);
        done
    }

    /// Branches on a truth that the graph may know.
    fn choose(&self, test: &Value, then: &dyn Fn() -> Done, orelse: &dyn Fn() -> Done) -> Done {
        match test {
            Value::Number(truth) if truth.to_bool() => then(),
            Value::Number(_) => orelse(),
            test => staged(&self.toy, &self.slots(), &self.toy, &self.reached(), &|state, slots| {
                if_(&self.toy, self.toy.staged(test).value, slots, state, [then, orelse])
            }),
        }
    }

    fn greater(&self, a: &Value, b: &Value) -> Value {
        match (known(a), known(b)) {
            (Some(a), Some(b)) => Value::Number(Scalar::Bool(a > b)),
            _ => self.toy.binary(Op::Compare(CompareOp::Gt), a, b),
        }
    }

    fn step(&self, step: &Step) -> Done {
        self.burn()?;
        match step {
            Step::If(a, b, then, orelse) => {
                let test = self.greater(&self.number(*a)?, &self.number(*b)?);
                self.choose(&test, &|| self.steps(then), &|| self.steps(orelse))
            }
            Step::Repeat(count, body) => self.repeat(&self.number(*count)?, body),
            Step::Until(most, body) => self.until(*most, body),
            Step::Each(list, body) => self.each(&self.list(*list), body),
            Step::EachKey(body) => self.each_part(PairPart::Keys, body),
            Step::EachValue(body) => self.each_part(PairPart::Values, body),
            simple => self.change(simple),
        }
    }

    fn repeat(&self, count: &Value, body: &[Step]) -> Done {
        if let Some(count) = known(count) {
            return (0..count).try_for_each(|i| self.within(int(i), body));
        }
        staged(&self.toy, &self.slots(), &self.toy, &self.reached(), &|state, slots| {
            let run = |k: ValueId| self.within(Value::Staged(Staged::strong(k)), body);
            for_(&self.toy, self.toy.staged(count).value, slots, state, None, &run)
        })
    }

    fn until(&self, most: Number, body: &[Step]) -> Done {
        loop {
            let test = self.greater(&self.number(most)?, &self.get(0));
            let turn = || {
                self.add(&int(1));
                self.steps(body)
            };
            match known(&test) {
                Some(0) => return Ok(()),
                Some(_) => turn()?,
                None => {
                    return staged(&self.toy, &self.slots(), &self.toy, &self.reached(), &|state, slots| {
                        let answer = || {
                            let test = self.greater(&self.number(most)?, &self.get(0));
                            Ok(go_on(&self.toy.trace, self.toy.see(&test)?).expect("a bool"))
                        };
                        while_(&self.toy, answer()?, slots, state, &answer, &turn)
                    });
                }
            }
        }
    }

    /// A loop over a list goes on in the graph from where the list comes into it.
    fn each(&self, list: &List, body: &[Step]) -> Done {
        let (mut at, _walking) = (0, Walking::new(&self.toy, list));
        while !self.holds_rows(list) {
            let Some(item) = list.0.borrow().get(at).cloned() else { return Ok(()) };
            self.within(item, body)?;
            check_walked(&self.toy)?;
            at += 1;
            self.burn()?;
        }
        let Some(walk) = Walk::new(&self.toy, list, at)? else { return Ok(()) };
        staged(&self.toy, &self.slots(), &self.toy, &self.reached(), &|state, slots| {
            let run = |k| match walk.item(k)? {
                Some(item) => self.within(item, body),
                None => Ok(()),
            };
            counted(&self.toy, slots, state, &|k| walk.more(k, None), &run)
        })
    }

    fn each_part(&self, part: PairPart, body: &[Step]) -> Done {
        let pairs = self.list(2);
        if !self.holds_rows(&pairs) {
            let of_pair = |pair: &Value| match (pair, part) {
                (Value::Tuple(parts), PairPart::Keys) => parts[0].clone(),
                (Value::Tuple(parts), PairPart::Values) => parts[1].clone(),
                (other, _) => other.clone(),
            };
            let items: Vec<_> = pairs.0.borrow().iter().map(of_pair).collect();
            return items.into_iter().try_for_each(|item| self.within(item, body));
        }
        let Some(held) = elements(&self.toy, &pairs)? else { return Ok(()) };
        let parts = objects::of_pairs(&self.toy, &held, part)?;
        self.each(&parts.to_list(&self.toy)?, body)
    }

    fn change(&self, step: &Step) -> Done {
        let toy = &self.toy;
        match *step {
            Step::Append(list, number) => self.list(list).push(self.number(number)?),
            Step::Pop(list) => drop(self.take(list, &int(-1), "pop from empty list")?),
            Step::PopAt(list, at) => drop(self.take(list, &self.number(at)?, "pop index out of range")?),
            Step::Delete(list, at) => {
                drop(self.take(list, &self.number(at)?, "list assignment index out of range")?);
            }
            Step::Insert(list, at, number) => self.insert(list, &self.number(at)?, self.number(number)?)?,
            Step::Put(list, at, number) => {
                let (list, at, number) = (self.list(list), self.number(at)?, self.number(number)?);
                match known(&at) {
                    Some(i) if !self.is_staged(&list, &[&at]) => {
                        let i = self.at(&list, i)?;
                        list.0.borrow_mut()[i] = number;
                    }
                    _ => objects::set(toy, &list, &index(toy, &at), &number)?,
                }
            }
            Step::Remove(list, number) => {
                let at = self.find(list, &self.number(number)?)?;
                drop(self.take(list, &at, "not in list")?);
            }
            Step::Reverse(list) => {
                let list = self.list(list);
                if self.holds_rows(&list) {
                    objects::reverse(toy, &list)?;
                } else {
                    list.0.borrow_mut().reverse();
                }
            }
            Step::Sort(list, descending) => objects::sort(toy, &self.list(list), descending)?,
            Step::Clear(list) => self.list(list).0.borrow_mut().clear(),
            Step::New(list) => self.put(list + 1, Value::List(List::default())),
            Step::Copy(list, other) => {
                let copy = List::of(toy.items(&self.list(other)));
                self.put(list + 1, Value::List(copy));
            }
            Step::Swap => self.toy.variables.borrow_mut().swap(1, 2),
            Step::Extend(list, other) => {
                let more = toy.items(&self.list(other));
                self.list(list).0.borrow_mut().extend(more);
            }
            Step::Let(number) => self.put(0, self.number(number)?),
            _ => self.ask(step)?,
        }
        Ok(())
    }

    fn at(&self, list: &List, i: i64) -> Result<usize, Failed> {
        let length = list.0.borrow().len() as i64;
        let at = if i < 0 { i + length } else { i };
        let error = || Failed::Raised(CheckKind::Index, "list index out of range".to_owned());
        usize::try_from(at).ok().filter(|_| at < length).ok_or_else(error)
    }

    fn take(&self, list: usize, at: &Value, text: &str) -> Result<Value, Failed> {
        let list = self.list(list);
        match known(at) {
            Some(i) if !self.is_staged(&list, &[at]) => {
                let i = self.at(&list, i)?;
                Ok(list.0.borrow_mut().remove(i))
            }
            _ => objects::remove_at(&self.toy, &list, &index(&self.toy, at), text),
        }
    }

    fn insert(&self, list: usize, at: &Value, number: Value) -> Done {
        let list = self.list(list);
        match known(at) {
            Some(i) if !self.holds_rows(&list) => {
                let length = list.0.borrow().len() as i64;
                let i = if i < 0 { (i + length).max(0) } else { i.min(length) };
                list.0.borrow_mut().insert(i as usize, number);
                Ok(())
            }
            _ => objects::insert(&self.toy, &list, &index(&self.toy, at), &number),
        }
    }

    fn find(&self, list: usize, number: &Value) -> Result<Value, Failed> {
        let list = self.list(list);
        if self.holds_staged(&list, number) {
            let found = objects::find(&self.toy, &list, number, &"not in list".to_owned())?;
            return Ok(match found {
                Index::Known(i) => int(i),
                Index::Given(staged) => Value::Staged(staged),
            });
        }
        let at = list.0.borrow().iter().position(|item| known(item) == known(number));
        let error = || Failed::Raised(CheckKind::Value, "not in list".to_owned());
        at.map(|at| int(at as i64)).ok_or_else(error)
    }

    /// Adds `number` if a truth of the graph holds, which is false where there is none.
    fn add_if(&self, truth: Option<Value>, number: i64) -> Done {
        let never = Value::Number(Scalar::Bool(false));
        let add = || {
            self.add(&int(number));
            Ok(())
        };
        self.choose(&truth.unwrap_or(never), &add, &|| Ok(()))
    }

    fn ask(&self, step: &Step) -> Done {
        let toy = &self.toy;
        match *step {
            Step::Add(number) => self.add(&self.number(number)?),
            Step::AddAt(list, at) => {
                let (list, at) = (self.list(list), self.number(at)?);
                let item = match known(&at) {
                    Some(i) if !self.is_staged(&list, &[&at]) => {
                        let i = self.at(&list, i)?;
                        toy.items(&list)[i].clone()
                    }
                    _ => objects::get(toy, &list, &index(toy, &at))?,
                };
                self.add(&item);
            }
            Step::AddPopped(list) => {
                let last = self.take(list, &int(-1), "pop from empty list")?;
                self.add(&last);
            }
            Step::AddCount(list, number) => {
                let count = objects::count(toy, &self.list(list), &self.number(number)?)?;
                self.add(&count.map_or_else(|| int(0), Value::Staged));
            }
            Step::AddIndex(list, number) => self.add(&self.find(list, &self.number(number)?)?),
            Step::AddIn(list, number) => {
                let truth = objects::contains(toy, &self.list(list), &self.number(number)?)?;
                self.add_if(truth.map(Value::Staged), 10)?;
            }
            Step::AddEqual => {
                let truth = objects::equal(toy, &self.list(0), &self.list(1))?;
                let always = Value::Number(Scalar::Bool(true));
                self.add_if(Some(truth.map_or(always, Value::Staged)), 100)?;
            }
            Step::AddMax(list) => {
                let Some(held) = objects::settled(toy, &self.list(list))? else {
                    return Err(Failed::Raised(CheckKind::Value, "no elements".to_owned()));
                };
                self.add(&objects::extreme(toy, &held, true, "no elements")?);
            }
            _ => self.table(step)?,
        }
        Ok(())
    }

    /// The position of a key or element, and if there is one.
    fn place(&self, table: usize, key: &Value) -> Result<(Index, Value), Failed> {
        let nowhere = (Index::Known(-1), Value::Number(Scalar::Bool(false)));
        Ok(match place(&self.toy, &self.list(table), key, table == 2)? {
            None => nowhere,
            Some((_, at)) => {
                let truth = objects::is_there(&self.toy.trace, &at);
                (at, Value::Staged(Staged::strong(truth)))
            }
        })
    }

    fn table(&self, step: &Step) -> Done {
        let toy = &self.toy;
        let is_dict = |list: usize| list == 2;
        let remove = |list: usize, key: &Value| {
            let (_, at) = objects::key(toy, &self.list(list), key, is_dict(list))?;
            objects::remove_at(toy, &self.list(list), &at, "no key").map(drop)
        };
        let value_at = |at: &Index| match objects::get(toy, &self.list(2), at)? {
            Value::Tuple(parts) => Ok::<_, Failed>(parts[1].clone()),
            other => panic!("{other:?} is no pair"),
        };
        match *step {
            Step::Store(key, value) => {
                let (key, value) = (self.number(key)?, self.number(value)?);
                let (at, is_there) = self.place(2, &key)?;
                let pair = Value::Tuple(vec![key, value]);
                let replace = || objects::set(toy, &self.list(2), &at, &pair);
                let append = || {
                    self.list(2).push(pair.clone());
                    Ok(())
                };
                self.choose(&is_there, &replace, &append)
            }
            Step::AddValue(key) => {
                let (_, at) = objects::key(toy, &self.list(2), &self.number(key)?, true)?;
                self.add(&value_at(&at)?);
                Ok(())
            }
            Step::AddGet(key, default) => {
                let default = self.number(default)?;
                let (at, is_there) = self.place(2, &self.number(key)?)?;
                let add = |value: &Value| {
                    self.add(value);
                    Ok(())
                };
                self.choose(&is_there, &|| add(&value_at(&at)?), &|| add(&default))
            }
            Step::Forget(key) => remove(2, &self.number(key)?),
            Step::RemoveElement(element) => remove(3, &self.number(element)?),
            Step::AddHasKey(key) => self.add_if(Some(self.place(2, &self.number(key)?)?.1), 10),
            Step::AddHasElement(key) => self.add_if(Some(self.place(3, &self.number(key)?)?.1), 10),
            Step::AddElement(element) => {
                let element = self.number(element)?;
                let append = || {
                    self.list(3).push(element.clone());
                    Ok(())
                };
                self.choose(&self.place(3, &element)?.1, &|| Ok(()), &append)
            }
            Step::Discard(element) => {
                let (at, is_there) = self.place(3, &self.number(element)?)?;
                let drop_it = || objects::remove_at(toy, &self.list(3), &at, "no element").map(drop);
                self.choose(&is_there, &drop_it, &|| Ok(()))
            }
            _ => unreachable!("the other steps are taken above"),
        }
    }

    /// The values to return: `acc`, and for each list one tensor for each leaf, or the reason for which there is none.
    pub fn results(&self) -> Result<(Vec<ValueId>, [usize; 4]), Failed> {
        let mut results = vec![self.toy.staged(&self.get(0)).value];
        let mut counts = [0; 4];
        for (at, count) in counts.iter_mut().enumerate() {
            if let Some(held) = elements(&self.toy, &self.list(at))? {
                *count = held.leaves.len();
                results.extend(held.leaves.iter().map(|leaf| leaf.value));
            }
        }
        Ok((results, counts))
    }
}
