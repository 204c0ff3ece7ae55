//! Reads in short texts.

use expect_test::{Expect, expect};
use gw_base::Source;

use super::*;

fn of(text: &str) -> Reads {
    reads(&gw_syntax::parse(&Source::new("f.py", text)).value)
}

fn check(text: &str, expected: Expect) {
    let chains: Vec<_> = of(text).chains.iter().map(Chain::to_string).collect();
    expected.assert_eq(&chains.join(" "));
}

#[test]
fn the_example() {
    check("f(self.rate * self.rates[\"a\"])", expect!["f() f→ self.rate self.rates['a']"]);
}

#[test]
fn what_is_only_stored_is_not_read() {
    check("a.x = b.y; a.z += 1; a.p.q = 1", expect!["a.p.q= a.p→ a.z→ a.x= a.z= a→ b.y→ b.y→|"]);
    check("for a.i in b.c:\n    del a.d\nwith e.f as a.g: pass", expect!["a.d= a.g= a.i= a→ b.c e.f"]);
}

#[test]
fn chains_begin_with_a_name() {
    check("f(x).y.z; (a.b)[c.d].e; lambda: g.h", expect!["a.b[…].e c.d f().y.z f→ g.h x.y.z x→"]);
}

#[test]
fn items_are_read_by_what_stands_between_the_brackets() {
    check("a[0].b; a['k'][i]; a[-1]", expect!["a['k'][…] a[0].b a[…] i"]);
    check("getattr(a.b, 'c').d; getattr(a, n)", expect!["a.b.c.d a.… getattr→ n→"]);
}

#[test]
fn local_names_are_what_they_stand_for() {
    check("s = self; c, d = s.x, 1; c.y", expect!["c.y s.x.y s.x→ s.x→| self.x.y self.x→ self.x→| self→"]);
    check("for a in m.l: a.w", expect!["a.w m.l m.l[…].w"]);
    check(
        "for i, (a, b) in enumerate(m.l): b.w",
        expect!["b.w enumerate() enumerate()[…][…][…].w enumerate→ m.l[…][…].w m.l[…][…][…].w m.l→"],
    );
    check(
        "[v.w for k, v in d.items()]",
        expect!["d.items() d.items()[…][…] d.items()[…][…].w d[…] d[…].w k v v.w"],
    );
    check("a = b; b = a; a.x", expect!["a.x a→ b.x b→"]);
}

#[test]
fn calls_are_what_they_give() {
    check("c = get(); c.r; s.get_config().rate", expect!["c.r get().r get()→ get→ s.get_config().rate"]);
    check(
        "type(a).k; vars(a)['k']; globals()['g']",
        expect!["a.__class__.k a.__dict__['k'] globals→ globals()['g'] type→ vars→"],
    );
    check(
        "d.get('a').b; os.getenv('K', e); d.get(k)",
        expect!["d.get() d.get('a').b e→ k→ os.getenv.get('K')"],
    );
    check("x = f.s(x); x = x.t()", expect!["f.s().t()→ f.s()→ x.t()→ x→"]);
}

#[test]
fn what_is_returned_is_told() {
    let returned = of("def f(self):\n    c = self.c\n    return c.d").returned;
    let shown: Vec<_> = returned.iter().map(Chain::to_string).collect();
    expect!["c.d self.c.d"].assert_eq(&shown.join(" "));
}

#[test]
fn what_is_passed_is_told() {
    let passed = of("s = self\nm.helper(1, s.c, k=d)").passed;
    let show = |p: &Passed| format!("{} {:?} {}", p.callee, p.to, p.given);
    let shown: Vec<_> = passed.iter().map(show).collect();
    expect![[r#"m.helper At(1) s.c; m.helper At(1) self.c; m.helper Named("k") d"#]]
        .assert_eq(&shown.join("; "));
}

#[test]
fn what_is_handed_on_is_not_read_yet() {
    check("a = b; f(c, k=d); e is None; g, h = i, j", expect!["b→ c→ d→ e→ f() f→ i→ i→| j→ j→|"]);
    check("len(a) + b; map(f, c); d[0]", expect!["a→ b c d[0] f len() len→ map() map→"]);
}

#[test]
fn functions_that_read_attributes_are_what_they_read() {
    check("hasattr(a, 'b'); hasattr(a, n); dir(c)", expect!["a.b a.… c.… dir→ hasattr→ n→"]);
    check(
        "attrgetter('b.c')(a); o.methodcaller('m')(a); o.itemgetter(0)(a)",
        expect!["a.b.c a.m() a[0] a→ attrgetter→"],
    );
}

#[test]
fn what_has_no_name_is_read_through() {
    check(
        "[a, b][0].s; (c or d).t; (e if f else g).u",
        expect!["a.s a→ a→| b.s b→ b→| c c.t d d.t e e.u f g g.u"],
    );
    check("o = [a][i]; o.s", expect!["a.s a→ a→| i o.s"]);
    check(
        "for o in sorted([a], key=id): o.s",
        expect!["a.s a[…].s a→ a→| id[…].s id[…][…].s id→ o.s sorted() sorted()[…].s sorted→"],
    );
}

#[test]
fn a_call_may_give_what_it_is_given() {
    check("o = pick(a); o.s", expect!["a.s a→ o.s pick().s pick()→ pick→"]);
    check("max([a, b], key=f).s", expect!["a.s a→ a→| b.s b→ b→| f.s f[…].s f→ max().s max→"]);
    check("pick(pick(a)).s", expect!["a.s a→ pick().s pick()→ pick→"]);
}

#[test]
fn calls_that_are_given_results_of_one_another_are_bounded() {
    let text = "while a:\n    if b:\n        b, a = f(b, a[0][2:], c, a[1:])\n    else:\n        b, a = g(b, a[0][1:], d, a[1:])\nreturn b, a\n";
    assert!(of(&format!("{text}{}", text.replace('f', "h").replace('g', "k"))).chains.len() < 500);
}
