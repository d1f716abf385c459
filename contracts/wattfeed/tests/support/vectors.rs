//! Cases that the repository's `tests/wattfeed/contracts/writeVectors.ts` has written.
use serde_json::Value;
use wattfeed::series::{Root, Series};

/// A file of `fixtures/contracts`.
pub fn fixture(name: &str) -> String {
    let path = std::path::Path::new("fixtures/contracts").join(name);
    // The tests of two packages read them.
    let mut folders = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let found = folders.find_map(|folder| std::fs::read_to_string(folder.join(&path)).ok());
    found.unwrap_or_else(|| panic!("no {}", path.display()))
}

/// The parts of cases, each once, and the cases: places of a pin, a root, a question and a proof, and what the verifier of
/// TypeScript says.
pub struct Vectors {
    pub pins: Vec<Series>,
    pub roots: Vec<Root>,
    /// A statement, and the named period.
    pub questions: Vec<(String, Option<String>)>,
    pub proofs: Vec<Vec<u8>>,
    pub cases: Vec<([usize; 4], String)>,
}

impl Vectors {
    pub fn parse(line: &str) -> Self {
        let json: Value = serde_json::from_str(line).expect("JSON");
        let list = |name: &str| json[name].as_array().expect("a list");
        let case = |case: &Value| {
            let parts = [0, 1, 2, 3].map(|part| case[part].as_u64().expect("a place") as usize);
            (parts, text(&case[4]))
        };
        let question = |each: &Value| (text(&each["statement"]), optional(&each["period"]));
        Self {
            pins: list("pins").iter().map(series).collect(),
            roots: list("roots").iter().map(root).collect(),
            questions: list("questions").iter().map(question).collect(),
            proofs: list("proofs").iter().map(|proof| hex(&text(proof))).collect(),
            cases: list("cases").iter().map(case).collect(),
        }
    }
}

fn series(pin: &Value) -> Series {
    let facets = pin["facets"].as_object().expect("facets");
    let mut facets: Vec<_> = facets.iter().map(|(id, value)| (id.clone(), optional(value))).collect();
    facets.sort();
    Series {
        route: text(&pin["route"]),
        frequency: text(&pin["frequency"]),
        column: text(&pin["column"]),
        facets,
        unit: optional(&pin["unit"]),
        decimals: pin["decimals"].as_u64().expect("decimals") as u8,
    }
}

fn root(root: &Value) -> Root {
    let hash = hex(&text(&root["hash"])).try_into().expect("32 bytes");
    let integer = |name: &str| root[name].as_u64().expect("an integer");
    Root { hash, size: integer("size"), period: integer("period"), timestamp: 0 }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").into()
}

fn optional(value: &Value) -> Option<String> {
    value.as_str().map(Into::into)
}

pub fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hex")).collect()
}
