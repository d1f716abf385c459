import type { AbortSignalLike } from '@wattfeed/base'
import { InvalidArgumentError } from '@wattfeed/base'
import type { Rpc } from '@wattfeed/casper'
import {
  asSwitchBlock,
  getBlockByHash,
  isNoSuchBlock,
  verifySwitchBlocks,
  waitingBytes,
  withoutRewards,
} from '@wattfeed/casper/light-client'
import { type Block, type BlockHeader, decodeBlock } from '@wattfeed/casper/types'
import { MAX_WAIT_MS, waitFor } from './create/createTurns.ts'
import { decodeProofBlock, type FeedProofBlock, proofBlockOf } from './feedProof.ts'
import { createProvenBlocks, type ProvenBlock, parseProvenBlocks } from './provenBlocks.ts'

/** Maximum number of eras in a proof: about twelve weeks on a public network. */
const MAX_ERAS = 1_000

/** Size of the cache: one and a half times the JSON of those eras. A switch block of 100 validators has 33 kB. */
const MAX_CHARS = 48 * 1024 * 1024

/**
 * Returns the switch blocks from a trusted one to the last one before a header's era, oldest first. If `from` is null, it
 * returns only the last. Each block after the first is verified with the validators that the previous block names.
 *
 * @throws {@link InvalidArgumentError} when `from` is not a switch block before the header, or is too old.
 * @throws {@link VerificationError} when the header is not proven from there.
 * @throws {@link ProofBusyError} when the fetch of another proof takes too long.
 */
export type SwitchBlocksSince = (
  header: BlockHeader,
  from: string | null,
  signal?: AbortSignalLike,
) => Promise<FeedProofBlock[]>

/** Creates a {@link SwitchBlocksSince} with a cache of blocks. Others are fetched one range at a time for all callers. */
export function createSwitchBlocksSince(
  rpc: Rpc,
  chainName: string,
  maxWaitMs = MAX_WAIT_MS,
): SwitchBlocksSince {
  const proven = createProvenBlocks(MAX_CHARS)
  const sizeOf = (block: WaitingBlock): number => waitingBytes(block) + block.text.length
  const verifyOptions = { rpc, chainName, decode: decodeWaiting, sizeOf }
  let fetching: { from: string; to: string; done: Promise<ProvenBlock[]> } | null = null
  let lastBlock: { hash: string; done: Promise<ProvenBlock> } | null = null

  /** Returns the block that a caller trusts. Only switch blocks of the last eras are cached, because callers may name any block. */
  async function findTrusted(hash: string, header: BlockHeader): Promise<ProvenBlock> {
    const known = proven.get(hash)
    if (known) return known
    const block = await getBlockByHash(rpc, hash, decodeWaiting).catch(throwUnknown)
    if (block.header.eraEnd === null) throw notATrustedBlock()
    assertTrustable(block.header, header)
    const trusted = provenBlockOf(block)
    proven.add(trusted)
    return trusted
  }

  async function fetchRun(header: BlockHeader, from: string, to: string): Promise<ProvenBlock[]> {
    const trusted = await findTrusted(from, header)
    assertTrustable(trusted, header)
    const blocks = [trusted, ...proven.run(from, to).slice(1)]
    let newest = blocks.at(-1) ?? trusted
    const start = asSwitchBlock(decodeProofBlock(JSON.parse(newest.text)))
    for await (const { block } of verifySwitchBlocks(start, header, verifyOptions)) {
      newest = provenBlockOf(block, newest.hash)
      proven.add(newest)
      blocks.push(newest)
    }
    return blocks
  }

  /** Starts a fetch, which continues even if all callers give up. There is only one at a time. */
  function startFetch(header: BlockHeader, from: string, to: string): Promise<ProvenBlock[]> {
    const done = fetchRun(header, from, to).finally(() => {
      fetching = null
    })
    fetching = { from, to, done }
    return done
  }

  /** Fetches the switch block that a head names. It does not wait for other fetches, because it is a single call. */
  function findLast(header: BlockHeader, hash: string): Promise<ProvenBlock> {
    if (lastBlock?.hash === hash) return lastBlock.done
    const done = findTrusted(hash, header)
    lastBlock = { hash, done }
    done.catch(() => {
      if (lastBlock?.done === done) lastBlock = null
    })
    return done
  }

  async function find(
    header: BlockHeader,
    from: string,
    to: string,
    signal?: AbortSignalLike,
  ): Promise<ProvenBlock[]> {
    if (from === to) return [await findLast(header, to)]
    const endsAt = performance.now() + maxWaitMs
    for (;;) {
      const run = proven.run(from, to)
      if (run[0]) assertTrustable(run[0], header)
      if (run.at(-1)?.hash === to) return run
      if (fetching === null) return startFetch(header, from, to)
      if (fetching.from === from && fetching.to === to) return fetching.done
      await waitFor(fetching.done, endsAt - performance.now(), signal)
    }
  }

  return async (header, from, signal) => {
    const to = header.lastSwitchBlockHash
    return to === null ? [] : parseProvenBlocks(await find(header, from ?? to, to, signal))
  }
}

interface WaitingBlock extends Block {
  text: string
}

/** Decodes a block and its JSON, without the body. */
function decodeWaiting(json: unknown): WaitingBlock {
  return { ...withoutRewards(decodeBlock(json)), text: JSON.stringify(proofBlockOf(json)) }
}

const provenBlockOf = ({ hash, header: { eraId }, text }: WaitingBlock, before?: string): ProvenBlock => ({
  hash,
  eraId,
  before,
  text,
})

function assertTrustable(trusted: { eraId: number }, header: BlockHeader): void {
  if (trusted.eraId >= header.eraId) throw notATrustedBlock()
  if (header.eraId - trusted.eraId > MAX_ERAS)
    throw new InvalidArgumentError(
      'from',
      `a block of the last ${MAX_ERAS} eras, not of era ${trusted.eraId}`,
    )
}

const notATrustedBlock = (): InvalidArgumentError =>
  new InvalidArgumentError('from', 'the hash of a switch block, the last block of an era that has ended')

/** If no node has the block, its hash is wrong, not the nodes. */
function throwUnknown(error: unknown): never {
  throw isNoSuchBlock(error) ? notATrustedBlock() : error
}
