//! Expressions whose trees nest deeper than any stack: long chains of operators, calls and brackets. They are found before the text is
//! parsed, since walks over the tree call themselves.

/// So many parts a chain may have.
pub const LONGEST: usize = 100_000;

/// The line, from 1, on which a chain of too many parts ends; what commas, colons and line ends divide are several chains.
pub fn too_long(text: &str) -> Option<u32> {
    if text.len() < LONGEST {
        return None;
    }
    let (mut line, mut parts, mut in_word) = (1, 0, false);
    for letter in text.bytes() {
        let is_word = letter.is_ascii_alphanumeric() || letter == b'_' || !letter.is_ascii();
        match letter {
            b'\n' => (line, parts) = (line + 1, 0),
            b',' | b';' | b':' => parts = 0,
            _ if is_word => parts += usize::from(!in_word),
            _ => parts += usize::from(!letter.is_ascii_whitespace()),
        }
        in_word = is_word;
        if parts > LONGEST {
            return Some(line);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::too_long;

    #[test]
    fn long_chains_are_found_and_long_lists_are_not() {
        let sum = format!("x = 1\ny = {}\n", vec!["1"; 200_000].join("+"));
        assert_eq!(too_long(&sum), Some(2));
        assert_eq!(too_long(&format!("x = {}1\n", "-".repeat(150_000))), Some(1));
        assert_eq!(too_long(&format!("x = [{}]\n", vec!["-1"; 200_000].join(", "))), None);
        assert_eq!(too_long(&"x = 1 + 2\n".repeat(100_000)), None);
    }
}
