//! Executes transactions as their sender makes them, who needs the results of those before.

use std::{
    collections::HashMap,
    io::{stdin, stdout, BufRead, Write},
    process::ExitCode,
};

use casper_types::Digest;
use serde_json::Value;

use crate::{
    chain::{Block, Line},
    network::Network,
};

/// Answers each block with the results of its transactions.
pub fn answer() -> ExitCode {
    let mut network: Option<Network> = None;
    let mut roots: HashMap<String, Digest> = HashMap::new();
    for line in stdin().lock().lines() {
        match serde_json::from_str(&line.expect("a line")).expect("a genesis or a block") {
            Line::Genesis(genesis) => {
                let (started, root) = Network::start(&genesis);
                roots.insert(genesis.hash, root);
                network = Some(started);
            }
            Line::Block(block) => {
                let results = run(network.as_ref().expect("a genesis"), &mut roots, &block);
                println!("{}", Value::from(results));
                stdout().flush().expect("a reader");
            }
        }
    }
    ExitCode::SUCCESS
}

fn run(network: &Network, roots: &mut HashMap<String, Digest>, block: &Block) -> Vec<Value> {
    let parent = roots.get(&block.parent_hash).expect("the parent block before its child");
    let (root, results) = network.execute(*parent, block);
    roots.insert(block.hash.clone(), root);
    results
}
