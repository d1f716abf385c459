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
  infoGetStatus,
} from './blockMethods.ts'
import { stateGetDictionaryItem } from './dictionaryMethods.ts'
import { queryGlobalState, stateGetItem, stateGetTrie } from './stateMethods.ts'
import {
  accountPutDeploy,
  accountPutTransaction,
  infoGetDeploy,
  infoGetTransaction,
} from './transactionMethods.ts'

export interface RpcMethod {
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
  answer: RpcMethod['answer'],
  params: readonly string[],
  checkParams: RpcMethod['checkParams'] = required,
): RpcMethod => ({ answer, params, checkParams })

const atBlock = ['block_identifier']

/** All methods except `rpc.discover`. */
export const methods: ReadonlyMap<string, RpcMethod> = new Map(
  Object.entries<RpcMethod>({
    account_put_deploy: method(accountPutDeploy, ['deploy']),
    account_put_transaction: method(accountPutTransaction, ['transaction']),
    chain_get_block: method(chainGetBlock, atBlock, optional),
    chain_get_block_transfers: method(chainGetBlockTransfers, atBlock, optional),
    chain_get_era_info_by_switch_block: method(chainGetEraInfoBySwitchBlock, atBlock, optional),
    chain_get_era_summary: method(chainGetEraSummary, atBlock, optional),
    chain_get_state_root_hash: method(chainGetStateRootHash, atBlock, optional),
    info_get_deploy: method(infoGetDeploy, ['deploy_hash', 'finalized_approvals']),
    // A chain in one process has no peers, and its validators never change.
    info_get_peers: method(() => ({ peers: [] }), [], none),
    info_get_reward: method(infoGetReward, ['era_identifier', 'validator', 'delegator']),
    info_get_status: method(infoGetStatus, [], none),
    info_get_transaction: method(infoGetTransaction, ['transaction_hash', 'finalized_approvals']),
    info_get_validator_changes: method(() => ({ changes: [] }), [], none),
    query_balance: method(queryBalance, ['state_identifier', 'purse_identifier']),
    query_balance_details: method(queryBalanceDetails, ['state_identifier', 'purse_identifier']),
    query_global_state: method(queryGlobalState, ['state_identifier', 'key', 'path']),
    state_get_account_info: {
      ...method(stateGetAccountInfo, ['account_identifier', 'block_identifier']),
      aliases: ['public_key'],
    },
    state_get_auction_info: method(stateGetAuctionInfo, atBlock, optional),
    state_get_auction_info_v2: method(stateGetAuctionInfoV2, atBlock, optional),
    state_get_balance: method(stateGetBalance, ['state_root_hash', 'purse_uref']),
    state_get_dictionary_item: method(stateGetDictionaryItem, ['state_root_hash', 'dictionary_identifier']),
    state_get_entity: method(stateGetEntity, ['entity_identifier', 'block_identifier', 'include_bytecode']),
    state_get_item: method(stateGetItem, ['state_root_hash', 'key', 'path']),
    state_get_package: method(stateGetPackage, ['package_identifier', 'block_identifier']),
    state_get_trie: method(stateGetTrie, ['trie_key']),
  }),
)
