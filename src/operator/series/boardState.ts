import { decodeHex } from '@wattfeed/base'
import { getStateRootHash, type Rpc } from '@wattfeed/casper'
import { datasetFeedId } from '@wattfeed/dataset'
import {
  attestationRegistryField,
  type BoardValue,
  boardField,
  boardIdOf,
  type FieldRequest,
  type PinnedSeries,
} from 'wattfeed/internal'
import { type ContractState, readContractState } from '../contracts/contractState.ts'

/** A root that a board reads. */
export interface BoardRoot {
  /** 64 hex digits, if it is a root. */
  readonly root: string
  /** Number of its leaves. */
  readonly size: bigint
  /** `account-hash-…` or `hash-…`. */
  readonly attester: string
  /** Epoch milliseconds. */
  readonly timestamp: number
}

/** What decides what a board does with a proof. */
export interface BoardState {
  /** The newest root of the dataset; null if there is none. */
  readonly newest: BoardRoot | null
  /** Under what the board keeps the series, 64 hex digits; null without a root. */
  readonly id: string | null
  /** What it keeps for the period; null if nothing. */
  readonly kept: BoardValue | null
}

/**
 * Reads a board and the registry that it reads, at the newest state root.
 *
 * @param period empty for the newest value of the series
 * @throws {PackageNotFoundError} if the package is no board.
 */
export async function readBoardState(
  rpc: Rpc,
  { board, series, period }: { board: string; series: PinnedSeries; period: string },
): Promise<BoardState> {
  const { hash: stateRootHash } = await getStateRootHash(rpc)
  const state = await readContractState(rpc, 'Board', board, stateRootHash)
  const registry = (await readRequest(state, boardField.attestationRegistry)) ?? ''
  const packageHash = registry.slice('hash-'.length)
  const attestations = await readContractState(rpc, 'AttestationRegistry', packageHash, stateRootHash)
  const feedId = datasetFeedId(series.route, series.frequency)
  const latest = await readRequest(attestations, attestationRegistryField.latest(feedId))
  if (latest === null) return { newest: null, id: null, kept: null }
  const { source_hash: root, amount: size, attester, timestamp } = latest
  const id = boardIdOf(attester, series)
  const kept = await readRequest(state, boardField.value(decodeHex(id, 'id'), period))
  return { newest: { root, size, attester, timestamp }, id, kept }
}

const readRequest = <T>({ read }: ContractState, request: FieldRequest<T>): Promise<T | null> =>
  read(request.field, request.what, request.read, request.key)
