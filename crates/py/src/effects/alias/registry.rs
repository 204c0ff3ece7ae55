//! The objects of one tracing of which the graph decides whether they are one.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gw_base::{Code, Diagnostic, Loc};
use gw_trace::Slot;
use pyo3::prelude::*;

use super::reference_counts::Names;
use crate::containers::tables::entries;
use crate::effects::watched_container::same;
use crate::exceptions::errors;
use crate::host::structure::{self, Kind};
use crate::session::{Feature, FeatureSlot, Tracing, frames};

/// The groups of such objects.
#[derive(Debug, Default)]
pub struct Registry(Mutex<Vec<Group>>);

impl Feature for Registry {
    fn slot() -> FeatureSlot {
        FeatureSlot::Alias
    }
}

impl Tracing {
    /// The objects of which the graph decides whether they are one.
    pub fn boxes(&self) -> &Registry {
        self.feature()
    }
}

/// The number of groups at one moment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mark(pub usize);

/// Objects of which the graph decides whether they are one.
#[derive(Debug)]
pub struct Group {
    pub members: Vec<Member>,
    /// The addresses of those that were made to stand for one of the others.
    pub made: HashSet<usize>,
    /// True if one of the others had another name.
    pub aliased: bool,
    /// True if the part of the statement is still being traced that made it so.
    pub is_open: bool,
    /// True while they are what a function returns that runs: until it ends, all that happens is on paths that do not return.
    pub waits: bool,
    /// True of an object that a list of the graph holds as well, as what it is made of: that lasts beyond the part of a statement.
    pub is_listed: bool,
    /// True of an object in a list where a part of a statement has been traced since: its changes are undone, so the snapshot is old.
    pub is_stale: bool,
    /// The variable that is one of them.
    pub slot: Slot,
    /// The statement that made it so.
    pub place: Option<Loc>,
}

/// An object, and what it held when it became one of a group.
#[derive(Debug)]
pub struct Member {
    object: Py<PyAny>,
    held: Vec<Py<PyAny>>,
}

impl Member {
    /// With what it holds now.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let held = held(object)?.into_iter().map(Bound::unbind).collect();
        Ok(Self { object: object.clone().unbind(), held })
    }

    fn address(&self) -> usize {
        self.object.as_ptr() as usize
    }

    /// The addresses of what holds its parts.
    fn addresses(&self, py: Python<'_>) -> PyResult<Vec<usize>> {
        let fields = self.object.bind(py).getattr_opt("__dict__")?;
        Ok([self.address()].into_iter().chain(fields.map(|fields| fields.as_ptr() as usize)).collect())
    }

    fn is_changed(&self, py: Python<'_>) -> PyResult<bool> {
        let before: Vec<_> = self.held.iter().map(|item| item.bind(py).clone()).collect();
        Ok(!same(&before, &held(self.object.bind(py))?))
    }
}

/// So many objects may be one: what each of them holds is compared wherever a statement looks at its variables.
const MOST_MEMBERS: usize = 160;

/// The diagnostic where one of the objects is changed.
const CHANGED: &str = "one of them is changed afterwards";

/// The same where a container finds one of them by its identity.
const SEARCHED: &str = "a set, a dict or a search asks which";

/// Contents of an object: the names or keys of its parts, and the parts.
fn held<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = object.py();
    if let Some(list) = entries::list_of(object)? {
        return Ok(list.iter().collect());
    }
    let Some((kind, mut items)) = structure::open(object)? else { return Ok(Vec::new()) };
    match kind {
        Kind::Fields(_, names) => items.extend(names.iter().map(|name| name.bind(py).clone().into_any())),
        Kind::Mapping(mapping) => items.extend(mapping.keys().iter().map(|key| key.bind(py).clone())),
        Kind::List | Kind::Tuple(_) | Kind::Optional | Kind::Table(_) => {}
        Kind::OfHost(_) | Kind::Member(_) => {}
    }
    Ok(items)
}

impl Group {
    /// True if one of its objects holds something else than when it became one of them.
    fn is_changed(&self, py: Python<'_>) -> PyResult<bool> {
        for member in &self.members {
            if member.is_changed(py)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// True if a change of one of its objects would be an error.
    fn is_told(&self) -> bool {
        self.is_open && self.aliased && !self.waits
    }

    fn has(&self, member: &Member) -> bool {
        self.members.iter().any(|own| own.object.is(&member.object))
    }

    /// Takes down what its objects hold now.
    fn begin(&mut self, py: Python<'_>) -> PyResult<()> {
        for member in &mut self.members {
            *member = Member::of(member.object.bind(py))?;
        }
        self.is_stale = false;
        Ok(())
    }

    /// Takes in the objects of another group.
    fn take(&mut self, other: &Self, py: Python<'_>) -> PyResult<()> {
        self.aliased |= other.aliased;
        self.is_listed |= other.is_listed;
        if other.is_open {
            self.made.extend(&other.made);
        }
        for member in &other.members {
            if !self.has(member) {
                self.members.push(Member::of(member.object.bind(py))?);
            }
        }
        Ok(())
    }

    /// The diagnostic of something that depends on which objects are one.
    fn unclear(&self, what: &str) -> PyErr {
        if self.is_listed {
            return in_list(what, self.place.clone());
        }
        let slot = &self.slot;
        let message = format!("the graph decides which of several objects {slot} is, and {what}");
        let help = "do that where the object is chosen, `if t: a.x += 1` and `else: b.x += 1`, or choose a copy, `a.copy()` \
                    of lists and dicts or `copy.copy(a)`";
        let found = Diagnostic::new(Code::StoreUnclear, message).help(help);
        errors::raise(&match &self.place {
            Some(place) => found.at(place.clone(), "this decides which it is"),
            None => found,
        })
    }
}

/// The same of objects that a list of the graph holds, which enter it or are taken from it at a place.
fn in_list(what: &str, place: Option<Loc>) -> PyErr {
    let message = format!("a list in the graph holds objects as what they are made of, and {what}");
    let help = "put a changed copy there, `xs[i] = P(…)`, or let the list hold tuples";
    let found = Diagnostic::new(Code::StoreUnclear, message).help(help);
    errors::raise(&match place {
        Some(place) => found.at(place, "here an object enters the list or is taken from it"),
        None => found,
    })
}

impl Registry {
    fn lock(&self) -> MutexGuard<'_, Vec<Group>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The groups that there are.
    pub fn mark(&self) -> Mark {
        Mark(self.lock().len())
    }

    /// Forgets the groups that were made since.
    pub fn rewind(&self, mark: Mark) {
        drop(self.since(mark));
    }

    fn since(&self, mark: Mark) -> Vec<Group> {
        let mut groups = self.lock();
        let first = mark.0.min(groups.len());
        groups.split_off(first)
    }

    /// Says that what made the groups since has been traced.
    pub fn suspend(&self, mark: Mark) {
        for group in self.lock().iter_mut().skip(mark.0) {
            group.is_open = group.is_listed;
            group.is_stale = group.is_listed;
        }
    }

    /// True if a part of a statement that is still being traced made none since.
    pub fn is_clear(&self, mark: Mark) -> bool {
        !self.lock().iter().skip(mark.0).any(|group| group.is_open)
    }

    /// Adds a group, in which those are that share an object with it. In a statement that comes again, what is `changed` in it
    /// is changed once more afterwards.
    pub fn join(
        &self,
        py: Python<'_>,
        mut group: Group,
        mark: Mark,
        changed: Option<&HashSet<usize>>,
    ) -> PyResult<()> {
        let (mut others, mut was_changed) = (Vec::new(), false);
        for other in self.since(mark) {
            if !group.members.iter().any(|member| other.has(member)) {
                others.push(other);
                continue;
            }
            was_changed |= changed.is_some() && other.is_changed(py)?;
            group.take(&other, py)?;
        }
        let around: Vec<Group> = std::mem::take(&mut *self.lock());
        let shared = around.iter().filter(|other| group.members.iter().any(|member| other.has(member)));
        let shared: Vec<_> = shared.collect();
        let taken = shared.into_iter().try_for_each(|other| group.take(other, py));
        self.lock().extend(around);
        taken?;
        if group.members.len() > MOST_MEMBERS {
            return Err(group.unclear("there are too many of them"));
        }
        if let Some(changed) = changed.filter(|_| group.aliased && !group.waits) {
            for member in &group.members {
                was_changed |= member.addresses(py)?.iter().any(|address| changed.contains(address));
            }
            if was_changed {
                return Err(group.unclear(CHANGED));
            }
        }
        self.lock().extend(others.into_iter().chain([group]));
        Ok(())
    }

    /// Forgets of the groups that were made since the objects without a name, which nobody can change.
    pub fn prune(&self, mark: Mark, names: &Names, py: Python<'_>) -> PyResult<()> {
        let mut groups = self.since(mark);
        for group in groups.iter_mut().filter(|group| group.is_open) {
            let made = std::mem::take(&mut group.made);
            let stays =
                |member: &Member| made.contains(&member.address()) || names.of_address(member.address()) > 0;
            group.members.retain(stays);
            group.made = made;
            group.aliased &= group.members.len() > 1 || group.is_listed;
        }
        groups.retain(|group| !group.members.is_empty());
        let begun = groups.iter_mut().filter(|group| group.is_stale).try_for_each(|group| group.begin(py));
        self.lock().extend(groups);
        begun
    }

    /// An error if an object was changed that may be one with another.
    pub fn check(&self, py: Python<'_>) -> PyResult<()> {
        let mut groups = std::mem::take(&mut *self.lock());
        let mut found = Ok(());
        for group in groups.iter_mut().filter(|group| group.is_told()) {
            if group.is_stale {
                found = group.begin(py);
            } else if group.is_changed(py)? {
                found = Err(group.unclear(CHANGED));
            }
            if found.is_err() {
                break;
            }
        }
        self.lock().splice(..0, groups);
        found
    }

    /// A function returns these objects: from now on they may be changed, with what they hold now.
    pub fn returned(&self, objects: &[Bound<'_, PyAny>], py: Python<'_>) -> PyResult<()> {
        let mut groups = std::mem::take(&mut *self.lock());
        let is_one = |member: &Member| objects.iter().any(|object| member.object.is(object));
        let mut done = Ok(());
        for group in groups.iter_mut().filter(|group| group.waits && group.members.iter().any(is_one)) {
            group.waits = false;
            done = done.and(group.begin(py));
        }
        self.lock().splice(..0, groups);
        done
    }

    /// An object is in a list of the graph.
    pub fn list(&self, object: &Bound<'_, PyAny>, place: Option<Loc>) -> PyResult<()> {
        let member = Member::of(object)?;
        let mut groups = self.lock();
        if !groups.iter().any(|group| group.is_listed && group.has(&member)) {
            groups.push(Group {
                members: vec![member],
                made: HashSet::new(),
                aliased: true,
                is_open: true,
                waits: false,
                is_listed: true,
                is_stale: false,
                slot: Slot::Contents,
                place,
            });
        }
        Ok(())
    }

    /// The objects that lists hold as what they are made of, and those that may be one with them.
    pub fn listed<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
        let groups = self.lock();
        let members = groups.iter().filter(|group| group.is_listed).flat_map(|group| &group.members);
        members.map(|member| member.object.bind(py).clone()).collect()
    }

    /// True if an object stands for one of several that have other names or are in lists.
    pub fn may_be_another(&self, object: &Bound<'_, PyAny>) -> bool {
        let address = object.as_ptr() as usize;
        let is_made = |group: &Group| group.made.contains(&address) && (group.aliased || group.is_listed);
        self.lock().iter().any(is_made)
    }

    /// Does something with each object of each group.
    pub fn each_member(&self, look: &mut dyn FnMut(&Py<PyAny>)) {
        self.lock().iter().flat_map(|group| &group.members).for_each(|member| look(&member.object));
    }

    /// Forgets objects in lists that nobody holds any more.
    pub fn forget<'a>(&self, objects: impl Iterator<Item = &'a Py<PyAny>>) {
        let gone: HashSet<_> = objects.map(|object| object.as_ptr() as usize).collect();
        let is_gone = |group: &mut Group| {
            group.is_listed && group.members.len() == 1 && gone.contains(&group.members[0].address())
        };
        let gone: Vec<_> = self.lock().extract_if(.., is_gone).collect();
        drop(gone);
    }

    /// Takes down anew what these objects hold, which is what the lists hold now.
    pub fn look_again(&self, objects: &[Py<PyAny>], py: Python<'_>) -> PyResult<()> {
        let mut groups = std::mem::take(&mut *self.lock());
        let members = groups.iter_mut().flat_map(|group| &mut group.members);
        let mut done = Ok(());
        for member in members.filter(|member| objects.iter().any(|object| object.is(&member.object))) {
            match Member::of(member.object.bind(py)) {
                Ok(now) => *member = now,
                Err(error) => done = Err(error),
            }
        }
        self.lock().splice(..0, groups);
        done
    }

    /// The diagnostic of an object in a list that is changed.
    pub fn changed_in_list(&self, object: &Bound<'_, PyAny>) -> PyErr {
        self.in_list(object, CHANGED)
    }

    /// The diagnostic of one that is searched for by its identity.
    pub fn searched_in_list(&self, object: &Bound<'_, PyAny>) -> PyErr {
        self.in_list(object, SEARCHED)
    }

    fn in_list(&self, object: &Bound<'_, PyAny>, what: &str) -> PyErr {
        let groups = self.lock();
        let is_one = |group: &&Group| group.members.iter().any(|member| member.object.is(object));
        match groups.iter().filter(|group| group.is_listed).find(is_one) {
            Some(group) => group.unclear(what),
            None => in_list(what, frames::place(object.py())),
        }
    }

    /// True if an object came into a list since.
    pub fn has_listed(&self, mark: Mark) -> bool {
        self.lock().iter().skip(mark.0).any(|group| group.is_listed)
    }

    /// An error if an object that came into a list since is one that the statement, which comes again, has changed; but for those
    /// that a list `keeps` as they are.
    pub fn check_listed(
        &self,
        mark: Mark,
        changed: &HashSet<usize>,
        py: Python<'_>,
        keeps: impl Fn(&Py<PyAny>) -> bool,
    ) -> PyResult<()> {
        for group in self.lock().iter().skip(mark.0).filter(|group| group.is_listed) {
            for member in group.members.iter().filter(|member| !keeps(&member.object)) {
                if member.addresses(py)?.iter().any(|address| changed.contains(address)) {
                    return Err(group.unclear(CHANGED));
                }
            }
        }
        Ok(())
    }

    /// An error if two objects may be one.
    pub fn differ(&self, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<()> {
        let has = |group: &Group, object: &Bound<'_, PyAny>| {
            group.members.iter().any(|member| member.object.is(object))
        };
        let groups = self.lock();
        let listed = |object| groups.iter().find(|group| group.is_listed && has(group, object));
        if let (Some(group), Some(_)) = (listed(a), listed(b)) {
            return Err(group.unclear("`is` asks which"));
        }
        match groups.iter().find(|group| group.is_open && !group.waits && has(group, a) && has(group, b)) {
            Some(group) => Err(group.unclear("`is` asks which")),
            None => Ok(()),
        }
    }

    /// An error if an object may be another one that has a name too.
    pub fn check_identity(&self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        let groups = self.lock();
        let is_unclear = |group: &&Group| {
            group.is_told()
                && group.members.len() > 1
                && group.members.iter().any(|own| own.object.is(object))
        };
        match groups.iter().find(is_unclear) {
            Some(group) => Err(group.unclear(SEARCHED)),
            None => Ok(()),
        }
    }

    /// An error if more than one object of a group stays behind the function, of which one was made to stand for another.
    pub fn check_places(&self, stays: &dyn Fn(&Bound<'_, PyAny>) -> bool, py: Python<'_>) -> PyResult<()> {
        let lost = |group: &&Group| {
            let staying = group.members.iter().filter(|member| stays(member.object.bind(py)));
            let addresses: HashSet<_> = staying.map(Member::address).collect();
            addresses.len() > 1 && !addresses.is_disjoint(&group.made)
        };
        match self.lock().iter().find(lost) {
            Some(group) => Err(group.unclear("more than one of them stays behind the call")),
            None => Ok(()),
        }
    }

    /// [`check`](Self::check) where the function ends, which forgets them all.
    pub fn close(&self, py: Python<'_>) -> PyResult<()> {
        let checked = self.check(py);
        self.rewind(Mark(0));
        checked
    }
}
