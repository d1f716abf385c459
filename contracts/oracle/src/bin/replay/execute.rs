//! Executes a block in the order of casper-node's `contract_runtime/operations.rs`: a hold, the code, the refund, the fee.

use casper_execution_engine::engine_state::{
    BlockInfo, SessionDataDeploy, SessionDataV1, SessionInputData, WasmV1Request,
};
use casper_storage::{
    data_access_layer::{
        balance::BalanceHandling, BalanceHoldKind, BalanceHoldRequest, BalanceIdentifier, BalanceRequest,
        BlockGlobalRequest, BlockGlobalResult, HandleFeeMode, HandleFeeRequest, HandleFeeResult, HandleRefundMode,
        HandleRefundRequest, InsufficientBalanceHandling, ProofHandling, TransferRequest, TransferResult,
    },
    global_state::state::{scratch::ScratchGlobalState, CommitProvider, StateProvider},
};
use casper_types::{
    execution::{Effects, ExecutionResult, ExecutionResultV2},
    AsymmetricType, BlockHash, BlockTime, Digest, ExecutableDeployItem, FeeHandling, Gas, PricingMode, PublicKey,
    RefundHandling, RuntimeArgs, Transaction, TransactionArgs, TransactionEntryPoint, TransactionTarget, Transfer,
    U512,
};
use serde_json::Value;

use crate::{chain::Block, network::Network};

const GAS_PRICE: u8 = 1;
const MINT_LANE: u8 = 0;
const INSTALL_LANE: u8 = 2;
const WASM_LANE: u8 = 5;

/// The indices of the fields in a transaction of the first version.
const ARGS: u16 = 0;
const TARGET: u16 = 1;
const ENTRY_POINT: u16 = 2;

struct Context<'a> {
    network: &'a Network,
    state: &'a ScratchGlobalState,
    root: Digest,
    info: BlockInfo,
    proposer: PublicKey,
}

pub fn execute(network: &Network, state: &ScratchGlobalState, root: Digest, block: &Block) -> Vec<Value> {
    let protocol_version = network.chainspec.protocol_config.version;
    let block_time = BlockTime::new(block.time_ms);
    for request in [
        BlockGlobalRequest::block_time(root, protocol_version, block_time),
        BlockGlobalRequest::set_protocol_version(root, protocol_version),
        BlockGlobalRequest::set_addressable_entity(root, protocol_version, false),
    ] {
        let result = state.block_global(request);
        assert!(matches!(result, BlockGlobalResult::Success { .. }), "{result:?}");
    }
    let parent_hash = Digest::from_hex(&block.parent_hash).expect("a hash");
    let context = Context {
        network,
        state,
        root,
        info: BlockInfo::new(root, block_time, BlockHash::new(parent_hash), block.height, protocol_version),
        proposer: PublicKey::from_hex(&block.proposer).expect("a public key"),
    };
    block.transactions.iter().map(|each| result_of(&context, &each.transaction)).collect()
}

/// A result that grows as a node's `ExecutionArtifactBuilder`.
struct Result {
    effects: Effects,
    error: Option<String>,
    transfers: Vec<Transfer>,
    consumed: Gas,
}

impl Result {
    fn add(&mut self, context: &Context, effects: Effects) {
        context.state.commit_effects(context.root, effects.clone()).expect("a commit");
        self.effects.append(effects);
    }
}

fn result_of(context: &Context, json: &Value) -> Value {
    let transaction: Transaction = serde_json::from_value(json.clone()).expect("a transaction");
    transaction.verify().expect("a transaction with valid hashes and signatures");
    let chainspec = &context.network.chainspec;
    let lane = lane_of(&transaction);
    let (limit, cost) = match paid_by_older_transfer(context, &transaction) {
        Some(amount) => (Gas::new(amount), U512::from(amount)),
        None => (
            transaction.gas_limit(chainspec, lane).expect("a limit"),
            transaction.gas_cost(chainspec, lane, GAS_PRICE).expect("a cost").value(),
        ),
    };
    let mut result = Result { effects: Effects::new(), error: None, transfers: vec![], consumed: Gas::zero() };
    if available(context, &transaction) < cost {
        result.error = Some("penalized: false, sufficient balance: false, allowed by chainspec: true".to_string());
    } else {
        let hold = BalanceHoldRequest::new_processing_hold(
            context.root,
            chainspec.protocol_config.version,
            payer(&transaction),
            cost,
            InsufficientBalanceHandling::HoldRemaining,
        );
        let held = context.state.balance_hold(hold);
        assert!(held.is_fully_covered(), "{held:?}");
        result.add(context, held.effects());
        if lane == MINT_LANE {
            transfer(context, &transaction, limit, &mut result);
        } else {
            run_code(context, &transaction, limit, &mut result);
        }
    }
    let clear = BalanceHoldRequest::new_clear(
        context.root,
        chainspec.protocol_config.version,
        BalanceHoldKind::All,
        payer(&transaction),
    );
    result.add(context, context.state.balance_hold(clear).effects());
    let refund = refund_of(context, &transaction, limit, cost, &result);
    take_fee(context, &transaction, cost - refund, &mut result);
    let executed = ExecutionResult::V2(Box::new(ExecutionResultV2 {
        initiator: transaction.initiator_addr(),
        error_message: result.error,
        current_price: GAS_PRICE,
        limit,
        consumed: result.consumed,
        cost,
        refund,
        transfers: result.transfers,
        size_estimate: transaction.size_estimate() as u64,
        effects: result.effects,
    }));
    serde_json::to_value(executed).expect("JSON")
}

/// Before protocol 2.2, a native transfer costs what it pays. casper-types 7.0.0 knows only the cost in the chainspec.
fn paid_by_older_transfer(context: &Context, transaction: &Transaction) -> Option<u64> {
    match transaction {
        Transaction::V1(v1) if lane_of(transaction) == MINT_LANE && context.network.is_before_2_2() => {
            match v1.pricing_mode() {
                PricingMode::PaymentLimited { payment_amount, .. } => Some(*payment_amount),
                _ => None,
            }
        }
        _ => None,
    }
}

fn payer(transaction: &Transaction) -> BalanceIdentifier {
    transaction.initiator_addr().into()
}

fn available(context: &Context, transaction: &Transaction) -> U512 {
    let request = BalanceRequest::new(
        context.root,
        context.info.protocol_version,
        payer(transaction),
        BalanceHandling::Available,
        ProofHandling::NoProofs,
    );
    *context.state.balance(request).available_balance().expect("a balance")
}

fn lane_of(transaction: &Transaction) -> u8 {
    match transaction {
        Transaction::Deploy(deploy) if deploy.is_transfer() => MINT_LANE,
        Transaction::Deploy(_) => WASM_LANE,
        Transaction::V1(v1) => match v1.deserialize_field(TARGET).expect("a target") {
            TransactionTarget::Native => MINT_LANE,
            TransactionTarget::Session { is_install_upgrade: true, .. } => INSTALL_LANE,
            _ => WASM_LANE,
        },
    }
}

fn named_args(transaction: &Transaction) -> RuntimeArgs {
    match transaction {
        Transaction::Deploy(deploy) => deploy.session().args().clone(),
        Transaction::V1(v1) => match v1.deserialize_field(ARGS).expect("arguments") {
            TransactionArgs::Named(args) => args,
            other => panic!("{other:?}"),
        },
    }
}

fn transfer(context: &Context, transaction: &Transaction, limit: Gas, result: &mut Result) {
    let request = TransferRequest::with_runtime_args(
        context.network.config.clone(),
        context.root,
        context.info.protocol_version,
        transaction.hash(),
        transaction.initiator_addr(),
        transaction.authorization_keys(),
        named_args(transaction),
    );
    result.consumed = limit;
    match context.state.transfer(request) {
        TransferResult::Success { transfers, effects, .. } => {
            result.transfers.extend(transfers);
            result.add(context, effects);
        }
        TransferResult::Failure(error) => result.error = Some(error.to_string()),
        TransferResult::RootNotFound => panic!("no state"),
    }
}

fn run_code(context: &Context, transaction: &Transaction, limit: Gas, result: &mut Result) {
    let initiator = transaction.initiator_addr();
    let request = match transaction {
        Transaction::Deploy(deploy) => {
            let is_standard = matches!(deploy.payment(), ExecutableDeployItem::ModuleBytes { module_bytes, .. } if module_bytes.is_empty());
            let data =
                SessionDataDeploy::new(deploy.hash(), deploy.session(), &initiator, transaction.signers(), is_standard);
            WasmV1Request::new_session(context.info, limit, &SessionInputData::DeploySessionData { data })
        }
        Transaction::V1(v1) => {
            let target: TransactionTarget = v1.deserialize_field(TARGET).expect("a target");
            let entry_point: TransactionEntryPoint = v1.deserialize_field(ENTRY_POINT).expect("an entry point");
            let args = named_args(transaction);
            let data = SessionDataV1::new(
                &args,
                &target,
                &entry_point,
                lane_of(transaction) == INSTALL_LANE,
                v1.hash(),
                v1.pricing_mode(),
                &initiator,
                transaction.signers(),
                true,
            );
            WasmV1Request::new_session(context.info, limit, &SessionInputData::SessionDataV1 { data })
        }
    };
    let executed = context.network.engine.execute(context.state, request.expect("a request"));
    result.consumed = executed.consumed();
    result.error = executed.error().map(ToString::to_string);
    if result.error.is_none() && result.consumed == Gas::zero() {
        result.error = Some("Wasm consumed 0 gas".to_string());
    }
    // A failed transaction has effects, too, which a node commits and does not show: they are none.
    if result.error.is_none() {
        result.transfers.extend(executed.transfers().clone());
        result.add(context, executed.effects().clone());
    }
}

fn refund_of(context: &Context, transaction: &Transaction, limit: Gas, cost: U512, result: &Result) -> U512 {
    let RefundHandling::Refund { refund_ratio } = context.network.chainspec.core_config.refund_handling else {
        panic!("a chain that refunds nothing")
    };
    let mode = HandleRefundMode::CalculateAmount {
        limit: limit.value(),
        cost,
        consumed: if result.error.is_some() { cost } else { result.consumed.value() },
        gas_price: GAS_PRICE,
        ratio: refund_ratio,
        available: available(context, transaction),
    };
    let request = HandleRefundRequest::new(
        context.network.config.clone(),
        context.root,
        context.info.protocol_version,
        transaction.hash(),
        mode,
    );
    context.state.handle_refund(request).refund_amount()
}

fn take_fee(context: &Context, transaction: &Transaction, amount: U512, result: &mut Result) {
    let mode = match context.network.chainspec.core_config.fee_handling {
        FeeHandling::Burn => HandleFeeMode::burn(payer(transaction), Some(amount)),
        FeeHandling::PayToProposer => HandleFeeMode::pay(
            Box::new(transaction.initiator_addr()),
            payer(transaction),
            BalanceIdentifier::Public(context.proposer.clone()),
            amount,
        ),
        other => panic!("{other:?}"),
    };
    let request = HandleFeeRequest::new(
        context.network.config.clone(),
        context.root,
        context.info.protocol_version,
        transaction.hash(),
        mode,
    );
    let taken = context.state.handle_fee(request);
    if let (None, HandleFeeResult::Failure(error)) = (&result.error, &taken) {
        result.error = Some(error.to_string());
        return;
    }
    result.add(context, taken.effects());
}
