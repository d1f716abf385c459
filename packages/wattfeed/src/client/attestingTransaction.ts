import { type AbortSignalLike, DecodeError, decodeHex, encodeHex, memberAt } from '@wattfeed/base'
import {
  absentAsHidden,
  createPastState,
  type GlobalState,
  isStateNotKept,
  PAST_AFTER_MS,
  type Rpc,
  StaleNodeError,
} from '@wattfeed/casper'
import {
  type BlockPoint,
  findBlockAt,
  getBlock,
  getBlockAt,
  verifySignature,
} from '@wattfeed/casper/light-client'
import {
  type AccountKeys,
  accountHashOfHex,
  decodeBlock,
  decodeDeploy,
  decodeTransaction,
  hashBlockBody,
  type ListedTransaction,
  listTransactions,
  type TransactionV1,
} from '@wattfeed/casper/types'
import pLimit from 'p-limit'
import type { Attestation } from '../registry/attestation.ts'
import type { NewAttestation } from '../registry/calls.ts'
import { decodeAttestCall } from '../registry/decodeAttestCall.ts'
import { assertFeedId, assertIndex } from './argument.ts'
import { readAccountKeys } from './attester.ts'
import { TransactionNotFoundError } from './errors.ts'
import type { Reads } from './reads.ts'

/**
 * The transaction or legacy deploy that attested a value, and the keys that signed it.
 *
 * Verified: the block's hash, its list of transactions, the transaction's hash, its arguments against the value, and each
 * signature. Not verified: that the block is final, and that the node returned all signatures. The weights are proven from
 * the block's state root with `verify` set to `proofs` or `full`.
 */
export interface AttestingTransaction {
  /** 64 hex digits. */
  readonly transactionHash: string
  /** The block that executed it, with its time in epoch milliseconds. */
  readonly block: { readonly hash: string; readonly height: number; readonly timestamp: number }
  /** Whether the block's list of transactions was verified. False if it contains a kind of a later protocol. */
  readonly isListed: boolean
  /** The account that paid: `account-hash-…` */
  readonly initiator: string
  /** Keys with a valid signature. Some may not belong to the account: nodes accept such signatures, but do not count them. */
  readonly signers: readonly {
    /** Hex, prefixed with the algorithm's byte. */
    readonly publicKey: string
    /** `account-hash-…` */
    readonly accountHash: string
    /** Weight of the key in the account as of the block; 0 if the account does not have the key. Null if no node keeps that state. */
    readonly weight: number | null
  }[]
}

interface AttestingTransactionQuery {
  state: GlobalState
  feedId: string
  value: Attestation
  /** Package hash of the AttestationRegistry, 64 hex digits. */
  packageHash: string
  signal?: AbortSignalLike | undefined
}

/** What matters of a transaction of version 1, or of a legacy deploy. */
type Signed = Pick<TransactionV1, 'hash' | 'initiator' | 'target' | 'entryPoint' | 'args' | 'approvals'>

/** The kinds of transactions that may attest a value. A decoder returns null for one that calls no package by its hash. */
const decoders = { Version1: decodeTransaction, Deploy: decodeDeployedCall } as const

function decodeDeployedCall(json: unknown): Signed | null {
  const { session, header, ...signed } = decodeDeploy(json)
  if (session.kind !== 'StoredVersionedContractByHash') return null
  const { hash: packageHash, version, entry_point: entryPoint, args } = session.value
  return {
    ...signed,
    initiator: { publicKey: header.account, accountHash: accountHashOfHex(header.account) },
    target: { kind: 'package', packageHash, version, protocolVersionMajor: null },
    entryPoint,
    args,
  }
}

/** Number of transactions of a block that are fetched at once. */
const CONCURRENCY = 8

/**
 * Finds the transaction that attested the value at an index; null if there is no such value.
 *
 * @param find - reads the newest state root, after the arguments are checked
 * @throws {InvalidArgumentError}
 */
export async function getAttestingTransaction(
  rpc: Rpc,
  find: () => Promise<Pick<Reads, 'getValueAt'>>,
  { index, ...query }: Omit<AttestingTransactionQuery, 'value'> & { index: number },
): Promise<AttestingTransaction | null> {
  assertFeedId(query.feedId)
  assertIndex('index', index)
  const value = await (await find()).getValueAt(query.feedId, index)
  return value && findAttestingTransaction(rpc, { ...query, value })
}

/**
 * Finds the transaction that attested a value: looks for the block of the value's time, and reads the block's transactions. If
 * several attest the same value, it returns the first.
 *
 * @throws {TransactionNotFoundError}
 * @rpc chain_get_block, info_get_transaction, query_global_state
 */
async function findAttestingTransaction(
  rpc: Rpc,
  { state, feedId, value, packageHash, signal }: AttestingTransactionQuery,
): Promise<AttestingTransaction> {
  const { timestamp, attester } = value
  const newest = await getNewestBlock(rpc, timestamp, signal)
  const block = await findBlockAt(timestamp, newest, (height) =>
    getBlockAt(rpc, height, { decode: decodeFullBlock, signal }),
  )
  if (block === null) throw new TransactionNotFoundError(feedId, 'no block has the time of the value')
  const attests = (transaction: Signed): boolean =>
    formatAccount(transaction.initiator.accountHash) === attester &&
    isCallOf(packageHash, transaction) &&
    hasValue(transaction, feedId, value)
  const found = (await listTransactionsOf(rpc, block, signal)).find(attests)
  if (found === undefined)
    throw new TransactionNotFoundError(feedId, `no transaction of block ${block.height} attests the value`)
  await verifySignatures(found)
  const isPast = (): boolean => newest.timestamp - timestamp >= PAST_AFTER_MS
  const account = await readAccountKeys({
    state: createPastState(state, isPast),
    stateRootHash: block.stateRootHash,
    signal,
    account: attester,
    absent: absentAsHidden,
  }).catch(nullIfNotKept)
  return {
    transactionHash: found.hash,
    block: { hash: block.hash, height: block.height, timestamp },
    isListed: block.isListed,
    initiator: attester,
    signers: signersOf(found, account),
  }
}

/** Returns the newest block, which cannot be older than a value on chain. */
function getNewestBlock(rpc: Rpc, timestamp: number, signal?: AbortSignalLike): Promise<FullBlock> {
  function decode(json: unknown): FullBlock {
    const block = decodeFullBlock(json)
    if (block.timestamp < timestamp) throw new StaleNodeError(timestamp - block.timestamp)
    return block
  }
  return getBlock(rpc, { identifier: null, decode, signal })
}

/** Returns the transactions of a block that may be attestations, in their order. */
async function listTransactionsOf(
  rpc: Rpc,
  { transactions }: FullBlock,
  signal?: AbortSignalLike,
): Promise<Signed[]> {
  const limit = pLimit(CONCURRENCY)
  const found = await Promise.all(
    transactions.map((each) => (mayAttest(each) ? limit(() => getSigned(rpc, each, signal)) : null)),
  )
  return found.filter((each) => each !== null)
}

function nullIfNotKept(error: unknown): null {
  if (isStateNotKept(error)) return null
  throw error
}

interface FullBlock extends BlockPoint {
  readonly hash: string
  readonly stateRootHash: string
  readonly transactions: readonly ListedTransaction[]
  readonly isListed: boolean
}

interface PossibleAttestation extends ListedTransaction {
  readonly kind: keyof typeof decoders
}

const mayAttest = (transaction: ListedTransaction): transaction is PossibleAttestation =>
  Object.hasOwn(decoders, transaction.kind)

/** @throws {DecodeError} if the block's list of transactions does not match its header. */
function decodeFullBlock(json: unknown): FullBlock {
  const { hash, header } = decodeBlock(json)
  const { height, timestamp, stateRootHash } = header
  // Blocks before protocol 2 have no such list.
  const body = memberAt(json, 'block', 'Version2', 'body')
  const transactions = body === undefined ? [] : listTransactions(body)
  const isListed = transactions.every(({ hash }) => hash !== null)
  if (body !== undefined && isListed && hashBlockBody(body) !== header.bodyHash)
    throw new DecodeError('block', `the body of block ${height} does not match its header`)
  return { hash, height, timestamp, stateRootHash, transactions, isListed }
}

/**
 * Returns a transaction with its finalized approvals. Returns null if it failed, if its result is of an unknown kind, or if it has a form
 * that no attestation has.
 */
function getSigned(
  rpc: Rpc,
  { kind, hash }: PossibleAttestation,
  signal?: AbortSignalLike,
): Promise<Signed | null> {
  return rpc.call({
    method: 'info_get_transaction',
    params: { transaction_hash: { [kind]: hash }, finalized_approvals: true },
    signal,
    decode(result) {
      const failure = memberAt(result, 'execution_info', 'execution_result', 'Version2', 'error_message')
      return failure === null ? decodeSigned(memberAt(result, 'transaction'), { kind, hash }) : null
    },
  })
}

/** Returns null for what cannot be decoded, because a block may contain any transactions. */
function decodeSigned(json: unknown, { kind, hash }: PossibleAttestation): Signed | null {
  try {
    const transaction = decoders[kind](json)
    return transaction?.hash === hash ? transaction : null
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

const isCallOf = (packageHash: string, { target }: Signed): boolean =>
  target.kind === 'package' && target.packageHash === packageHash

function hasValue({ entryPoint, args }: Signed, feedId: string, value: Attestation): boolean {
  const isSame = ({ feed_id, period, amount, source_hash }: NewAttestation): boolean =>
    feed_id === feedId &&
    period === value.period &&
    amount === value.amount &&
    source_hash === value.source_hash
  try {
    return decodeAttestCall(entryPoint, args)?.some(isSame) ?? false
  } catch (error) {
    if (error instanceof DecodeError) return false
    throw error
  }
}

/** @throws {DecodeError} if a signature is invalid. A block has no such transaction, so the node is wrong. */
async function verifySignatures({ hash, approvals }: Signed): Promise<void> {
  const message = decodeHex(hash, 'transaction hash')
  const valid = await Promise.all(
    approvals.map(({ signer, signature }) => verifySignature(signer, message, signature)),
  )
  const invalid = approvals[valid.indexOf(false)]
  if (invalid !== undefined)
    throw new DecodeError('approvals', `the signature of ${invalid.signer} is invalid`)
}

/** @param account null if its keys at that time are unknown */
function signersOf({ approvals }: Signed, account: AccountKeys | null): AttestingTransaction['signers'] {
  const weights = new Map(account?.keys.map(({ accountHash, weight }) => [accountHash, weight]))
  return approvals.map(({ signer }) => {
    const accountHash = formatAccount(accountHashOfHex(signer))
    return { publicKey: signer, accountHash, weight: account && (weights.get(accountHash) ?? 0) }
  })
}

const formatAccount = (hash: Uint8Array): string => `account-hash-${encodeHex(hash)}`
