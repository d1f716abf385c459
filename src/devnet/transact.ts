import { createPrivateKey, sign } from 'node:crypto'
import { decodeHex, encodeHex } from '../bytes/hex.ts'
import { memberAt } from '../bytes/memberAt.ts'
import { type Arguments, presentArguments } from '../casper/types/arguments.ts'
import { formatPlainClValue } from '../casper/types/clValue.ts'
import { isRecord } from '../casper/types/isRecord.ts'
import { WattfeedError } from '../errors.ts'
import type { DevnetAccount } from './consensus/keys.ts'
import type { Devnet } from './createDevnet.ts'
import { hashPayload } from './transaction/parseTransaction.ts'
import { formatDuration } from './transaction/time.ts'

/**
 * A transaction that an embedded chain rejected, or that failed.
 *
 * @example
 * ```ts
 * import { createDevnet, DevnetTransactionError, installRegistries } from 'wattfeed/devnet'
 *
 * await using devnet = createDevnet()
 * const registries = await installRegistries(devnet)
 * try {
 *   await registries.attest('NOT.REGISTERED', { amount: 1n, period: 2026 })
 * } catch (error) {
 *   if (error instanceof DevnetTransactionError) console.log(error.what, error.reason) // attest User error: …
 * }
 * ```
 */
export class DevnetTransactionError extends WattfeedError {
  static override readonly name = 'DevnetTransactionError'
  readonly code = 'devnet_transaction'
  readonly retryable = false

  constructor(
    /** The entry point, or `install` for wasm. */
    readonly what: string,
    /** The node's message: `User error: 1`. */
    readonly reason: string,
  ) {
    super(`${what} was refused or failed: ${reason}`)
  }
}

/** A transaction of an account of an embedded chain. */
export interface DevnetTransaction {
  /** Wasm to install, or an entry point of a package (64 hex digits) to call. */
  readonly target:
    | { readonly wasm: Uint8Array }
    | { readonly packageHash: string; readonly entryPoint: string }
  readonly args: Arguments
  readonly paymentMotes: bigint
}

/** Sends transactions of one account to an embedded chain. */
export interface Sender {
  /** A node without faults. */
  readonly call: Devnet['call']
  /**
   * Signs and sends a transaction, and makes a block for it if needed. Equal requests are separate transactions.
   *
   * @throws {DevnetTransactionError} when it is refused or fails
   */
  send(request: DevnetTransaction): Promise<void>
}

const TTL_MS = 30 * 60_000
const MAX_EXTRA_TTL_MS = 60 * 60_000

/** Creates a sender, which ignores the devnet's faults. */
export function createSender(devnet: Devnet, account: DevnetAccount): Sender {
  const { call } = devnet.createNode()
  const { chainName, now, produceBlock } = devnet
  let sent = 0
  return {
    call,
    async send(request) {
      // A clock may stand still, and a chain executes equal transactions once; so each has a time to live of its own.
      const ttlMs = TTL_MS + (sent++ % MAX_EXTRA_TTL_MS)
      const payload = payloadOf(request, {
        publicKey: account.publicKey,
        chainName,
        timestampMs: now(),
        ttlMs,
      })
      const what = 'wasm' in request.target ? 'install' : request.target.entryPoint
      const hash = hashPayload(payload)
      const put = await call('account_put_transaction', {
        transaction: { Version1: { hash, payload, approvals: [approve(hash, account)] } },
      })
      if ('error' in put) throw new DevnetTransactionError(what, `${put.error.message}: ${put.error.data}`)
      if ((await executionOf(call, hash)) === null) produceBlock()
      const executed = await executionOf(call, hash)
      const reason = executed === null ? 'no block holds it' : executed.error_message
      if (reason !== null) throw new DevnetTransactionError(what, String(reason))
    },
  }
}

function approve(hash: string, { publicKey, secretKeyPem }: DevnetAccount): object {
  const signature = sign(null, decodeHex(hash, 'hash'), createPrivateKey(secretKeyPem))
  return { signer: publicKey, signature: `01${encodeHex(signature)}` }
}

interface PayloadHead {
  publicKey: string
  chainName: string
  timestampMs: number
  ttlMs: number
}

/** Without `casper-js-sdk`, which users of `wattfeed/devnet` would have to load. */
function payloadOf({ target, args, paymentMotes }: DevnetTransaction, head: PayloadHead): object {
  const runtime = 'VmCasperV1'
  const named = presentArguments(args).map(([name, value]) => [name, formatPlainClValue(value)])
  const run =
    'wasm' in target
      ? { Session: { module_bytes: encodeHex(target.wasm), runtime, is_install_upgrade: true } }
      : { Stored: { id: { ByPackageHash: { addr: target.packageHash, version: null } }, runtime } }
  return {
    initiator_addr: { PublicKey: head.publicKey },
    timestamp: new Date(head.timestampMs).toISOString(),
    ttl: formatDuration(head.ttlMs),
    chain_name: head.chainName,
    pricing_mode: {
      PaymentLimited: {
        payment_amount: Number(paymentMotes),
        gas_price_tolerance: 1,
        standard_payment: true,
      },
    },
    fields: {
      args: { Named: named },
      target: run,
      entry_point: 'wasm' in target ? 'Call' : { Custom: target.entryPoint },
      scheduling: 'Standard',
    },
  }
}

/** Returns the result of a transaction; null if it is not in a block yet. */
async function executionOf(call: Devnet['call'], hash: string): Promise<Record<string, unknown> | null> {
  const answer = await call('info_get_transaction', { transaction_hash: { Version1: hash } })
  const found = memberAt(answer, 'result', 'execution_info', 'execution_result', 'Version2')
  return isRecord(found) ? found : null
}
