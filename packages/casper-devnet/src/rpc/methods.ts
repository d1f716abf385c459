import type { ChainView } from '../chain/chainView.ts'
import { hasNoParams } from '../params.ts'
import { stateGetAccountInfo, stateGetEntity, stateGetPackage } from './accountMethods.ts'
import { infoGetReward, stateGetAuctionInfo, stateGetAuctionInfoV2 } from './auctionMethods.ts'
import { queryBalance, queryBalanceDetails, stateGetBalance } from './balanceMethods.ts'
import {
  chainGetBlock,
  chainGetBlockTransfers,
  chainGetEraInfoBySwitchBlock,
  chainGetEraSummary,
  chainGetStateRootHash,
  infoGetChainspec,
  infoGetStatus,
} from './blockMethods.ts'
import { stateGetDictionaryItem } from './dictionaryMethods.ts'
import { speculativeExec, speculativeExecTxn } from './speculativeMethods.ts'
import { queryGlobalState, stateGetItem, stateGetTrie } from './stateMethods.ts'
import {
  accountPutDeploy,
  accountPutTransaction,
  infoGetDeploy,
  infoGetTransaction,
} from './transactionMethods.ts'

export interface RpcMethod {
  /** What a call does, for `rpc.discover`. */
  summary: string
  /** Executes a call. Returns the result without `api_version`. @throws {InvalidParamsError | RefusedCallError} */
  answer(view: ChainView, params: unknown): object
  /** Returns the node's message if required parameters are missing or parameters are not allowed, otherwise null. */
  checkParams(params: unknown): string | null
  /** Names of the parameters, in the order in which a call may list them. */
  params: readonly string[]
  /** Other names that a node accepts. */
  aliases?: readonly string[]
}

// The checks of parameters.
const optional = () => null
const required = (params: unknown): string | null =>
  params === undefined || params === null ? "Missing 'params' field" : null
const none = (params: unknown): string | null =>
  hasNoParams(params) ? null : "'params' field should be an empty Array '[]', an empty Object '{}' or absent"

const method = (
  summary: string,
  answer: RpcMethod['answer'],
  params: readonly string[],
  checkParams: RpcMethod['checkParams'] = required,
): RpcMethod => ({ summary, answer, params, checkParams })

const atBlock = ['block_identifier']

/** All methods except `rpc.discover`, in the order in which a node lists them. */
export const methods: ReadonlyMap<string, RpcMethod> = new Map(
  Object.entries<RpcMethod>({
    account_put_deploy: method('sends a deploy', accountPutDeploy, ['deploy']),
    account_put_transaction: method('sends a transaction', accountPutTransaction, ['transaction']),
    info_get_deploy: method('a deploy and its execution', infoGetDeploy, [
      'deploy_hash',
      'finalized_approvals',
    ]),
    info_get_transaction: method('a transaction and its execution', infoGetTransaction, [
      'transaction_hash',
      'finalized_approvals',
    ]),
    state_get_account_info: {
      ...method('an account', stateGetAccountInfo, ['account_identifier', 'block_identifier']),
      aliases: ['public_key'],
    },
    state_get_entity: method('an account or a contract', stateGetEntity, [
      'entity_identifier',
      'block_identifier',
      'include_bytecode',
    ]),
    state_get_package: method('a package', stateGetPackage, ['package_identifier', 'block_identifier']),
    state_get_dictionary_item: method('an item of a dictionary', stateGetDictionaryItem, [
      'state_root_hash',
      'dictionary_identifier',
    ]),
    query_global_state: method('a value of global state', queryGlobalState, [
      'state_identifier',
      'key',
      'path',
    ]),
    query_balance: method('the balance of a purse', queryBalance, ['state_identifier', 'purse_identifier']),
    query_balance_details: method('the balance of a purse, with its holds', queryBalanceDetails, [
      'state_identifier',
      'purse_identifier',
    ]),
    // A chain in one process has no peers, and its validators never change.
    info_get_peers: method('the peers of the node', () => ({ peers: [] }), [], none),
    info_get_status: method('the status of the node', infoGetStatus, [], none),
    info_get_reward: method('a reward of an era', infoGetReward, [
      'era_identifier',
      'validator',
      'delegator',
    ]),
    info_get_validator_changes: method('changes of validators', () => ({ changes: [] }), [], none),
    info_get_chainspec: method('the files of the network', infoGetChainspec, [], none),
    chain_get_block: method('a block', chainGetBlock, atBlock, optional),
    chain_get_block_transfers: method('the transfers of a block', chainGetBlockTransfers, atBlock, optional),
    chain_get_state_root_hash: method(
      'the state root after a block',
      chainGetStateRootHash,
      atBlock,
      optional,
    ),
    state_get_item: method('a value of global state', stateGetItem, ['state_root_hash', 'key', 'path']),
    state_get_balance: method('the balance of a purse', stateGetBalance, ['state_root_hash', 'purse_uref']),
    chain_get_era_info_by_switch_block: method(
      'the rewards of an era',
      chainGetEraInfoBySwitchBlock,
      atBlock,
      optional,
    ),
    state_get_auction_info: method('bids and validators', stateGetAuctionInfo, atBlock, optional),
    state_get_auction_info_v2: method('bids and validators', stateGetAuctionInfoV2, atBlock, optional),
    chain_get_era_summary: method('the rewards of an era', chainGetEraSummary, atBlock, optional),
    speculative_exec: method('what a deploy would do', speculativeExec, ['deploy']),
    speculative_exec_txn: method('what a transaction would do', speculativeExecTxn, ['transaction']),
    state_get_trie: method('an element of the trie', stateGetTrie, ['trie_key']),
  }),
)
