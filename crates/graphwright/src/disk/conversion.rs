//! Converted functions as bytes that mean nothing here.

use super::{BUILD, Folder, entry, folder};

/// Tells conversions from code: the evidence of a graph begins with the name of the build.
const KIND: &[u8] = b"conversion\0";

/// Path of one conversion in the folder; the file need not exist.
#[derive(Debug)]
pub struct Page {
    folder: &'static Folder,
    evidence: Vec<u8>,
    name: String,
}

impl Page {
    /// For a conversion by this build that depends on this; none if there is no folder. What it depends on is asked for
    /// only if there is one.
    ///
    /// # Errors
    /// Those of who is asked.
    pub fn of<E>(evidence: impl FnOnce() -> Result<Option<Vec<u8>>, E>) -> Result<Option<Self>, E> {
        let Some(folder) = folder() else { return Ok(None) };
        let Some(depends_on) = evidence()? else { return Ok(None) };
        let evidence = [KIND, BUILD.as_bytes(), &[0], &depends_on].concat();
        let name = entry::name(&evidence);
        Ok(Some(Self { folder, evidence, name }))
    }

    /// Contents of the file, if it exists.
    pub fn take(&self) -> Option<Vec<u8>> {
        let file = self.folder.read(&self.name)?;
        entry::read(&file, &self.evidence).map(<[u8]>::to_vec)
    }

    /// Puts something there. Whether that is possible makes no difference to anything.
    pub fn put(&self, kept: &[u8]) -> bool {
        self.folder.write(&self.name, &entry::write(&self.evidence, kept)).is_ok()
    }
}
