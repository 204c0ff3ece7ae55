//! Modules of the standard library whose objects hold what a program gives them.

/// The modules of the standard library whose objects hold what a program stores as their attributes.
const NAMESPACES: [&str; 2] = ["argparse", "types"];

/// The same of those whose methods store it.
const CONTAINERS: [&str; 12] = [
    "_weakrefset",
    "collections",
    "configparser",
    "contextlib",
    "email",
    "graphlib",
    "http",
    "logging",
    "os",
    "queue",
    "sched",
    "weakref",
];

/// Classes of Python's own whose objects hold others out of sight, and the attributes that give these.
const PARTS: [((&str, &str), &[&str]); 5] = [
    (("builtins", "builtin_function_or_method"), &["__self__"]),
    (("builtins", "method"), &["__self__", "__func__"]),
    (("builtins", "method-wrapper"), &["__self__"]),
    (("functools", "_lru_cache_wrapper"), &["__wrapped__"]),
    (("functools", "partial"), &["func", "args", "keywords"]),
];

/// The attributes that give what an object of such a class holds.
pub fn parts(module: &str, class: &str) -> Option<&'static [&'static str]> {
    PARTS.iter().find(|(known, _)| *known == (module, class)).map(|(_, parts)| *parts)
}

/// True of a module whose objects hold what a program stores as their attributes.
pub fn is_namespace(module: &str) -> bool {
    NAMESPACES.contains(&module)
}

/// True of a module of the standard library whose objects' methods store what a program gives them.
pub fn is_container(module: &str) -> bool {
    CONTAINERS.contains(&module.split('.').next().unwrap_or_default())
}
