import { assertOptions, assertType, InvalidArgumentError, memberAt, WattfeedError } from '@wattfeed/base'
import { isRecord } from '@wattfeed/casper/types'
import type { DevnetAccount } from './devnetAccount.ts'
import type { RpcAnswer } from './rpcAnswer.ts'
import {
  type DevnetTransaction,
  type DevnetTransfer,
  packageHashOf,
  signRequest,
} from './transaction/signRequest.ts'

/**
 * A transaction that an embedded chain rejected, or that failed; or a view that failed.
 *
 * @example
 * ```ts
 * import { createDevnet, createSender, DevnetTransactionError } from '@wattfeed/casper-devnet'
 *
 * await using devnet = createDevnet()
 * const [account] = devnet.accounts
 * try {
 *   const target = { packageHash: '00'.repeat(32), entryPoint: 'count' }
 *   if (account) await createSender(devnet, account).send({ target, args: {}, paymentMotes: 3_000_000_000n })
 * } catch (error) {
 *   if (error instanceof DevnetTransactionError) console.log(error.what, error.reason) // count …
 * }
 * ```
 */
export class DevnetTransactionError extends WattfeedError {
  static override readonly name = 'DevnetTransactionError'
  readonly code = 'devnet_transaction'
  readonly retryable = false

  constructor(
    /** Name of the entry point; `install` for wasm. */
    readonly what: string,
    /** The node's message: `User error: 1`. */
    readonly reason: string,
    kind: 'transaction' | 'view of' = 'transaction',
  ) {
    super(`${kind} ${what} failed: ${reason}`)
  }
}

/** What a sender needs of a {@link Devnet}. */
export interface SenderChain {
  /** Name of the chain. */
  readonly chainName: string
  /** The chain's clock, in epoch milliseconds. */
  readonly now: () => number
  /** Answers a JSON-RPC call. */
  call(method: string, params?: unknown): Promise<RpcAnswer>
  /** Makes a block, if the chain did not make one for the transaction. */
  produceBlock(): unknown
}

/** Sends transactions of one account. */
export interface Sender {
  /** Calls a method of the chain's JSON-RPC, as {@link Devnet.call} does. */
  readonly call: SenderChain['call']
  /**
   * Sends a transaction, and waits for its block.
   *
   * @throws {@link DevnetTransactionError} when the chain rejects it, or it fails.
   * @throws {@link InvalidArgumentError} for a target or an argument that is wrong, such as the hash of a contract, whose package it names.
   */
  send(request: DevnetTransaction): Promise<void>
  /**
   * Transfers motes, at least 2.5 CSPR, and waits for the block. A receiver that has no account gets one.
   *
   * @throws {@link DevnetTransactionError} when the chain rejects it, or it fails.
   * @throws {@link InvalidArgumentError} for a receiver of the wrong shape, and for less than 2.5 CSPR.
   */
  transfer(request: DevnetTransfer): Promise<void>
  /** Returns the named keys of the account: the hash of a package, as `hash-…`, by the name under which it was installed. */
  namedKeys(): Promise<Readonly<Record<string, string>>>
}

const TTL_MS = 30 * 60_000
const MAX_EXTRA_TTL_MS = 60 * 60_000

/**
 * Creates a sender. It encodes transactions itself: users of this package need no `casper-js-sdk`.
 *
 * @example
 * ```ts
 * import { cl, createDevnet, createSender } from '@wattfeed/casper-devnet'
 *
 * await using devnet = createDevnet()
 * const [alice, bob] = devnet.accounts
 * if (alice && bob) await createSender(devnet, alice).transfer({ to: bob.publicKey, motes: 5_000_000_000n })
 * ```
 */
export function createSender(devnet: SenderChain, account: DevnetAccount): Sender {
  const { call, chainName } = devnet
  let sent = 0
  const deliver = async (what: string, request: DevnetTransaction | DevnetTransfer): Promise<void> => {
    // A chain executes equal transactions once. The clock may be stopped, so a different time to live makes each unique.
    const ttlMs = TTL_MS + (sent++ % MAX_EXTRA_TTL_MS)
    const signed = signRequest(request, { account, chainName, timestampMs: devnet.now(), ttlMs })
    const { hash, transaction } = signed
    if ('target' in request && 'packageHash' in request.target)
      await assertPackage(call, packageHashOf(request.target.packageHash, 'target.packageHash'))
    const put = await call('account_put_transaction', { transaction })
    if ('error' in put) throw new DevnetTransactionError(what, `${put.error.message}: ${put.error.data}`)
    if ((await executionOf(call, hash)) === null) devnet.produceBlock()
    const executed = await executionOf(call, hash)
    const reason = executed === null ? 'it is not in a block' : executed.error_message
    if (reason !== null) throw new DevnetTransactionError(what, String(reason))
  }
  return {
    call,
    send: async (request) => {
      assertOptions(request, { target: 1, args: 1, paymentMotes: 1 })
      assertType('target', request.target, 'object')
      await deliver('wasm' in request.target ? 'install' : request.target.entryPoint, request)
    },
    transfer: async (request) => {
      assertOptions(request, { to: 1, motes: 1 })
      await deliver('transfer', request)
    },
    namedKeys: () => readNamedKeys(call, account),
  }
}

async function readNamedKeys(
  call: SenderChain['call'],
  { accountHash }: DevnetAccount,
): Promise<Record<string, string>> {
  const answer = await call('query_global_state', { key: accountHash, path: [] })
  const found = memberAt(answer, 'result', 'stored_value', 'Account', 'named_keys')
  const keys = Array.isArray(found) ? found.filter(isRecord) : []
  return Object.fromEntries(keys.map(({ name, key }) => [String(name), String(key)]))
}

/** The error for the hash of a contract where that of its package belongs. Both are 64 hex digits. */
export const contractHashError = (
  argument: string,
  contract: string,
  itsPackage: string,
): InvalidArgumentError =>
  new InvalidArgumentError(
    argument,
    `the hash of a package: hash-${contract} is the hash of a contract; its package is hash-${itsPackage}`,
  )

async function assertPackage(call: SenderChain['call'], hash: string): Promise<void> {
  const answer = await call('query_global_state', { key: `hash-${hash}`, path: [] })
  const found = memberAt(answer, 'result', 'stored_value', 'Contract', 'contract_package_hash')
  if (typeof found === 'string')
    throw contractHashError('target.packageHash', hash, packageHashOf(found, 'contract_package_hash'))
}

async function executionOf(call: SenderChain['call'], hash: string): Promise<Record<string, unknown> | null> {
  const answer = await call('info_get_transaction', { transaction_hash: { Version1: hash } })
  const found = memberAt(answer, 'result', 'execution_info', 'execution_result', 'Version2')
  return isRecord(found) ? found : null
}
