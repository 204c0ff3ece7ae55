//! The table of intrinsics: name, uri, template, and what kind of aggregation or broadcast each is.

use crate::refusal::{Allowed, Refusal};
use crate::types::{Interns, Type, check_concrete_instance_of};

/// Parties that see the single values of an aggregation or of a broadcast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exposure {
    /// The aggregator, or the clients.
    Default,
    /// Nobody.
    Secure,
}

macro_rules! define_intrinsics {
    ($($intrinsic:ident = $name:literal, $uri:literal, $template:literal, $aggregation:expr, $broadcast:expr;)*) => {
        /// An operation of the language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Intrinsic {
            $(#[doc = concat!("`", $template, "`")] $intrinsic,)*
        }

        impl Intrinsic {
            /// Every intrinsic.
            pub const ALL: &'static [Intrinsic] = &[$(Intrinsic::$intrinsic),*];

            /// Returns the name of the definition.
            pub fn name(self) -> &'static str {
                match self { $(Intrinsic::$intrinsic => $name),* }
            }

            /// Returns the name that programs use.
            pub fn uri(self) -> &'static str {
                match self { $(Intrinsic::$intrinsic => $uri),* }
            }

            fn template_text(self) -> &'static str {
                match self { $(Intrinsic::$intrinsic => $template),* }
            }

            /// Returns the kind of aggregation, if it is one.
            pub fn aggregation(self) -> Option<Exposure> {
                match self { $(Intrinsic::$intrinsic => $aggregation),* }
            }

            /// Returns the kind of broadcast, if it is one.
            pub fn broadcast(self) -> Option<Exposure> {
                match self { $(Intrinsic::$intrinsic => $broadcast),* }
            }
        }
    };
}

const NO: Option<Exposure> = None;
const YES: Option<Exposure> = Some(Exposure::Default);
const SECURE: Option<Exposure> = Some(Exposure::Secure);

define_intrinsics! {
    Aggregate = "FEDERATED_AGGREGATE", "federated_aggregate",
        "(<{T}@CLIENTS,U,(<U,T> -> U),(<U,U> -> U),(U -> R)> -> R@SERVER)", YES, NO;
    Apply = "FEDERATED_APPLY", "federated_apply", "(<(T -> U),T@SERVER> -> U@SERVER)", NO, NO;
    Broadcast = "FEDERATED_BROADCAST", "federated_broadcast", "(T@SERVER -> T@CLIENTS)", NO, YES;
    EvalAtClients = "FEDERATED_EVAL_AT_CLIENTS", "federated_eval_at_clients", "(( -> T) -> {T}@CLIENTS)", NO, NO;
    EvalAtServer = "FEDERATED_EVAL_AT_SERVER", "federated_eval_at_server", "(( -> T) -> T@SERVER)", NO, NO;
    Map = "FEDERATED_MAP", "federated_map", "(<(T -> U),{T}@CLIENTS> -> {U}@CLIENTS)", NO, NO;
    MapAllEqual = "FEDERATED_MAP_ALL_EQUAL", "federated_map_all_equal",
        "(<(T -> U),T@CLIENTS> -> U@CLIENTS)", NO, NO;
    Max = "FEDERATED_MAX", "federated_max", "({T}@CLIENTS -> T@SERVER)", YES, NO;
    Mean = "FEDERATED_MEAN", "federated_mean", "({T}@CLIENTS -> T@SERVER)", YES, NO;
    Min = "FEDERATED_MIN", "federated_min", "({T}@CLIENTS -> T@SERVER)", YES, NO;
    SecureSelect = "FEDERATED_SECURE_SELECT", "federated_secure_select",
        "(<{Ks}@CLIENTS,int32@SERVER,T@SERVER,(<T,int32> -> U)> -> {U*}@CLIENTS)", NO, SECURE;
    SecureSum = "FEDERATED_SECURE_SUM", "federated_secure_sum", "(<{V}@CLIENTS,M> -> V@SERVER)", SECURE, NO;
    SecureSumBitwidth = "FEDERATED_SECURE_SUM_BITWIDTH", "federated_secure_sum_bitwidth",
        "(<{V}@CLIENTS,B> -> V@SERVER)", SECURE, NO;
    Select = "FEDERATED_SELECT", "federated_select",
        "(<{Ks}@CLIENTS,int32@SERVER,T@SERVER,(<T,int32> -> U)> -> {U*}@CLIENTS)", NO, YES;
    Sum = "FEDERATED_SUM", "federated_sum", "({T}@CLIENTS -> T@SERVER)", YES, NO;
    ValueAtClients = "FEDERATED_VALUE_AT_CLIENTS", "federated_value_at_clients", "(T -> T@CLIENTS)", NO, NO;
    ValueAtServer = "FEDERATED_VALUE_AT_SERVER", "federated_value_at_server", "(T -> T@SERVER)", NO, NO;
    WeightedMean = "FEDERATED_WEIGHTED_MEAN", "federated_weighted_mean",
        "(<{T}@CLIENTS,{U}@CLIENTS> -> T@SERVER)", YES, NO;
    ZipAtClients = "FEDERATED_ZIP_AT_CLIENTS", "federated_zip_at_clients", "(T -> {U}@CLIENTS)", NO, NO;
    ZipAtServer = "FEDERATED_ZIP_AT_SERVER", "federated_zip_at_server", "(T -> U@SERVER)", NO, NO;
    Divide = "GENERIC_DIVIDE", "generic_divide", "(<T,T> -> U)", NO, NO;
    Multiply = "GENERIC_MULTIPLY", "generic_multiply", "(<T,T> -> T)", NO, NO;
    Plus = "GENERIC_PLUS", "generic_plus", "(<T,T> -> T)", NO, NO;
    Zero = "GENERIC_ZERO", "generic_zero", "T", NO, NO;
    SequenceMap = "SEQUENCE_MAP", "sequence_map", "(<(T -> U),T*> -> U*)", NO, NO;
    SequenceReduce = "SEQUENCE_REDUCE", "sequence_reduce", "(<T*,U,(<U,T> -> U)> -> U)", NO, NO;
    SequenceSum = "SEQUENCE_SUM", "sequence_sum", "(T* -> T)", NO, NO;
}

impl Intrinsic {
    /// Returns the intrinsic of the name `uri`.
    pub fn from_uri(uri: &str) -> Option<Intrinsic> {
        Intrinsic::ALL.iter().copied().find(|intrinsic| intrinsic.uri() == uri)
    }

    /// Returns the type that the types of all uses are instances of.
    pub fn template<H: Interns>(self) -> Type<H> {
        let read = |intrinsic: &Intrinsic| match Type::parse(intrinsic.template_text()) {
            Ok(template) => template,
            Err(refusal) => unreachable!("a template of the table is a type: {}", refusal.message),
        };
        H::interner().templates(|| Intrinsic::ALL.iter().map(read).collect())[self as usize].clone()
    }
}

/// Refuses a type that is no instance of the template of `uri`; an unknown intrinsic may have any type.
///
/// # Errors
///
/// A `TypeError` that names the type and the template.
pub fn check_type<H: Interns>(uri: &str, ty: &Type<H>) -> Allowed<()> {
    match Intrinsic::from_uri(uri) {
        Some(intrinsic) => check_concrete_instance_of(ty, &intrinsic.template()),
        None if uri.is_empty() => Err(Refusal::wrong_value("The uri of an intrinsic cannot be empty.")),
        None => Ok(()),
    }
}
