//! The committed schemas, which explorers show.
use std::{collections::BTreeMap, env, fs, path::Path, process};

const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/resources/casper_contract_schemas");
const TOOLCHAIN: &str = include_str!("../../wasm/TOOLCHAIN");

#[test]
fn schemas_are_what_the_sources_say() {
    let folder = env::temp_dir().join(format!("wattfeed-schemas-{}", process::id()));
    fs::create_dir(&folder).expect("cannot create the folder");
    let compiler = TOOLCHAIN.lines().next().expect("TOOLCHAIN starts with the compiler");
    let program = process::Command::new(env!("CARGO_BIN_EXE_build_schemas")).arg(&folder).arg(compiler).status();
    let written = texts_in(&folder);
    fs::remove_dir_all(&folder).expect("cannot remove the folder");
    assert!(program.is_ok_and(|status| status.success()));
    assert_eq!(texts_in(Path::new(COMMITTED)), written, "run contracts/build");
}

/// The text of each file, by its name.
fn texts_in(folder: &Path) -> BTreeMap<String, String> {
    let files = fs::read_dir(folder).expect("cannot list the folder").flatten();
    let entry = |file: fs::DirEntry| {
        let text = fs::read_to_string(file.path()).expect("cannot read the schema");
        (file.file_name().to_string_lossy().into_owned(), text)
    };
    files.map(entry).collect()
}
