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

/** A feed's newest value as of the transaction's block. */
export interface ReadBack {
  readonly feedId: string
  readonly value: Attestation | null
  /** Whether it is the attested value: a later transaction of the same block may have replaced it. */
  readonly isAsAttested: boolean
}

/** The values, or why no node showed them in time; exactly one is null. */
export interface ReadBackResult {
  readonly readBack: readonly ReadBack[] | null
  readonly failure: string | null
}

export interface ReadBackOptions extends Omit<FollowOptions, 'onEvent'> {
  rpc: Rpc
  /** The AttestationRegistry. */
  registry: Registry
}

/** How long to wait for a block that another node has reported. */
const READ_BACK_MS = 60_000

/**
 * Reads the feeds' newest values as of a block, and retries until a node has it. Returns one value per feed, in order;
 * the last attestation of a feed counts.
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
      return { readBack: await readAsOf(attestations, blockHash, options), failure: null }
    } catch (error) {
      if (signal.aborted) return { readBack: null, failure: 'it was stopped' }
      if (!(error instanceof WattfeedError)) throw error
      registry.forget()
      if (now() >= end) return { readBack: null, failure: error.message }
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
 * Returns the state root hash after a block, by `chain_get_state_root_hash`: 64 hex digits. A node that does not have
 * the block yet fails, and the next one is asked.
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
