import { createPrivateKey, sign } from 'node:crypto'
import { decodeHex, encodeHex, memberAt, WattfeedError } from '@wattfeed/base'
import { type Payload, payload, type TransactionApproval } from '@wattfeed/casper/codec'
import { type Arguments, isRecord, presentArguments } from '@wattfeed/casper/types'
import { blake2b } from './blake2b.ts'
import type { Devnet } from './createDevnet.ts'
import type { DevnetAccount } from './devnetAccount.ts'
import { printTransaction } from './transaction/printTransaction.ts'

/**
 * A transaction that an embedded chain rejected, or that failed.
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
  ) {
    super(`transaction ${what} failed: ${reason}`)
  }
}

/** A transaction to send. */
export interface DevnetTransaction {
  /** Wasm to install, or an entry point to call of a package. */
  readonly target:
    | { readonly wasm: Uint8Array }
    | { readonly packageHash: string; readonly entryPoint: string }
  readonly args: Arguments
  readonly paymentMotes: bigint
}

/** Sends transactions of one account. */
export interface Sender {
  /** Calls a method of the chain's JSON-RPC, as {@link Devnet.call} does. */
  readonly call: Devnet['call']
  /** Sends a transaction, and waits for its block. @throws {DevnetTransactionError} */
  send(request: DevnetTransaction): Promise<void>
}

const TTL_MS = 30 * 60_000
const MAX_EXTRA_TTL_MS = 60 * 60_000

/**
 * Creates a sender. It encodes transactions itself: users of this package need no `casper-js-sdk`.
 */
export function createSender(devnet: Devnet, account: DevnetAccount): Sender {
  const { call } = devnet
  let sent = 0
  return {
    call,
    async send(request) {
      const unsigned: Payload = {
        initiator_addr: { kind: 'PublicKey', value: account.publicKey },
        timestamp: devnet.now(),
        // A chain executes equal transactions once. The clock may be stopped, so a different time to live makes each unique.
        ttl: TTL_MS + (sent++ % MAX_EXTRA_TTL_MS),
        chain_name: devnet.chainName,
        pricing_mode: pricingOf(request),
        fields: fieldsOf(request),
      }
      const what = 'wasm' in request.target ? 'install' : request.target.entryPoint
      const hash = encodeHex(blake2b(...payload.encode(unsigned)))
      const signed = { hash, payload: unsigned, approvals: [approve(hash, account)] }
      const transaction = { Version1: printTransaction(signed) }
      const put = await call('account_put_transaction', { transaction })
      if ('error' in put) throw new DevnetTransactionError(what, `${put.error.message}: ${put.error.data}`)
      if ((await executionOf(call, hash)) === null) devnet.produceBlock()
      const executed = await executionOf(call, hash)
      const reason = executed === null ? 'it is not in a block' : executed.error_message
      if (reason !== null) throw new DevnetTransactionError(what, String(reason))
    },
  }
}

function pricingOf({ paymentMotes }: DevnetTransaction): Payload['pricing_mode'] {
  return {
    kind: 'PaymentLimited',
    value: { payment_amount: Number(paymentMotes), gas_price_tolerance: 1, standard_payment: true },
  }
}

const runtime = { kind: 'VmCasperV1', value: null } as const

function fieldsOf({ target, args }: DevnetTransaction): Payload['fields'] {
  const common = {
    args: { kind: 'Named', value: presentArguments(args).map(([name, value]) => ({ name, ...value })) },
    scheduling: { kind: 'Standard', value: null },
  } as const
  if ('wasm' in target) {
    const value = { module_bytes: target.wasm, runtime, is_install_upgrade: true }
    return { ...common, target: { kind: 'Session', value }, entry_point: { kind: 'Call', value: null } }
  }
  const id = {
    kind: 'ByPackageHash',
    value: { addr: target.packageHash, version: null, protocol_version_major: undefined },
  } as const
  const entryPoint = { kind: 'Custom', value: target.entryPoint } as const
  return { ...common, target: { kind: 'Stored', value: { id, runtime } }, entry_point: entryPoint }
}

function approve(hash: string, { publicKey, secretKeyPem }: DevnetAccount): TransactionApproval {
  const signature = sign(null, decodeHex(hash, 'hash'), createPrivateKey(secretKeyPem))
  return { signer: publicKey, signature: `01${encodeHex(signature)}` }
}

async function executionOf(call: Devnet['call'], hash: string): Promise<Record<string, unknown> | null> {
  const answer = await call('info_get_transaction', { transaction_hash: { Version1: hash } })
  const found = memberAt(answer, 'result', 'execution_info', 'execution_result', 'Version2')
  return isRecord(found) ? found : null
}
