import { sleep } from '../../async/sleep.ts'
import type { Rpc } from '../../casper/rpc/rpc.ts'
import { getStateRootHash } from '../../casper/state/globalState.ts'
import type { FollowOptions } from '../../casper/transaction/followTransaction.ts'
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
  const { hash } = await getStateRootHash(rpc, signal, blockHash)
  const reader = createRootReader(rpc, hash, 0, signal)
  const last = new Map(attestations.map((each) => [each.feed_id, each]))
  return Promise.all(
    [...last].map(async ([feedId, attested]) => {
      const value = await reader.readField(registry, attestationRegistryField.latest(feedId))
      return { feedId, value, isAsAttested: value !== null && isSameValue(attested, value) }
    }),
  )
}
