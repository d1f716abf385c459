import { createPrivateKey, sign } from 'node:crypto'
import { decodeHex, encodeHex } from '../bytes/hex.ts'
import { memberAt } from '../bytes/memberAt.ts'
import { type Arguments, presentArguments } from '../casper/types/arguments.ts'
import { formatPlainClValue } from '../casper/types/clValue.ts'
import { formatDuration } from '../casper/types/duration.ts'
import { isRecord } from '../casper/types/isRecord.ts'
import { WattfeedError } from '../errors.ts'
import type { DevnetAccount } from './consensus/keys.ts'
import type { Devnet } from './createDevnet.ts'
import { hashPayload } from './transaction/parseTransaction.ts'

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
    /** Name of the entry point; `install` for wasm. */
    readonly what: string,
    /** The node's message: `User error: 1`. */
    readonly reason: string,
  ) {
    super(`transaction ${what} failed: ${reason}`)
  }
}

export interface DevnetTransaction {
  /** Wasm to install, or an entry point to call of a package. */
  readonly target:
    | { readonly wasm: Uint8Array }
    | { readonly packageHash: string; readonly entryPoint: string }
  readonly args: Arguments
  readonly paymentMotes: bigint
}

export interface Sender {
  /** Calls a node without faults. */
  readonly call: Devnet['call']
  send(request: DevnetTransaction): Promise<void>
}

const TTL_MS = 30 * 60_000
const MAX_EXTRA_TTL_MS = 60 * 60_000

/** Creates a sender to which the devnet's faults do not apply. */
export function createSender(devnet: Devnet, account: DevnetAccount): Sender {
  const { call } = devnet.createNode()
  const { chainName, now, produceBlock } = devnet
  let sent = 0
  return {
    call,
    async send(request) {
      // A chain executes equal transactions once. The clock may be stopped, so a different time to live makes each unique.
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
      const reason = executed === null ? 'it is not in a block' : executed.error_message
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

/** Returns the payload as JSON. `casper-js-sdk` is not used, because users of `wattfeed/devnet` would have to load it. */
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

async function executionOf(call: Devnet['call'], hash: string): Promise<Record<string, unknown> | null> {
  const answer = await call('info_get_transaction', { transaction_hash: { Version1: hash } })
  const found = memberAt(answer, 'result', 'execution_info', 'execution_result', 'Version2')
  return isRecord(found) ? found : null
}
