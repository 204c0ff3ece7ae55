//! Comments that ask for nothing to be said: `# gw: ignore`, `# gw: ignore[GW202, GW105]`.

use gw_base::Source;

use crate::finding::Finding;

/// True if a comment on the first or last line of a finding's place covers it.
pub fn is_ignored(source: &Source, finding: &Finding) -> bool {
    let at = &finding.labels[0].at;
    [at.line, at.end_line].iter().any(|&line| covers(source.line(line), finding.rule.code()))
}

/// True if the comment of a line covers a code. The comment is what stands behind the last `#`.
fn covers(line: &str, code: &str) -> bool {
    let Some((_, comment)) = line.rsplit_once('#') else { return false };
    let Some(rest) = comment.trim().strip_prefix("gw:").map(str::trim_start) else { return false };
    let Some(rest) = rest.strip_prefix("ignore").map(str::trim) else { return false };
    let Some(list) = rest.strip_prefix('[') else { return rest.is_empty() };
    let codes = list.split(']').next().unwrap_or(list);
    codes.split(',').any(|one| one.trim() == code)
}

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn comments_name_codes() {
        assert!(covers("x + y  # gw: ignore", "GW202"));
        assert!(covers("x + y  # gw: ignore[GW202]", "GW202"));
        assert!(covers("x + y  # noqa  # gw: ignore[GW105, GW202]", "GW202"));
        assert!(!covers("x + y  # gw: ignore[GW105]", "GW202"));
        assert!(!covers("x + y  # gw: ignored", "GW202"));
        assert!(!covers("x + y", "GW202"));
    }
}
