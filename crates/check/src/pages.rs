//! The pages of the diagnostics, as `graphwright explain` shows them.

macro_rules! pages {
    ($($code:literal)*) => {
        /// Every page with its code, in their order.
        pub const PAGES: &[(&str, &str)] =
            &[$(($code, include_str!(concat!("../../../docs/diagnostics/", $code, ".md")))),*];
    };
}

pages![
    "GW001" "GW002" "GW003" "GW004" "GW101" "GW102" "GW103" "GW104"
    "GW105" "GW106" "GW107" "GW108" "GW109" "GW110" "GW111" "GW112"
    "GW113" "GW114" "GW115" "GW116" "GW117" "GW118" "GW120" "GW121"
    "GW122" "GW123" "GW124" "GW125" "GW126" "GW130" "GW201" "GW202"
    "GW203" "GW204" "GW205" "GW301" "GW302" "GW303" "GW304" "GW305"
    "GW306" "GW401" "GW402" "GW501" "GW502" "GW503" "GW504"
];

/// The page of a code, in large or small letters: `GW203`, `gw203` or `203`.
pub fn page(code: &str) -> Option<&'static str> {
    let code = code.to_ascii_uppercase();
    let number = code.strip_prefix("GW").unwrap_or(&code);
    let is_it = |known: &str| known.strip_prefix("GW") == Some(number);
    PAGES.iter().find(|(known, _)| is_it(known)).map(|(_, page)| *page)
}

#[cfg(test)]
mod tests {
    use gw_base::Code;

    use super::{PAGES, page};

    #[test]
    fn every_code_has_a_page() {
        let without: Vec<_> = Code::ALL.iter().filter(|code| page(code.text()).is_none()).collect();
        assert!(without.is_empty(), "{without:?} have no page");
        assert!(PAGES.iter().all(|(code, page)| page.starts_with(&format!("# {code}: "))));
    }

    #[test]
    fn codes_are_found_as_people_write_them() {
        let title = |code: &str| page(code).and_then(|page| page.lines().next());
        assert_eq!(title("GW306"), title("306"));
        assert_eq!(title("gw306"), title("306"));
        assert!(title("306").is_some());
        assert_eq!(title("GW000"), None);
        assert_eq!(title(""), None);
    }
}
