//! Lists of the program that flow through a statement in the graph. Nobody knows them before it is traced, so they are found
//! while tracing: a list that turns out to be changed becomes part of the statement's state, and it is traced again.

use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};

use super::access::Index;
use super::each::{check_walked, contained, held_in};
use super::elements::{elements, flowing, refused};
use super::heap::{Heap, TableKind};
use crate::{Slot, State};

/// So many elements at most are taken out of their tensors again where their number is known.
const MOST_TAKEN_OUT: usize = 32;

/// A list that a statement reaches, and what it held before.
struct Reached<H: Heap> {
    list: H::Object,
    path: String,
    held: Vec<H::Value>,
    /// The number of variables, attributes and items that hold it.
    names: usize,
    /// True if its contents flow through the statement, and then whether their number may change.
    carried: Option<bool>,
}

/// The variables whose lists, dicts or sets flow by what they hold, since they are others afterwards; a list has no kind.
pub type ByValue = RefCell<FxHashMap<usize, Option<TableKind>>>;

/// The lists that flow through one statement.
pub struct Lists<'a, H: Heap> {
    host: &'a H,
    reached: Vec<Reached<H>>,
    /// The number of statements that are open in it, itself included.
    depth: usize,
    /// The variables when the statement began.
    first: RefCell<Option<Vec<H::Value>>>,
    /// The values that the variables were given last.
    given: RefCell<Vec<H::Value>>,
    by_value: &'a ByValue,
    /// The number of lists that may be those over which loops run.
    copies: Vec<usize>,
    /// The statement changes more than was known.
    again: Cell<bool>,
}

impl<'a, H: Heap> Lists<'a, H> {
    /// Those of a statement that begins now.
    pub fn enter(host: &'a H, by_value: &'a ByValue) -> Result<Self, H::Error> {
        let mut reached = Vec::new();
        for known in host.lists().reached() {
            let list = known.list;
            host.is_read(&list)?;
            host.lists().remember(&list, &known.path, || host.items(&list));
            let carried = host.lists().grows(&list);
            if carried == Some(true) {
                flowing(host, &list)?;
            }
            let held = host.items(&list);
            reached.push(Reached { list, path: known.path, held, names: known.names, carried });
        }
        let (first, given, again) = (RefCell::default(), RefCell::default(), Cell::new(false));
        let copies = host.lists().copies();
        let depth = host.lists().depth();
        Ok(Self { host, reached, depth, first, given, by_value, copies, again })
    }

    fn carried(&self) -> impl Iterator<Item = &Reached<H>> {
        self.reached.iter().filter(|reached| reached.carried.is_some())
    }

    fn is_carried(&self, list: &H::Object) -> bool {
        self.carried().any(|reached| reached.list == *list)
    }

    /// Those that flow, as variables of the statement.
    pub fn slots(&self) -> Vec<Slot> {
        self.carried().map(|reached| Slot::of(reached.path.clone())).collect()
    }

    /// True if the statement has to be traced again.
    pub fn again(&self) -> bool {
        self.again.get() || self.host.lists().count_in(self.depth) > self.reached.len()
    }

    /// True if the statement failed since a list has no elements yet, and can be traced again with what was learnt.
    pub fn can_learn(&self) -> bool {
        let Some(list) = self.host.lists().missed() else { return false };
        let missed = self.reached.iter().find(|reached| reached.list == list);
        match missed {
            Some(reached) if reached.carried != Some(true) => {
                self.found(&reached.list, true);
                true
            }
            Some(_) | None => false,
        }
    }

    /// Looks for lists that the statement changed and that do not flow through it yet.
    pub fn look(&self, state: &dyn State<H>) -> Result<bool, H::Error> {
        check_walked(self.host)?;
        let mut suspects = Vec::new();
        for reached in &self.reached {
            let now = self.host.items(&reached.list);
            let other_form =
                |(now, held): (&H::Value, &H::Value)| self.host.is_rows(now) != self.host.is_rows(held);
            let grown = now.len() != reached.held.len() || now.iter().zip(&reached.held).any(other_form);
            match reached.carried {
                Some(true) => {}
                Some(false) | None if grown => self.found(&reached.list, true),
                Some(false) => {}
                None if self.same(&now, &reached.held) => {}
                None => suspects.push(reached),
            }
        }
        if suspects.is_empty() {
            return Ok(self.again());
        }
        // Objects that change with the variables are theirs: `xs[0]` may be one of them.
        if let Some(first) = self.first.borrow().clone() {
            let now = state.get()?;
            state.set(&self.originals(&first)?)?;
            for reached in suspects {
                if !self.same(&self.host.items(&reached.list), &reached.held) {
                    self.found(&reached.list, false);
                }
            }
            state.set(&now)?;
        }
        Ok(self.again())
    }

    fn same(&self, a: &[H::Value], b: &[H::Value]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.host.same_item(a, b))
    }

    /// The variables with the objects that stand-ins stand for.
    fn originals(&self, values: &[H::Value]) -> Result<Vec<H::Value>, H::Error> {
        values.iter().map(|value| Ok(self.host.original(value)?.unwrap_or_else(|| value.clone()))).collect()
    }

    fn found(&self, list: &H::Object, grows: bool) {
        self.host.lists().note(list, grows, self.host.here());
        self.again.set(true);
    }

    /// The variables as they flow; those that hold a list whose contents flow by themselves stay what they are.
    pub fn variables(&self, values: &mut [H::Value], slots: &[Slot]) -> Result<(), H::Error> {
        let first = self.first.borrow_mut().get_or_insert_with(|| values.to_vec()).clone();
        for (at, value) in values.iter_mut().enumerate() {
            let held = value.clone();
            let Some(list) = self.host.list(&held) else {
                match self.table(at, &first[at], &held)? {
                    Some(table) => *value = table,
                    None if slots.get(at) == Some(&Slot::Returned) => *value = self.returned(&held)?,
                    None => self.judge(&held, Slot::at(slots, at))?,
                }
                continue;
            };
            let flows = self.is_carried(&list);
            // Nobody changes what is returned any more, so it may be any list.
            let returned = flows && slots.get(at) == Some(&Slot::Returned);
            if returned || self.by_value.borrow().contains_key(&at) {
                if !returned {
                    self.judge_aliases(at, &first[at], &held)?;
                }
                *value = self.contents(&list)?;
                continue;
            }
            if let Some(before) = self.host.list(&first[at]) {
                self.compare(at, &before, (&list, &held), flows);
            }
            if flows {
                *value = self.host.stand_in(&held)?;
            }
        }
        Ok(())
    }

    /// A variable that holds a dict or set, as it flows; nothing if that is the host's own.
    fn table(&self, at: usize, before: &H::Value, now: &H::Value) -> Result<Option<H::Value>, H::Error> {
        let host = self.host;
        let Some(kind) = host.table(now) else { return Ok(None) };
        if self.by_value.borrow().contains_key(&at) {
            self.judge_aliases(at, before, now)?;
            let list = match host.table_list(now)? {
                Some(list) => list,
                None => host.table_contents(now)?,
            };
            return self.contents(&list).map(Some);
        }
        let was_ours = host.table_list(before)?.is_some();
        let is_ours = host.table_list(now)?.is_some();
        if host.is_object(now, before) {
            return is_ours.then(|| host.stand_in(now)).transpose();
        }
        let became_other = || Ok::<_, H::Error>(was_ours || is_ours || host.keys_differ(before, now)?);
        if host.table(before) == Some(kind) && became_other()? {
            self.by_value.borrow_mut().insert(at, Some(kind));
            self.again.set(true);
        }
        Ok(None)
    }

    /// A variable that is the same list on some paths and another one on others has to be the list's only name: what is done
    /// to the list by this name is not done to it by others.
    fn judge_aliases(&self, at: usize, before: &H::Value, now: &H::Value) -> Result<(), H::Error> {
        let kept = self.given.borrow().get(at).is_some_and(|given| self.host.is_object(given, now));
        let before = self.host.list(before);
        let reached = self.reached.iter().find(|reached| before.as_ref() == Some(&reached.list));
        if !kept || reached.is_none_or(|reached| reached.names < 2) {
            return Ok(());
        }
        let message =
            "the graph decides whether a name stays the list that it is, and the list has another name";
        Err(refused(self.host, message))
    }

    /// Lets a variable that was one list flow by what it holds from now on, unless it still is this list.
    fn compare(&self, at: usize, before: &H::Object, now: (&H::Object, &H::Value), flows: bool) {
        let was_flowing = self.is_carried(before);
        let (list, value) = now;
        if list == before {
            return;
        }
        let other_form = || {
            self.host.items(list).len() != self.host.items(before).len()
                || self.host.holds_rows(list) != self.host.holds_rows(before)
        };
        if !(flows || was_flowing || other_form()) {
            return;
        }
        // In a loop the variable is given a copy; if it still is that copy, the list itself was changed.
        let is_copy = self.given.borrow().get(at).is_some_and(|given| self.host.is_object(given, value));
        if is_copy && !was_flowing {
            self.host.lists().note(before, true, self.host.here());
            self.host.lists().reach(before, "a list");
        } else {
            self.by_value.borrow_mut().insert(at, None);
        }
        self.again.set(true);
    }

    /// A list that flows by itself cannot also be a part of a variable.
    fn judge(&self, value: &H::Value, slot: &Slot) -> Result<(), H::Error> {
        if self.carried().next().is_none() {
            return Ok(());
        }
        self.host.inside(value)?.into_iter().flatten().try_for_each(|item| self.judge_part(&item, slot))
    }

    /// The same for a part of a variable.
    fn judge_part(&self, part: &H::Value, slot: &Slot) -> Result<(), H::Error> {
        if self.host.list(part).is_some_and(|list| self.is_carried(&list)) {
            let message = format!("{slot} is assigned here and holds a list that changes here");
            return Err(refused(self.host, message));
        }
        self.judge(part, slot)
    }

    /// A returned value as it flows: nobody changes the lists in a tuple any more, so each may be any list, unless two are one.
    fn returned(&self, value: &H::Value) -> Result<H::Value, H::Error> {
        let mut met = Vec::new();
        match self.returned_part(value, &mut met)? {
            Some(other) => Ok(other),
            None => Ok(value.clone()),
        }
    }

    /// The same for a part of one; nothing if it stays what it is.
    fn returned_part(
        &self,
        value: &H::Value,
        met: &mut Vec<H::Object>,
    ) -> Result<Option<H::Value>, H::Error> {
        if let Some(list) = self.host.list(value).filter(|list| self.is_carried(list) && !met.contains(list))
        {
            met.push(list.clone());
            return self.contents(&list).map(Some);
        }
        let Some(mut items) = self.host.tuple(value)? else {
            self.judge_part(value, &Slot::Returned)?;
            return Ok(None);
        };
        let mut is_other = false;
        for item in &mut items {
            if let Some(part) = self.returned_part(item, met)? {
                (*item, is_other) = (part, true);
            }
        }
        if is_other { self.host.tuple_like(value, items).map(Some) } else { Ok(None) }
    }

    /// The contents of the lists, as they flow.
    pub fn values(&self) -> Result<Vec<H::Value>, H::Error> {
        let value = |reached: &Reached<H>| match reached.carried {
            Some(true) => self.contents(&reached.list),
            Some(false) | None => {
                let copy = self.host.new_list(self.host.items(&reached.list))?;
                Ok(self.host.value_of(&copy))
            }
        };
        self.carried().map(value).collect()
    }

    /// The lists whose items flow one by one: which, the text that the user would write for it, and itself.
    pub fn of_items(&self) -> impl Iterator<Item = (usize, &str, &H::Object)> {
        let is_of_items =
            |reached: &Reached<H>| reached.carried == Some(false) && !self.host.holds_rows(&reached.list);
        let all = self.reached.iter().enumerate().filter(move |(_, reached)| is_of_items(reached));
        all.map(|(at, reached)| (at, &*reached.path, &reached.list))
    }

    /// The elements of a list as one value.
    fn contents(&self, list: &H::Object) -> Result<H::Value, H::Error> {
        match flowing(self.host, list)? {
            None => self.host.no_elements(),
            Some(elements) => Ok(self.host.value_of(&elements.to_list(self.host)?)),
        }
    }

    /// The variables as the program sees them.
    pub fn restored(&self, values: &[H::Value]) -> Result<Vec<H::Value>, H::Error> {
        let value = |(at, value): (usize, &H::Value)| {
            if let Some(same) = self.host.stood_for(value) {
                return Ok(same);
            }
            let kind = self.by_value.borrow().get(&at).copied();
            let list = match (self.host.list(value), kind) {
                (Some(list), Some(_)) => {
                    self.host.is_copied_list(&list)?;
                    self.host.new_list(self.host.items(&list))?
                }
                (Some(_), None) => return Ok(value.clone()),
                (None, _) if self.host.is_no_elements(value) => self.host.new_list(Vec::new())?,
                (None, _) => return Ok(value.clone()),
            };
            match kind.flatten() {
                None => Ok(self.host.value_of(&list)),
                Some(kind) => self.host.new_table(kind, &list),
            }
        };
        let values = values.iter().enumerate().map(value).collect::<Result<Vec<_>, H::Error>>()?;
        self.given.replace(values.clone());
        self.note_walked(&values)?;
        Ok(values)
    }

    /// Each list, dict or set that a variable gets in place of its own may be one over which a loop runs, if one of these was that.
    fn note_walked(&self, values: &[H::Value]) -> Result<(), H::Error> {
        let first = self.first.borrow();
        let both = first.iter().flatten().zip(values);
        let others: Vec<_> = both.filter(|(before, now)| !self.host.is_object(before, now)).collect();
        for (before, _) in &others {
            if self.is_walked(before)? {
                return others.iter().try_for_each(|(_, now)| self.add_copy(now));
            }
        }
        Ok(())
    }

    fn is_walked(&self, value: &H::Value) -> Result<bool, H::Error> {
        let contents = contained(self.host, value)?;
        let same = |object: &H::Value| {
            self.host.is_object(object, value)
                || contents.as_ref().is_some_and(|list| self.host.list(object).as_ref() == Some(list))
        };
        Ok(self.host.lists().is_walked(same))
    }

    fn add_copy(&self, value: &H::Value) -> Result<(), H::Error> {
        if self.host.list(value).is_some() || self.host.table(value).is_some() {
            self.host.lists().add_copy(value, &held_in(self.host, value)?);
        }
        Ok(())
    }

    /// Gives the lists these contents.
    pub fn set(&self, values: &[H::Value]) -> Result<(), H::Error> {
        for (reached, value) in self.carried().zip(values) {
            let items = self.host.list(value).map_or_else(Vec::new, |list| self.host.items(&list));
            self.host.fill(&reached.list, items)?;
        }
        Ok(())
    }

    /// Gives every list what it held before the statement.
    pub fn undo(&self) -> Result<(), H::Error> {
        self.host.lists().forget_copies(&self.copies);
        for Reached { list, held, .. } in &self.reached {
            if !self.same(&self.host.items(list), held) {
                self.host.fill(list, held.clone())?;
            }
        }
        Ok(())
    }

    /// Outside of all branches and loops, lists of few elements whose number is known are the host's again.
    pub fn end(&self) -> Result<(), H::Error> {
        let trace = self.host.trace();
        if trace.in_region() {
            return Ok(());
        }
        for reached in self.carried().filter(|reached| self.host.holds_rows(&reached.list)) {
            if self.host.doubt(&reached.list)?.is_some() {
                continue;
            }
            let Some(held) = elements(self.host, &reached.list)? else { continue };
            let Some(count) = held.count(trace).filter(|&count| count <= MOST_TAKEN_OUT) else {
                held.put(self.host, &reached.list)?;
                continue;
            };
            let item = |at: usize| held.moved(self.host, &reached.list, &Index::Known(at as i64));
            let items = (0..count).map(item).collect::<Result<_, _>>()?;
            self.host.fill(&reached.list, items)?;
        }
        Ok(())
    }
}
