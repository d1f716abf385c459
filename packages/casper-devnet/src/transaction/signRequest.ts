import { createPrivateKey, sign } from 'node:crypto'
import { assertOptions, assertType, decodeHex, encodeHex, InvalidArgumentError } from '@wattfeed/base'
import { type Payload, payload, type TransactionApproval } from '@wattfeed/casper/codec'
import { type Arguments, accountHashOfText, presentArguments } from '@wattfeed/casper/types'
import { blake2b } from '../blake2b.ts'
import { byteArray, option, publicKey, u512 } from '../clValues.ts'
import { describeValue } from '../describeValue.ts'
import type { DevnetAccount } from '../devnetAccount.ts'
import { isClValue } from '../isClValue.ts'
import { printTransaction } from './printTransaction.ts'
import { MIN_TRANSFER_MOTES, TRANSFER_MOTES } from './transfer.ts'

/** A transaction to send. */
export interface DevnetTransaction {
  /** Wasm to run, which may install a contract, or an entry point to call of a package. The package's hash may have the prefix `hash-`. */
  readonly target:
    | { readonly wasm: Uint8Array }
    | { readonly packageHash: string; readonly entryPoint: string }
  /** Arguments by name, made by the functions of {@link cl}. Null omits one, which is Odra's `Maybe::None`. */
  readonly args: Arguments
  /**
   * The most that the transaction may cost, in motes: at least 2.5 CSPR, up to 1,000 CSPR with wasm. The chain refunds 75 % of what
   * is unused.
   */
  readonly paymentMotes: bigint
}

/** Motes for an account. */
export interface DevnetTransfer {
  /** The receiving account: its public key in hex, or its account hash. */
  readonly to: string
  /** At least 2.5 CSPR, which is 2,500,000,000 motes. */
  readonly motes: bigint
}

/** A signed transaction in the node's JSON. */
export interface SignedRequest {
  readonly hash: string
  /** The parameter `transaction` of `account_put_transaction`. */
  readonly transaction: object
}

export interface SigningContext {
  readonly account: DevnetAccount
  readonly chainName: string
  readonly timestampMs: number
  readonly ttlMs: number
}

/** Signs what an account wants to send. @throws {InvalidArgumentError} for an argument of the wrong shape. */
export function signRequest(
  request: DevnetTransaction | DevnetTransfer,
  { account, chainName, timestampMs, ttlMs }: SigningContext,
): SignedRequest {
  const { fields, paymentMotes } = 'to' in request ? transferParts(request) : callParts(request)
  const unsigned: Payload = {
    initiator_addr: { kind: 'PublicKey', value: account.publicKey },
    timestamp: timestampMs,
    ttl: ttlMs,
    chain_name: chainName,
    pricing_mode: {
      kind: 'PaymentLimited',
      value: { payment_amount: Number(paymentMotes), gas_price_tolerance: 1, standard_payment: true },
    },
    fields,
  }
  const hash = encodeHex(blake2b(...payload.encode(unsigned)))
  const signed = { hash, payload: unsigned, approvals: [approve(hash, account)] }
  return { hash, transaction: { Version1: printTransaction(signed) } }
}

interface Parts {
  readonly fields: Payload['fields']
  readonly paymentMotes: bigint
}

const scheduling = { kind: 'Standard', value: null } as const
const runtime = { kind: 'VmCasperV1', value: null } as const

function callParts({ target, args, paymentMotes }: DevnetTransaction): Parts {
  if (typeof paymentMotes !== 'bigint')
    throw new InvalidArgumentError('paymentMotes', `motes as a bigint, not ${describeValue(paymentMotes)}`)
  return { fields: { args: namedArgs(args), scheduling, ...fieldsOfTarget(target) }, paymentMotes }
}

function fieldsOfTarget(
  target: DevnetTransaction['target'],
): Pick<Payload['fields'], 'target' | 'entry_point'> {
  if ('wasm' in target) {
    assertOptions(target, { wasm: 1 }, 'target')
    const { wasm } = target
    if (!(wasm instanceof Uint8Array))
      throw new InvalidArgumentError('target.wasm', `a Uint8Array, not ${describeValue(wasm)}`)
    const value = { module_bytes: wasm, runtime, is_install_upgrade: true }
    return { target: { kind: 'Session', value }, entry_point: { kind: 'Call', value: null } }
  }
  assertOptions(target, { packageHash: 1, entryPoint: 1 }, 'target')
  const addr = packageHashOf(target.packageHash, 'target.packageHash')
  assertType('target.entryPoint', target.entryPoint, 'string')
  const id = {
    kind: 'ByPackageHash',
    value: { addr, version: null, protocol_version_major: undefined },
  } as const
  const entryPoint = { kind: 'Custom', value: target.entryPoint } as const
  return { target: { kind: 'Stored', value: { id, runtime } }, entry_point: entryPoint }
}

/** Returns the 64 hex digits of a package hash. @throws {InvalidArgumentError} which names the argument */
export function packageHashOf(text: string, argument: string): string {
  const [, hash] = /^(?:hash-|package-|contract-package-)?([0-9a-f]{64})$/.exec(text) ?? []
  if (hash !== undefined) return hash
  const rule = `hash- and 64 hex digits, as the account’s named key has it, not ${describeValue(text)}`
  throw new InvalidArgumentError(argument, rule)
}

/** Returns checked arguments in the order of the call. @throws {InvalidArgumentError} */
export function namedArguments(args: Arguments) {
  if (typeof args !== 'object' || args === null)
    throw new InvalidArgumentError('args', `an object of values by name, not ${describeValue(args)}`)
  for (const [name, value] of Object.entries(args))
    if (value !== null && !isClValue(value))
      throw new InvalidArgumentError(
        `args.${name}`,
        `a value with its type, such as cl.u32(5), not ${describeValue(value)}`,
      )
  return presentArguments(args).map(([name, value]) => ({ name, ...value }))
}

const namedArgs = (args: Arguments) => ({ kind: 'Named', value: namedArguments(args) }) as const

function transferParts({ to, motes }: DevnetTransfer): Parts {
  const accountHash = accountHashOfText(String(to))
  if (accountHash === null)
    throw new InvalidArgumentError(
      'to',
      `a public key in hex, or account-hash- and 64 hex digits, not ${describeValue(to)}`,
    )
  const amount = u512(motes)
  if (motes < MIN_TRANSFER_MOTES)
    throw new InvalidArgumentError('motes', `at least ${MIN_TRANSFER_MOTES}, which is 2.5 CSPR, not ${motes}`)
  const args = {
    target: String(to).startsWith('0') ? publicKey(to) : byteArray(accountHash),
    amount,
    id: option(null, 'U64'),
  }
  const fields = {
    args: namedArgs(args),
    scheduling,
    target: { kind: 'Native', value: null },
    entry_point: { kind: 'Transfer', value: null },
  } as const
  return { fields, paymentMotes: TRANSFER_MOTES }
}

function approve(hash: string, { publicKey, secretKeyPem }: DevnetAccount): TransactionApproval {
  const signature = sign(null, decodeHex(hash, 'hash'), createPrivateKey(secretKeyPem))
  return { signer: publicKey, signature: `01${encodeHex(signature)}` }
}
