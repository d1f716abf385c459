import { assertOptions, DecodeError, encodeHex, type OptionNames } from '@wattfeed/base'
import {
  clBytes,
  countArgumentBytes,
  isRecord,
  type Lane,
  laneOf,
  MIN_PAYMENT_MOTES,
  plannedSize,
} from '@wattfeed/casper/types'
import { checkLeaf, checkStatement, type DatasetSeries, datasetRootOf } from '@wattfeed/dataset'
import { encodePeriod } from '@wattfeed/eia'
import { assertSeriesProof } from '../client/proof/assertProof.ts'
import type { SeriesProof } from '../client/proof/feedProof.ts'
import { ContractProofError } from './contractProofError.ts'
import { encodeContractProof, hashesBeside } from './encodeContractProof.ts'

/**
 * What a contract asks about a series: the variants of `Statement` in the crate `wattfeed`. `value_of`: the value of a named period.
 * `newest_period`: that of the dataset's newest period. `newest_value`: the newest value of the series.
 */
export type ContractStatement = 'value_of' | 'newest_period' | 'newest_value'

/** Options of {@link createContractProof}. */
export interface ContractProofOptions {
  /**
   * What the contract asks for.
   * @default `value_of` for the proof of a period, `newest_value` for that of the newest value
   */
  statement?: ContractStatement
  /**
   * The unit that the contract pins; null for none.
   * @default that of the value
   */
  unit?: string | null
  /**
   * Name of the argument.
   * @default 'proof'
   */
  argument?: string
  /**
   * Size of the other arguments of the call, in bytes.
   * @default 0
   */
  otherArgumentBytes?: number
  /**
   * Payment of the call, in motes.
   * @default 2,500,000,000, the minimum
   */
  paymentMotes?: bigint
  /**
   * Protocol of the network, such as `2.2.2`.
   * @default the newest that is known
   */
  protocolVersion?: string
}

const optionNames: OptionNames<ContractProofOptions> = {
  ...{ statement: 1, unit: 1, argument: 1, otherArgumentBytes: 1, paymentMotes: 1, protocolVersion: 1 },
}

/** A runtime argument, in a node's JSON. */
export type RuntimeArgument = readonly [
  name: string,
  value: { readonly cl_type: { readonly List: 'U8' }; readonly bytes: string },
]

/** A proof as a contract takes it. */
export interface ContractProof {
  /** The series that the contract must pin. */
  readonly series: DatasetSeries
  /** What the contract must ask for. */
  readonly statement: ContractStatement
  /** EIA's text of the period. */
  readonly period: string
  /** The value as EIA sent it; null if it is withheld. The contract names an error for a value that is not a number. */
  readonly value: string | null
  /** Its unit; null without one. The contract names an error unless it is the pinned one. */
  readonly unit: string | null
  /** The root that the contract must read: 64 hex digits. With another one, the call fails. */
  readonly root: string
  /** Number of leaves of the root. */
  readonly size: number
  /** The proof. */
  readonly bytes: Uint8Array
  /** The argument of the call, which Odra calls `Bytes`. */
  readonly arguments: readonly [RuntimeArgument]
  /** Size of all arguments of the call. It determines the lane, together with the payment. */
  readonly argumentBytes: number
  /** The lane of the call. */
  readonly lane: Lane
  /** Payment of the call, in motes. A call that fails loses all of it. */
  readonly paymentMotes: bigint
}

/**
 * Turns the proof of a series into the argument of a contract that uses the crate `wattfeed`, and finds the lane of the call before
 * anything is paid. The leaves are checked against the root; the proof of the root is not checked.
 *
 * @example
 * ```ts
 * import { createContractProof } from 'wattfeed/series'
 *
 * const url = 'http://localhost:4030/v1/series/proof?route=electricity/retail-sales&frequency=monthly&column=price'
 * const answer = await fetch(`${url}&facet.stateid=CA&facet.sectorid=COM&period=2026-08`)
 * const { arguments: args, argumentBytes, lane, paymentMotes } = createContractProof(await answer.json())
 * console.log(JSON.stringify(args), `${argumentBytes} bytes, ${lane.transactionsPerBlock} calls a block`)
 * console.log(`a call that fails loses ${paymentMotes} motes`)
 * ```
 *
 * @param proof - the answer of `/v1/series/proof`, or of {@link createSeriesProof}
 * @throws {@link ContractProofError} when the proof is of an absence or does not show the statement, or a text has characters that no
 * contract takes.
 * @throws {@link DatasetError} when the proof is wrong.
 * @throws {@link DecodeError} when it has another form.
 * @throws {@link NoLaneError} when no lane of the network takes the call.
 * @throws {@link InvalidArgumentError} when an option is unknown.
 */
export function createContractProof(proof: unknown, options: ContractProofOptions = {}): ContractProof {
  assertOptions(options, optionNames)
  const { argument = 'proof', otherArgumentBytes = 0, paymentMotes = MIN_PAYMENT_MOTES } = options
  assertDocument(proof)
  const { statement, size: leafCount, ...evidence } = checkProof(proof, options.statement)
  const { leaf } = evidence
  const unit = options.unit === undefined ? leaf.unit : options.unit
  const bytes = encodeContractProof({ ...evidence, unit })
  const argumentValue = clBytes(bytes)
  const argumentBytes = countArgumentBytes({ [argument]: argumentValue }) + otherArgumentBytes
  const { route, frequency, column, facets } = leaf
  return {
    series: { route, frequency, column, facets },
    statement,
    period: leaf.period,
    value: leaf.value,
    unit: leaf.unit,
    root: proof.root.reading.source_hash,
    size: leafCount,
    bytes,
    arguments: [[argument, { cl_type: { List: 'U8' }, bytes: encodeHex(argumentValue.bytes) }]],
    argumentBytes,
    lane: laneOf('call', plannedSize({ paymentMotes, argumentBytes }), options.protocolVersion),
    paymentMotes,
  }
}

/** @throws {DecodeError} unless it has the form of a proof of a series. */
function assertDocument(proof: unknown): asserts proof is SeriesProof {
  if (!isRecord(proof)) throw new DecodeError('proof', 'expected a JSON object')
  assertSeriesProof(proof)
  const { amount } = proof.root.reading
  if (typeof amount !== 'string' || !/^\d{1,16}$/.test(amount))
    throw new DecodeError('proof', '"amount" of the root must be a number of leaves')
}

/** Checks what a proof shows, and which statement of a contract that is. */
function checkProof({ series, leaves, statement: shown, root }: SeriesProof, chosen?: ContractStatement) {
  const fail = (rule: string) => new ContractProofError({ rule })
  if (shown !== 'value' && shown !== 'newest')
    throw fail(`it shows an absence (${shown}), and a contract settles by a value`)
  const tree = datasetRootOf({ ...root.reading, amount: BigInt(root.reading.amount) }, series)
  const checked = leaves.map((leaf) => checkLeaf(leaf, tree))
  checkStatement({ statement: shown, leaves: checked }, series, tree)
  const statement = chosen ?? (shown === 'value' ? 'value_of' : 'newest_value')
  const [first, next] = checked
  if (first === undefined) throw fail('it has no leaf')
  if (statement === 'newest_value' && shown !== 'newest')
    throw fail('the newest value needs a proof without a period, which has the next leaf of the tree')
  if (statement === 'newest_period' && !isNewestPeriod(first.leaf, root.reading.period))
    throw fail(`${first.leaf.period} is not the newest period of the dataset, ${root.reading.period}`)
  const count = statement === 'newest_value' ? leaves.length : 1
  return {
    statement,
    size: tree.size,
    index: first.index,
    leaf: first.leaf,
    next: count === 1 ? null : (next?.leaf ?? null),
    hashes: hashesBeside(leaves.slice(0, count), tree.size),
  }
}

const isNewestPeriod = (leaf: { frequency: string; period: string }, newest: number): boolean =>
  encodePeriod(leaf.frequency, leaf.period) === newest
