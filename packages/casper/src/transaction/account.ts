import { defineError } from '@wattfeed/base'
import { getBlock } from '../lightClient/getBlock.ts'
import { NodesDisagreeError } from '../lightClient/nodesDisagreeError.ts'
import { JsonRpcError } from '../rpc/jsonRpc.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { absentAsNull } from '../state/absent.ts'
import { createGlobalState, createPastState, type GlobalState } from '../state/globalState.ts'
import { type ParsedAccount, parseAccount, parseEntityAccount, sumWeights } from '../types/account.ts'
import { accountHashOfHex, formatAccountHash, isAccountHash } from '../types/accountHash.ts'
import { decodeBlock } from '../types/block.ts'
import { amount, members } from '../types/jsonField.ts'
import { addressOf } from '../types/key.ts'
import { parseKey } from '../types/keyKinds.ts'
import { isEntityReference } from '../types/storedValueJson.ts'
import type { Signer } from './signer.ts'
import type { Balance } from './transactionStore.ts'

const NO_SUCH_BLOCK = -32001
const NO_SUCH_ACCOUNT = -32009
const ACCOUNT_MIGRATED = -32021
const NODE_REQUEST_FAILED = -32018
const PURSE_NOT_FOUND = -32026

/**
 * Returns an account's balance in motes, by `query_balance`; null if the chain does not know the account.
 *
 * @param account its public key in hex, or `account-hash-…`
 */
export function getBalance(
  rpc: Rpc,
  account: string,
  signal?: AbortSignal,
  /** @default the newest block */
  block?: { readonly hash: string; readonly height: number },
): Promise<bigint | null> {
  const kind = isAccountHash(account) ? 'account_hash' : 'public_key'
  return rpc.call<bigint | null>({
    method: 'query_balance',
    params: {
      ...(block === undefined ? {} : { state_identifier: { BlockHash: block.hash } }),
      purse_identifier: { [`main_purse_under_${kind}`]: account },
    },
    signal,
    decode: (result) => members(result, 'query_balance')('balance', amount),
    refused(error) {
      if (error instanceof JsonRpcError && error.rpcCode === PURSE_NOT_FOUND) return null
      throw block !== undefined && lacksBlock(error) ? new NodesDisagreeError(block.height) : error
    },
  })
}

/**
 * Whether a node does not have a block that another node has named. A node of casper-node 2 reports an unknown block of
 * `query_balance` as a failed request; earlier ones as `No such block`.
 */
const lacksBlock = (error: unknown): boolean =>
  error instanceof JsonRpcError &&
  (error.rpcCode === NO_SUCH_BLOCK ||
    (error.rpcCode === NODE_REQUEST_FAILED && /empty envelope/.test(error.data)))

/** Returns an account's balance at the newest block, by `chain_get_block` and `query_balance`. @param account as for {@link getBalance} */
export async function getBalanceAtNewest(rpc: Rpc, account: string, signal?: AbortSignal): Promise<Balance> {
  const { hash, height, time } = await getBlock(rpc, {
    identifier: null,
    signal,
    decode(json) {
      const { hash, header } = decodeBlock(json)
      return { hash, height: header.height, time: header.timestamp }
    },
  })
  return { motes: await getBalance(rpc, account, signal, { hash, height }), height, time }
}

/**
 * Returns an account, by `state_get_account_info`; null if the chain does not know it.
 *
 * @param account as for {@link getBalance}
 */
export async function getAccount(
  rpc: Rpc,
  account: string,
  signal?: AbortSignal,
): Promise<ParsedAccount | null> {
  const found = await rpc.call<ParsedAccount | 'entity' | null>({
    method: 'state_get_account_info',
    params: { account_identifier: account },
    signal,
    decode: (result) => members(result, 'state_get_account_info')('account', parseAccount),
    refused(error) {
      if (error instanceof JsonRpcError && error.rpcCode === NO_SUCH_ACCOUNT) return null
      if (error instanceof JsonRpcError && error.rpcCode === ACCOUNT_MIGRATED) return 'entity'
      throw error
    },
  })
  if (found !== 'entity') return found
  const accountHash = isAccountHash(account) ? account : formatAccountHash(accountHashOfHex(account))
  return queryAccount(createGlobalState(rpc), accountHash, null)
}

/**
 * Returns an account at a state root, by `query_global_state`; null if it is not there.
 *
 * @param accountHash `account-hash-…`
 * @param stateRootHash 64 hex digits
 * @param isPast whether nodes may no longer keep this state, as in {@link createPastState}
 */
export function getAccountAt(
  rpc: Rpc,
  accountHash: string,
  stateRootHash: string,
  isPast = (): boolean => false,
): Promise<ParsedAccount | null> {
  return queryAccount(createPastState(createGlobalState(rpc), isPast), accountHash, stateRootHash)
}

/** Reads an account; follows the reference that it leaves if it becomes an addressable entity. */
async function queryAccount(
  state: GlobalState,
  accountHash: string,
  stateRootHash: string | null,
): Promise<ParsedAccount | null> {
  const found = await state.query({
    stateRootHash,
    key: accountHash,
    decode: (stored) =>
      isEntityReference(stored) ? 'entity' : members(stored, 'stored_value')('Account', parseAccount),
    absent: absentAsNull,
  })
  if (found !== 'entity') return found
  return state.query({
    stateRootHash,
    // An account's entity has the address of the account.
    key: accountHash.replace('account-hash', 'entity-account'),
    decode: (stored) => members(stored, 'stored_value')('AddressableEntity', parseEntityAccount),
    absent: absentAsNull,
  })
}

/** An account is an addressable entity, so its named keys cannot be listed. Nothing was sent. */
export const EntityAccountError = defineError(
  'EntityAccountError',
  'entity_account',
  (facts: { account: string }) =>
    `the chain stores ${facts.account} as an addressable entity, whose named keys are unsupported; give the package hashes instead`,
)

/**
 * Returns the named keys of an account. @param account as for {@link getBalance}
 *
 * @throws {EntityAccountError}
 */
export async function getNamedKeys(rpc: Rpc, account: string): Promise<ReadonlyMap<string, string>> {
  const found = await getAccount(rpc, account)
  if (found === null) return new Map()
  if (found.namedKeys === null) throw new EntityAccountError({ account })
  return found.namedKeys
}

/** A key that may not sign for its account, or not alone. Nothing was sent. */
export const NotAssociatedError = defineError(
  'NotAssociatedError',
  'not_associated',
  (facts: {
    account: string
    /** The key's own account hash, under which an account lists it: `account-hash-…` */
    key: string
    /** 0 if it is not associated. */
    weight: number
    /** The minimum total weight of a transaction's signatures. */
    threshold: number
  }) =>
    `the key ${facts.key} has weight ${facts.weight} for the account ${facts.account}, whose transactions need ${facts.threshold}; give it more weight, or use another key or account`,
)

/**
 * Asserts that a signer's key may sign for its account alone. An account that the chain does not know has its own key.
 *
 * @throws {NotAssociatedError}
 */
export async function assertMaySign(
  rpc: Rpc,
  { initiator, accountHash, keyHash }: Signer,
  signal?: AbortSignal,
): Promise<void> {
  const account = await getAccount(rpc, initiator, signal)
  if (account === null && accountHash === keyHash) return
  const weight = account === null ? 0 : sumWeights(account, [addressOf(parseKey(keyHash))])
  const threshold = account?.actionThresholds.deployment ?? 1
  if (weight < threshold)
    throw new NotAssociatedError({ account: accountHash, key: keyHash, weight, threshold })
}
