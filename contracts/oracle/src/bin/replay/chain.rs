//! The recording of an embedded chain, one JSON object a line.

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    Genesis(Genesis),
    Block(Block),
}

/// A chain's first block, and what its state holds after it.
#[derive(Deserialize)]
pub struct Genesis {
    pub hash: String,
    pub chainspec: Chainspec,
    /// Pairs of a serialized key and a serialized value, in hex.
    pub writes: Vec<(String, String)>,
}

/// The settings that the engine needs, with the names of the node's chainspec.
#[derive(Deserialize)]
pub struct Chainspec {
    pub protocol: Protocol,
    pub wasm: Wasm,
    pub storage_costs: Value,
    pub core: Core,
}

#[derive(Deserialize)]
pub struct Protocol {
    pub version: (u32, u32, u32),
}

#[derive(Deserialize)]
pub struct Wasm {
    pub v1: Value,
    pub messages_limits: Value,
}

#[derive(Deserialize)]
pub struct Core {
    pub max_runtime_call_stack_height: u32,
    pub fee_handling: Value,
    pub refund_handling: Value,
    pub pricing_handling: Value,
    pub strict_argument_checking: bool,
}

#[derive(Deserialize)]
pub struct Block {
    pub hash: String,
    pub parent_hash: String,
    pub height: u64,
    pub time_ms: u64,
    /// Public key in hex.
    pub proposer: String,
    pub transactions: Vec<Recorded>,
}

/// A transaction and its result on the embedded chain, both in the JSON of a node. The result is null where none is to compare.
#[derive(Deserialize)]
pub struct Recorded {
    pub transaction: Value,
    #[serde(default)]
    pub execution_result: Value,
}
