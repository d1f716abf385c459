import { type Static, Type } from '@sinclair/typebox'
import { defineError, encodeHex } from '@wattfeed/base'
import {
  type Arguments,
  clAny,
  clBytes,
  clString,
  countArgumentBytes,
  type Lane,
  laneOf,
  plannedSize,
  presentArguments,
} from '@wattfeed/casper/types'
import { datasetFeedId } from '@wattfeed/dataset'
import { encodePinnedSeries, type PinnedSeries } from 'wattfeed/internal'
import type { ContractProof } from 'wattfeed/series'
import { type Outcome, type Payer, payOne } from '../payAll.ts'
import { type BoardRoot, type BoardState, readBoardState } from './boardState.ts'
import { scaleValue } from './scaleValue.ts'

type BoardReason = 'no_root' | 'other_root' | 'other_unit' | 'no_number'

/** A board would refuse a proof. Nothing was sent. */
const BoardError = defineError(
  'BoardError',
  'board',
  (facts: { reason: BoardReason; message: string }) => facts.message,
)

/** A pending call of a board, with its encoded arguments in hex, by name. */
export const PutPurpose = Type.Object({
  kind: Type.Literal('board_put'),
  entry_point: Type.String(),
  args: Type.Record(Type.String(), Type.String()),
})
type PutPurpose = Static<typeof PutPurpose>

/** A call that puts a value on a board. */
export interface PutCall {
  /** Package hash of the board: 64 hex digits. */
  readonly board: string
  readonly series: PinnedSeries
  /** EIA's text of the period; empty for the newest value of the series. */
  readonly period: string
  /** What it shows. */
  readonly proof: ContractProof
  readonly entryPoint: 'put' | 'put_latest'
  readonly args: Arguments
  readonly argumentBytes: number
  readonly lane: Lane
  readonly paymentMotes: bigint
}

/**
 * Creates the call that puts what a proof shows on a board.
 *
 * @param pinned what contracts pin beside the series
 * @throws {BoardError} if the value does not fit the pin. @throws {NoLaneError}
 */
export function createPutCall(
  proof: ContractProof,
  {
    board,
    paymentMotes,
    ...pinned
  }: { board: string; unit: string | null; decimals: number; paymentMotes: bigint },
): PutCall {
  assertNumber(proof, pinned)
  const series = { ...proof.series, ...pinned }
  const isNewest = proof.statement === 'newest_value'
  const args: Arguments = {
    series: clAny(encodePinnedSeries(series)),
    period: isNewest ? null : clString(proof.period),
    proof: clBytes(proof.bytes),
  }
  const argumentBytes = countArgumentBytes(args)
  return {
    ...{ board, series, proof, args, argumentBytes, paymentMotes },
    period: isNewest ? '' : proof.period,
    entryPoint: isNewest ? 'put_latest' : 'put',
    lane: laneOf('call', plannedSize({ paymentMotes, argumentBytes })),
  }
}

/** @throws {BoardError} unless the value is a number in the pinned unit, at the pinned decimals. */
function assertNumber(
  { value, unit }: ContractProof,
  pinned: { unit: string | null; decimals: number },
): void {
  if (unit !== pinned.unit)
    throw new BoardError({
      reason: 'other_unit',
      message: `the value is in ${unit ?? 'no unit'}, and --unit is ${pinned.unit ?? 'none'}: a board keeps a value in its own unit alone`,
    })
  if (value === null || scaleValue(value, pinned.decimals) === null)
    throw new BoardError({
      reason: 'no_number',
      message: `the value is ${value === null ? 'withheld' : JSON.stringify(value)}: a board keeps numbers of up to ${pinned.decimals} decimals in 64 bits, and rounds nothing; give other --decimals if contracts pin them`,
    })
}

/**
 * Puts a value on a board, and waits until the call is executed. Checks everything it can before sending, because a call that
 * fails loses its whole payment. The outcome is `done` if the board has the value by the newest root.
 *
 * @throws {BoardError | PreflightError} before anything is sent; afterwards the errors of `DurableSender` and
 * `sendTransaction`.
 */
export function submitPut(call: PutCall, payer: Payer): Promise<Outcome> {
  const { board: packageHash, entryPoint, args, paymentMotes } = call
  const purpose: PutPurpose = {
    kind: 'board_put',
    entry_point: entryPoint,
    args: Object.fromEntries(presentArguments(args).map(([name, { bytes }]) => [name, encodeHex(bytes)])),
  }
  return payOne(
    {
      isSame: (pending) => Bun.deepEquals(pending, purpose),
      request: async () =>
        isKept(await readBoardState(payer.rpc, call), call)
          ? null
          : { target: { packageHash, entryPoint }, args, paymentMotes, purpose },
    },
    payer,
  )
}

/** Returns whether the board keeps the value by the newest root. @throws {BoardError} if it would refuse the proof. */
function isKept({ newest, kept }: BoardState, { series, proof }: PutCall): boolean {
  if (newest === null)
    throw new BoardError({
      reason: 'no_root',
      message: `the board reads no root of ${datasetFeedId(series.route, series.frequency)}: the feed has no value at the board's registries`,
    })
  assertRoot(newest, proof)
  return kept?.root === newest.root && kept.rootTimestamp === newest.timestamp
}

function assertRoot(newest: BoardRoot, { root, size }: ContractProof): void {
  if (newest.root !== root || newest.size !== BigInt(size))
    throw new BoardError({
      reason: 'other_root',
      message: `the proof is by the root ${root}, and the board reads ${newest.root}, which was attested at ${new Date(newest.timestamp).toISOString()}; make the proof again`,
    })
}
