//! Files that a scenario names: found relative to it, read once, and part of what identifies a run.

use penstock_model::printable::file_name;
use penstock_model::registry::Registry;
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A column of a table: its name, and whether it must be there.
pub(crate) type Column = (&'static str, bool);

/// Maximum size in bytes of a file that a scenario names.
const LARGEST_FILE: u64 = 1 << 30;

/// Returns the named columns of a Parquet file as CSV (all columns if none is named), or why it cannot. Each column has a flag:
/// whether it must exist.
pub type ParquetReader = fn(&Path, &[(&str, bool)]) -> Result<Vec<u8>, String>;

/// Adds the components that are written in a Python file to others, or returns the mistakes in it, a line each.
pub type ComponentReader = fn(&Path, &Registry) -> Result<Registry, Vec<String>>;

/// Options for reading a scenario: the folder of the files that it names, readers for formats that this crate does not read, and
/// plug-in components.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The folder that names are relative to; that of the scenario's name if left out.
    pub folder: Option<PathBuf>,
    /// Reads Parquet; it is refused if left out.
    pub parquet: Option<ParquetReader>,
    /// Refuses files that do not fit into memory; any fits if left out.
    pub memory: Option<FileMemory>,
    /// The components of plug-ins.
    pub registry: Registry,
    /// Reads components that are written in Python; they are refused if left out.
    pub components: Option<ComponentReader>,
}

/// A check that refuses files which do not fit into memory.
#[derive(Clone, Copy, Debug)]
pub struct FileMemory {
    /// The number of bytes that may be used, if it is limited.
    pub allowed: Option<u64>,
    /// Says why a file of this size in bytes does not fit, given `allowed`; `None` if it fits.
    pub too_large: fn(u64, Option<u64>) -> Option<String>,
}

/// The files read so far.
#[derive(Debug)]
pub(crate) struct Files {
    folder: PathBuf,
    parquet: Option<ParquetReader>,
    memory: Option<FileMemory>,
    components: Option<ComponentReader>,
    read: RefCell<BTreeMap<String, ReadFile>>,
}

/// A file that was read: its SHA-256 digest, and its content; of Parquet the content as CSV, by the requested columns.
#[derive(Debug)]
struct ReadFile {
    digest: String,
    contents: BTreeMap<Vec<&'static str>, Rc<[u8]>>,
}

impl Files {
    /// No files yet, for a scenario called `name`.
    pub fn new(access: ReadOptions, name: &str) -> Files {
        let of_name = || Path::new(name).parent().map(Path::to_path_buf).unwrap_or_default();
        Files {
            folder: access.folder.unwrap_or_else(of_name),
            parquet: access.parquet,
            memory: access.memory,
            components: access.components,
            read: RefCell::default(),
        }
    }

    /// The components of the Python file called `name` and `others`. The file does not count as read: the components that a
    /// scenario has are identified by their own digests.
    ///
    /// # Errors
    /// Reports the mistake in the file.
    pub fn components(&self, name: &str, others: &Registry) -> Result<Registry, Vec<String>> {
        let Some(read) = self.components else {
            return Err(vec![format!("{}: components in Python cannot be read here", file_name(name))]);
        };
        read(&self.folder.join(name), others)
    }

    /// The content of the file called `name`; of a Parquet file these columns as CSV, all of them if none is named.
    ///
    /// # Errors
    /// Reports the mistake in the file.
    pub fn read(&self, name: &str, columns: &[Column]) -> Result<Rc<[u8]>, String> {
        let is_parquet = is_parquet(name);
        let key: Vec<&'static str> = columns.iter().filter(|_| is_parquet).map(|(column, _)| *column).collect();
        if let Some(content) = self.read.borrow().get(name).and_then(|file| file.contents.get(&key)) {
            return Ok(Rc::clone(content));
        }
        let told = |message| format!("{}: {message}", file_name(name));
        let path = self.folder.join(name);
        let bytes = content(&path, self.memory).map_err(told)?;
        let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let bytes = match (is_parquet, self.parquet) {
            (false, _) => bytes,
            (true, Some(parquet)) => {
                drop(bytes);
                parquet(&path, columns).map_err(told)?
            }
            (true, None) => return Err(told("Parquet cannot be read here; write it as CSV".to_owned())),
        };
        let content: Rc<[u8]> = bytes.into();
        let mut read = self.read.borrow_mut();
        let file = read.entry(name.to_owned()).or_insert_with(|| ReadFile { digest, contents: BTreeMap::new() });
        file.contents.insert(key, Rc::clone(&content));
        Ok(content)
    }

    /// The names and the SHA-256 digests of the files that have been read, by name.
    pub fn digests(&self) -> Vec<(String, String)> {
        self.read.borrow().iter().map(|(name, file)| (name.clone(), file.digest.clone())).collect()
    }
}

/// Whether a file is Parquet, by its name.
pub(crate) fn is_parquet(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "parquet")
}

fn content(path: &Path, memory: Option<FileMemory>) -> Result<Vec<u8>, String> {
    let told = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => "there is no such file; names are relative to the scenario's folder".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    let facts = fs::metadata(path).map_err(told)?;
    // Devices and pipes may have no end.
    if !facts.is_file() {
        return Err("is not a file".to_owned());
    }
    if facts.len() > LARGEST_FILE {
        return Err(format!("is larger than {} MiB, which is the most that such a file may be", LARGEST_FILE >> 20));
    }
    if let Some(why) = memory.and_then(|memory| (memory.too_large)(facts.len(), memory.allowed)) {
        return Err(why);
    }
    fs::read(path).map_err(told)
}
