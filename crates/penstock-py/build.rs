//! Computes the model version: a digest of everything that can change the core's numbers.
//!
//! The digest covers `Cargo.lock` and `Cargo.toml` (which set versions, features and profile), and the `Cargo.toml` and `src/` of
//! every crate, in the order of their paths relative to the workspace's root. It takes every crate rather than a list, so that a new
//! crate cannot be forgotten. Tests and benches outside `src/` change no result.

use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    // The folder at run time, since this program may have been compiled in another checkout with the same target folder.
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../..");
    let mut files = vec![root.join("Cargo.lock"), root.join("Cargo.toml")];
    for member in entries(&root.join("crates")) {
        collect(&member.join("Cargo.toml"), &mut files);
        collect(&member.join("src"), &mut files);
    }
    for input in ["Cargo.lock", "Cargo.toml", "crates"] {
        println!("cargo:rerun-if-changed=../../{input}");
    }
    println!("cargo:rustc-env=PENSTOCK_MODEL_VERSION={}", digest(&root, files));
}

/// SHA-256 over each file's path and contents, both preceded by their length; the first 128 bits in hexadecimal.
fn digest(root: &Path, files: Vec<PathBuf>) -> String {
    let mut named: Vec<(String, PathBuf)> = files.into_iter().map(|file| (name(root, &file), file)).collect();
    named.sort();
    let mut hash = Sha256::new();
    for (name, file) in named {
        let contents = fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for part in [name.as_bytes(), &contents] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    hash.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `file` relative to `root`, with `/` on every platform.
fn name(root: &Path, file: &Path) -> String {
    let relative = file.strip_prefix(root).expect("every file is below the root");
    relative.iter().map(|part| part.to_str().expect("source paths are UTF-8")).collect::<Vec<_>>().join("/")
}

/// Adds `path` if it is a file, and everything below it if it is a folder.
fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        entries(path).iter().for_each(|entry| collect(entry, files));
    } else if path.is_file() {
        files.push(path.to_path_buf());
    }
}

/// The entries of `folder`.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    read.map(|entry| entry.expect("a readable folder").path()).collect()
}
