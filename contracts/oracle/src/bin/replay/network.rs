//! A network of casper-node: its settings, its engine and its global state.

use std::sync::Arc;

use casper_execution_engine::engine_state::{EngineConfigBuilder, ExecutionEngineV1};
use casper_storage::{
    data_access_layer::{BlockStore, DataAccessLayer, GenesisRequest, GenesisResult},
    global_state::{
        state::{lmdb::LmdbGlobalState, CommitProvider, ScratchProvider},
        transaction_source::lmdb::LmdbEnvironment,
        trie_store::lmdb::LmdbTrieStore,
    },
    system::runtime_native::Config,
};
use casper_types::{
    bytesrepr::FromBytes,
    execution::{Effects, TransformKindV2, TransformV2},
    Chainspec, ChainspecRegistry, Digest, GenesisConfig, ProtocolVersion,
};
use serde_json::Value;
use tempfile::TempDir;

use crate::{
    chain::{Block, Genesis},
    execute::execute,
};

pub struct Network {
    pub chainspec: Chainspec,
    pub config: Config,
    pub engine: ExecutionEngineV1,
    pub state: DataAccessLayer<LmdbGlobalState>,
    _directory: TempDir,
}

const MAX_QUERY_DEPTH: u64 = 5;
const MAX_STATE_BYTES: usize = 1 << 36;

impl Network {
    /// Returns a network whose state holds everything that the embedded chain holds at genesis.
    pub fn start(genesis: &Genesis) -> (Network, Digest) {
        let chainspec = chainspec_of(genesis);
        let directory = TempDir::new().expect("a temporary folder");
        let state = open_state(&directory);
        let engine = ExecutionEngineV1::new(
            EngineConfigBuilder::new()
                .with_wasm_config(chainspec.wasm_config)
                .with_system_config(chainspec.system_costs_config)
                .with_storage_costs(chainspec.storage_costs)
                .with_protocol_version(chainspec.protocol_config.version)
                .with_max_associated_keys(chainspec.core_config.max_associated_keys)
                .with_max_runtime_call_stack_height(chainspec.core_config.max_runtime_call_stack_height)
                .with_strict_argument_checking(chainspec.core_config.strict_argument_checking)
                .with_fee_handling(chainspec.core_config.fee_handling)
                .with_refund_handling(chainspec.core_config.refund_handling)
                .build(),
        );
        let request = GenesisRequest::new(
            Digest::hash("oracle"),
            chainspec.protocol_config.version,
            GenesisConfig::from(&chainspec),
            ChainspecRegistry::new_with_genesis(&[], &[]),
        );
        let GenesisResult::Success { post_state_hash, .. } = state.genesis(request) else { panic!("genesis failed") };
        let own = own_effects(genesis);
        let state_root = state.commit_effects(post_state_hash, own).expect("the genesis state");
        let config = Config::from_chainspec(&chainspec);
        (Network { chainspec, config, engine, state, _directory: directory }, state_root)
    }

    pub fn is_before_2_2(&self) -> bool {
        self.chainspec.protocol_config.version < ProtocolVersion::from_parts(2, 2, 0)
    }

    /// Executes a block as a node does. Returns the state root after it, and the results in the JSON of a node.
    pub fn execute(&self, parent_root: Digest, block: &Block) -> (Digest, Vec<Value>) {
        let scratch = self.state.get_scratch_global_state();
        let results = execute(self, &scratch, parent_root, block);
        let state_root = self.state.write_scratch_to_db(parent_root, scratch).expect("the state of the block");
        (state_root, results)
    }
}

fn chainspec_of(genesis: &Genesis) -> Chainspec {
    let given = &genesis.chainspec;
    let (major, minor, patch) = given.protocol.version;
    let mut chainspec = Chainspec::default();
    chainspec.protocol_config.version = ProtocolVersion::from_parts(major, minor, patch);
    let read = "the chainspec has the names and the values of casper-types";
    let messages_limits = serde_json::from_value(given.wasm.messages_limits.clone()).expect(read);
    let v1 = serde_json::from_value(given.wasm.v1.clone()).expect(read);
    let v2 = *chainspec.wasm_config.v2();
    chainspec.wasm_config = casper_types::WasmConfig::new(messages_limits, v1, v2);
    chainspec.storage_costs = serde_json::from_value(given.storage_costs.clone()).expect(read);
    let core = &mut chainspec.core_config;
    core.max_runtime_call_stack_height = given.core.max_runtime_call_stack_height;
    core.strict_argument_checking = given.core.strict_argument_checking;
    core.fee_handling = serde_json::from_value(given.core.fee_handling.clone()).expect(read);
    core.refund_handling = serde_json::from_value(given.core.refund_handling.clone()).expect(read);
    core.pricing_handling = serde_json::from_value(given.core.pricing_handling.clone()).expect(read);
    core.max_associated_keys = 100;
    core.enable_addressable_entity = false;
    core.validator_slots = 100;
    core.allow_unrestricted_transfers = true;
    chainspec
}

fn open_state(directory: &TempDir) -> DataAccessLayer<LmdbGlobalState> {
    let environment = LmdbEnvironment::new(directory.path(), MAX_STATE_BYTES, 8, false).expect("LMDB");
    let store = LmdbTrieStore::new(&environment, None, Default::default()).expect("LMDB");
    let state = LmdbGlobalState::empty(Arc::new(environment), Arc::new(store), MAX_QUERY_DEPTH, false).expect("LMDB");
    DataAccessLayer {
        block_store: BlockStore::new(),
        state,
        max_query_depth: MAX_QUERY_DEPTH,
        enable_addressable_entity: false,
    }
}

/// Returns the embedded chain's genesis as effects. Its registry of system contracts replaces that of the engine's genesis.
fn own_effects(genesis: &Genesis) -> Effects {
    let mut own = Effects::new();
    for (key, value) in &genesis.writes {
        own.push(TransformV2::new(decode(key), TransformKindV2::Write(decode(value))));
    }
    own
}

fn decode<T: FromBytes>(text: &str) -> T {
    let bytes = hex::decode(text).expect("hex");
    let (value, rest) = T::from_bytes(&bytes).expect("bytesrepr");
    assert!(rest.is_empty(), "bytes after the value");
    value
}
