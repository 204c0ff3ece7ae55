//! One file of the folder: what something depends on and the thing, and a sum that tells whether all of it is there.

use std::hash::{DefaultHasher, Hash, Hasher};

const MAGIC: &[u8; 8] = b"GWCODE\0\x01";

/// The name of the file for what depends on this.
pub(super) fn name(evidence: &[u8]) -> String {
    format!("{:016x}{:016x}", sum(0, evidence), sum(1, evidence))
}

/// The bytes of a file.
pub(super) fn write(evidence: &[u8], kept: &[u8]) -> Vec<u8> {
    let mut body = Vec::with_capacity(evidence.len() + kept.len() + 32);
    body.extend(MAGIC);
    body.extend([0; 8]);
    body.extend((evidence.len() as u64).to_le_bytes());
    body.extend(evidence);
    body.extend(kept);
    let sum = sum(2, &body[16..]);
    body[8..16].copy_from_slice(&sum.to_le_bytes());
    body
}

/// Contents of a file, if it is whole and depends on just this evidence.
pub(super) fn read<'f>(file: &'f [u8], evidence: &[u8]) -> Option<&'f [u8]> {
    let rest = file.strip_prefix(MAGIC)?;
    let (told, rest) = rest.split_first_chunk::<8>()?;
    if u64::from_le_bytes(*told) != sum(2, rest) {
        return None;
    }
    let (length, rest) = rest.split_first_chunk::<8>()?;
    if u64::from_le_bytes(*length) != evidence.len() as u64 {
        return None;
    }
    rest.strip_prefix(evidence)
}

fn sum(seed: u8, bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, bytes).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_reads_back_for_the_same_evidence_only() {
        let file = write(b"evidence", b"code");
        assert_eq!(read(&file, b"evidence"), Some(&b"code"[..]));
        for other in ["", "evidenc", "evidence2", "Evidence"] {
            assert_eq!(read(&file, other.as_bytes()), None);
        }
        assert_ne!(name(b"evidence"), name(b"Evidence"));
    }

    #[test]
    fn torn_and_foreign_files_are_none() {
        let file = write(b"evidence", b"code");
        (0..file.len()).for_each(|length| assert_eq!(read(&file[..length], b"evidence"), None));
        for at in 0..file.len() {
            let mut spoilt = file.clone();
            spoilt[at] ^= 1;
            assert_eq!(read(&spoilt, b"evidence"), None);
        }
        assert_eq!(read(&[0; 100], b"evidence"), None);
    }
}
