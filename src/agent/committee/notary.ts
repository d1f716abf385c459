import { concatBytes } from '@noble/hashes/utils.js'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { decodeHex, WattfeedError } from '@wattfeed/base'
import { verifySignature } from '@wattfeed/casper/light-client'
import {
  assertLane,
  createTransaction,
  type Sdk,
  type Signer,
  type TransactionRequest,
} from '@wattfeed/casper/transaction'
import {
  accountHashOfHex,
  accountHashPattern,
  countArgumentBytes,
  formatAccountHash,
  publicKeyPattern,
} from '@wattfeed/casper/types'
import type { Transaction } from 'casper-js-sdk'
import { decodeAttestBytes } from 'wattfeed/internal'
import { describeJsonDifferences } from '../../runtime/describeJsonDifferences.ts'
import { type BatchOptions, createAttestCall, paymentOf } from '../plan/attestCall.ts'
import type { AccountKeys } from './accountKeys.ts'
import type { Notary } from './memberState.ts'
import type { Approval, Approvals, Proposal, SignedProposal } from './proposal.ts'
import { type Refusal, refuse } from './refusal.ts'
import { LIFETIME_MS } from './slot.ts'

/** The most approvals of a transaction: an account has at most so many keys. */
const MAX_APPROVALS = 100

const ReceivedApproval = Type.Object({
  signer: Type.String({ pattern: `^(${publicKeyPattern})$` }),
  signature: Type.String({ pattern: '^0[12][0-9a-f]{128}$' }),
})

/** The parts of a transaction in which a proposal may differ from others; the rest follows from the protocol. */
const ReceivedTransaction = Type.Object({
  Version1: Type.Object({
    hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    approvals: Type.Array(ReceivedApproval, { minItems: 1, maxItems: MAX_APPROVALS }),
    payload: Type.Object({
      initiator_addr: Type.Union([
        Type.Object({ PublicKey: ReceivedApproval.properties.signer }),
        Type.Object({ AccountHash: Type.String({ pattern: `^${accountHashPattern}$` }) }),
      ]),
      timestamp: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
      pricing_mode: Type.Object({ PaymentLimited: Type.Object({ payment_amount: Type.Integer() }) }),
      fields: Type.Object({
        entry_point: Type.Object({
          Custom: Type.Union([Type.Literal('attest'), Type.Literal('attest_many')]),
        }),
        args: Type.Object({
          Named: Type.Array(
            Type.Tuple([Type.String(), Type.Object({ bytes: Type.String({ pattern: '^([0-9a-f]{2})*$' }) })]),
          ),
        }),
      }),
    }),
  }),
})
type Received = Static<typeof ReceivedTransaction>['Version1']

export interface NotaryOptions extends BatchOptions {
  sdk: Sdk
  /** This member's key, for the committee's account. */
  signer: Signer
  chainName: string
  /** Package hash of the AttestationRegistry, 64 hex digits. */
  packageHash: string
}

/**
 * Creates the notary of a member.
 *
 * It trusts nothing in a received transaction. It takes the values, the account's encoding, the timestamp and the payment,
 * and builds the protocol's transaction from them. It refuses the received one unless that has the same hash. The member
 * approves and sends the built one.
 */
export function createNotary(options: NotaryOptions): Notary {
  const { signer, paymentMotes } = options
  return {
    keyHash: signer.keyHash,
    async create(attestations, timestamp) {
      const { initiator } = signer
      return build(options, { attestations, timestamp, initiator, paymentMotes })
    },
    async sign({ hash, payload, ...terms }) {
      const transaction = signer.sign(requestOf(options, terms))
      const [approval] = formatJson(transaction).approvals
      if (transaction.hash.toHex() !== hash || approval === undefined)
        throw new TypeError(`the signed transaction ${transaction.hash.toHex()} is not the proposal ${hash}`)
      return approval
    },
    read: (transaction, keys) => read(options, transaction, keys),
  }
}

interface Terms extends Pick<Proposal, 'attestations' | 'timestamp' | 'initiator'> {
  /** Null for the default of the number of values. */
  readonly paymentMotes: bigint | null
}

/** @throws {ArgumentError | PaymentError} */
function requestOf(
  { chainName, packageHash, offersMany }: NotaryOptions,
  { attestations, timestamp, initiator, paymentMotes }: Terms,
): TransactionRequest {
  const call = createAttestCall(attestations, { offersMany, paymentMotes })
  return {
    initiator,
    chainName,
    target: { packageHash, entryPoint: call.entryPoint },
    args: call.args,
    paymentMotes: call.paymentMotes,
    timestamp,
    transactionTtlMs: LIFETIME_MS,
  }
}

interface SdkJson {
  readonly payload: unknown
  readonly approvals: readonly Approval[]
}

/** Converts through text, so that it equals what other members receive. */
const formatJson = (transaction: Transaction): SdkJson => JSON.parse(JSON.stringify(transaction.toJSON()))

/** @throws {ArgumentError | PaymentError | NoLaneError} */
function build(options: NotaryOptions, terms: Terms): Proposal {
  const request = requestOf(options, terms)
  const transaction = createTransaction(options.sdk, request)
  assertLane('call', {
    paymentMotes: request.paymentMotes,
    argumentBytes: countArgumentBytes(request.args),
    transactionBytes: transaction.getTransactionV1()?.toBytes().length ?? 0,
  })
  const { attestations, timestamp, initiator } = terms
  return {
    hash: transaction.hash.toHex(),
    timestamp,
    expiresAt: timestamp + LIFETIME_MS,
    chainName: options.chainName,
    initiator,
    paymentMotes: request.paymentMotes,
    attestations,
    payload: formatJson(transaction).payload,
  }
}

async function read(
  options: NotaryOptions,
  transaction: unknown,
  keys: AccountKeys,
): Promise<SignedProposal | { refusal: Refusal }> {
  const invalid = (detail: string) => ({ refusal: refuse('invalid_terms', detail) })
  if (!Value.Check(ReceivedTransaction, transaction)) {
    const [fault] = Value.Errors(ReceivedTransaction, transaction)
    return invalid(`it is not a transaction of the protocol: ${fault?.path} ${fault?.message}`)
  }
  const { Version1: received } = transaction
  const approvals = await verifyApprovals(received, keys)
  if (approvals.size === 0) return invalid('no associated key has signed it')
  try {
    const proposal = rebuild(options, received)
    if (typeof proposal === 'string') return invalid(proposal)
    return { proposal, approvals }
  } catch (error) {
    if (error instanceof WattfeedError) return invalid(error.message)
    throw error
  }
}

/** Returns the valid approvals of associated keys, each once. */
async function verifyApprovals({ hash, approvals }: Received, { weights }: AccountKeys): Promise<Approvals> {
  const message = decodeHex(hash, 'hash')
  const valid = new Map<string, Approval>()
  const checked = new Set<string>()
  for (const { signer, signature } of approvals) {
    const keyHash = hashOfKey(signer)
    // Only the first approval of a key is checked: a member must not cause a hundred checks with one request.
    if (!weights.has(keyHash) || checked.has(keyHash)) continue
    checked.add(keyHash)
    if (await verifySignature(signer, message, signature)) valid.set(keyHash, { signer, signature })
  }
  return valid
}

/** Returns the account hash of a public key in hex with the algorithm's byte. */
const hashOfKey = (publicKey: string): string => formatAccountHash(accountHashOfHex(publicKey))

/** Builds the protocol's transaction with the received values. Returns the violated rule if it is another one. */
function rebuild(options: NotaryOptions, { hash, payload }: Received): Proposal | string {
  const { initiator_addr: from, pricing_mode: pricing, fields } = payload
  const initiator = 'PublicKey' in from ? from.PublicKey : from.AccountHash
  const account = 'PublicKey' in from ? hashOfKey(from.PublicKey) : from.AccountHash
  if (account !== options.signer.accountHash)
    return `its account is ${account}, not ${options.signer.accountHash}`
  const bytes = fields.args.Named.map(([, value]) => decodeHex(value.bytes, 'argument'))
  const attestations = decodeAttestBytes(fields.entry_point.Custom, concatBytes(...bytes))
  const paymentMotes = BigInt(pricing.PaymentLimited.payment_amount)
  const limit = paymentOf(attestations.length, options.paymentMotes)
  if (paymentMotes > limit) return `its payment is ${paymentMotes} motes, more than PAYMENT_MOTES, ${limit}`
  const timestamp = Date.parse(payload.timestamp)
  // The chain's time begins in 1970.
  if (!(timestamp >= 0)) return `its timestamp ${payload.timestamp} does not exist`
  const proposal = build(options, { attestations, timestamp, initiator, paymentMotes })
  if (proposal.hash === hash) return proposal
  return `its hash is not that of the protocol's transaction; ${describeJsonDifferences(payload, proposal.payload)}`
}
