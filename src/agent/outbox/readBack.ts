import { sleep } from '../../async/sleep.ts'
import { DecodeError } from '../../bytes/cursor.ts'
import type { Rpc } from '../../casper/rpc/rpc.ts'
import type { FollowOptions } from '../../casper/transaction/followTransaction.ts'
import { isRecord } from '../../casper/types/isRecord.ts'
import { attestationRegistryField } from '../../client/fields.ts'
import type { Registry } from '../../client/registry.ts'
import { createRootReader } from '../../client/rootReader.ts'
import { WattfeedError } from '../../errors.ts'
import type { Attestation } from '../../registry/attestation.ts'
import type { NewAttestation } from '../../registry/calls.ts'
import { isSameValue } from './checkChain.ts'

/** A feed's newest value as of the block that holds the transaction. */
export interface ReadBack {
  readonly feedId: string
  readonly value: Attestation | null
  /** Whether that is the value that was attested. Another transaction of the same block may have come after. */
  readonly isAsAttested: boolean
}

/** What was read back, or what kept the nodes from showing it in time: the other one is null. */
export interface ReadBackResult {
  readonly readBack: readonly ReadBack[] | null
  readonly trouble: string | null
}

/** Whom to ask, and for how long. */
export interface ReadBackOptions extends Omit<FollowOptions, 'onEvent'> {
  rpc: Rpc
  /** The AttestationRegistry. */
  registry: Registry
}

/** How long nodes have time to show a block that one of them told of. */
const READ_BACK_MS = 60_000

/**
 * Reads the feeds' newest values as of a block, again and again while the nodes that are asked do not have it yet.
 * One value for each feed, in their order; where a feed was attested to several times, the last one counts.
 */
export async function readBack(
  attestations: readonly NewAttestation[],
  blockHash: string,
  options: ReadBackOptions,
): Promise<ReadBackResult> {
  const { registry, pollMs = 4_000, wait = sleep, now = Date.now } = options
  const { signal = new AbortController().signal } = options
  const end = now() + READ_BACK_MS
  for (;;) {
    try {
      return { readBack: await readAsOf(attestations, blockHash, options), trouble: null }
    } catch (error) {
      if (signal.aborted) return { readBack: null, trouble: 'it was stopped' }
      if (!(error instanceof WattfeedError)) throw error
      registry.forget()
      if (now() >= end) return { readBack: null, trouble: error.message }
    }
    await wait(pollMs, signal).catch(() => {})
  }
}

async function readAsOf(
  attestations: readonly NewAttestation[],
  blockHash: string,
  { rpc, registry, signal }: ReadBackOptions,
): Promise<ReadBack[]> {
  const reader = createRootReader(rpc, await getBlockStateRootHash(rpc, blockHash, signal), 0, signal)
  const last = new Map(attestations.map((each) => [each.feedId, each]))
  return Promise.all(
    [...last].map(async ([feedId, attested]) => {
      const value = await reader.readField(registry, attestationRegistryField.latest(feedId))
      return { feedId, value, isAsAttested: value !== null && isSameValue(attested, value) }
    }),
  )
}

/**
 * The state root hash after a block, by `chain_get_state_root_hash`: 64 hex digits. A node that does not have the
 * block yet refuses, and the next one is asked.
 */
function getBlockStateRootHash(rpc: Rpc, blockHash: string, signal?: AbortSignal): Promise<string> {
  return rpc.call({
    method: 'chain_get_state_root_hash',
    params: { block_identifier: { Hash: blockHash } },
    signal,
    decode(result) {
      const hash = isRecord(result) ? result.state_root_hash : undefined
      if (typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash)) return hash
      throw new DecodeError('state_root_hash', 'it is not 64 hex digits')
    },
  })
}
