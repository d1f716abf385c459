//! Executes the transactions of embedded chains on the engine and the storage of casper-node 2.2, and compares the results.
//!
//! usage: replay FILE… (as `recordChains.ts` writes them)
//!        replay --answer (for `recordHostCalls.ts`: answers each block of the standard input with a line of results)

mod answer;
mod chain;
mod execute;
mod network;

use std::{
    collections::{BTreeMap, HashMap},
    fs::File,
    io::{BufRead, BufReader},
    process::ExitCode,
};

use casper_types::Digest;
use serde_json::Value;

use chain::{Block, Genesis, Line};
use network::Network;

fn main() -> ExitCode {
    // The interpreter calls itself for each call of a contract.
    let replay = std::thread::Builder::new()
        .stack_size(1 << 29)
        .spawn(|| {
            let arguments: Vec<_> = std::env::args().skip(1).collect();
            if arguments == ["--answer"] {
                return answer::answer();
            }
            replay(&arguments)
        })
        .expect("a thread");
    replay.join().expect("the replay")
}

/// What a recorded chain builds on: its network, and the state after a block.
struct Parent {
    network: usize,
    state_root: Digest,
}

#[derive(Default)]
struct Counts {
    equal: usize,
    different: usize,
    effects: usize,
    kinds: BTreeMap<String, usize>,
}

fn replay(paths: &[String]) -> ExitCode {
    let mut networks: Vec<Network> = Vec::new();
    let mut parents: HashMap<String, Parent> = HashMap::new();
    let mut counts = Counts::default();
    for path in paths {
        let file = File::open(path).unwrap_or_else(|error| panic!("{path}: {error}"));
        for line in BufReader::new(file).lines() {
            let line = line.expect("a line");
            match serde_json::from_str(&line).unwrap_or_else(|error| panic!("{path}: {error}")) {
                Line::Genesis(genesis) => start(&mut networks, &mut parents, genesis),
                Line::Block(block) => run(&networks, &mut parents, &block, &mut counts),
            }
        }
    }
    println!(
        "{} of {} transactions equal, with {} effects",
        counts.equal,
        counts.equal + counts.different,
        counts.effects
    );
    for (kind, count) in &counts.kinds {
        println!("{count:>7}  {kind}");
    }
    ExitCode::from(u8::from(counts.different > 0 || counts.equal == 0))
}

fn start(networks: &mut Vec<Network>, parents: &mut HashMap<String, Parent>, genesis: Genesis) {
    if parents.contains_key(&genesis.hash) {
        return;
    }
    let (network, state_root) = Network::start(&genesis);
    networks.push(network);
    let network = networks.len() - 1;
    parents.insert(genesis.hash, Parent { network, state_root });
}

fn run(networks: &[Network], parents: &mut HashMap<String, Parent>, block: &Block, counts: &mut Counts) {
    if parents.contains_key(&block.hash) {
        return;
    }
    let Some(parent) = parents.get(&block.parent_hash) else {
        panic!("the parent of block {} is not recorded before it", block.hash)
    };
    let network = parent.network;
    let (state_root, results) = networks[network].execute(parent.state_root, block);
    for (recorded, actual) in block.transactions.iter().zip(results) {
        compare(block, &recorded.execution_result, &actual, counts);
    }
    parents.insert(block.hash.clone(), Parent { network, state_root });
}

fn compare(block: &Block, recorded: &Value, engine: &Value, counts: &mut Counts) {
    let (recorded, engine) = (&recorded["Version2"], &engine["Version2"]);
    counts.effects += engine["effects"].as_array().map_or(0, Vec::len);
    let kind = engine["error_message"].as_str().unwrap_or("success");
    *counts.kinds.entry(kind.to_string()).or_default() += 1;
    let differences = differences("", recorded, engine);
    if differences.is_empty() {
        counts.equal += 1;
        return;
    }
    counts.different += 1;
    println!("block {} at height {}:", block.hash, block.height);
    for difference in differences.iter().take(12) {
        println!("  {difference}");
    }
}

/// Lists where two values differ, each with its path.
fn differences(path: &str, recorded: &Value, engine: &Value) -> Vec<String> {
    match (recorded, engine) {
        (Value::Object(left), Value::Object(right)) => {
            let names: std::collections::BTreeSet<_> = left.keys().chain(right.keys()).collect();
            let inside = |name: &String| {
                let [left, right] = [left, right].map(|map| map.get(name).unwrap_or(&Value::Null));
                differences(&format!("{path}.{name}"), left, right)
            };
            names.into_iter().flat_map(inside).collect()
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => left
            .iter()
            .zip(right)
            .enumerate()
            .flat_map(|(index, (left, right))| differences(&format!("{path}[{index}]"), left, right))
            .collect(),
        _ if recorded == engine => vec![],
        _ => vec![format!("{path}: recorded {}, engine {}", short(recorded), short(engine))],
    }
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(300).collect()
}
