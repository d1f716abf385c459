import { nextTask } from '@wattfeed/base'
import type { FeedProofBlock } from './feedProof.ts'

/** A switch block as stored for proofs. */
export interface ProvenBlock {
  hash: string
  eraId: number
  /** Hash of the switch block that it is verified to follow; undefined if it is only trusted. */
  before?: string | undefined
  /** JSON text of a {@link FeedProofBlock}, which takes less memory than the object. */
  text: string
}

/** Cache of trusted and verified switch blocks, and their order. */
export interface ProvenBlocks {
  get(hash: string): ProvenBlock | undefined
  add(block: ProvenBlock): void
  /** Returns the block `from` and the verified blocks after it, up to `to` or the last; none if `from` is not cached. */
  run(from: string, to: string): ProvenBlock[]
}

/**
 * Creates a cache of the most recently used blocks, up to `maxChars` characters of JSON. The verified order of blocks is
 * final, so it never expires.
 */
export function createProvenBlocks(maxChars: number): ProvenBlocks {
  const blocks = new Map<string, ProvenBlock>()
  /** Hashes of verified blocks, by the hash of the previous one. */
  const after = new Map<string, string>()
  let chars = 0

  function get(hash: string): ProvenBlock | undefined {
    const block = blocks.get(hash)
    if (block) {
      blocks.delete(hash)
      blocks.set(hash, block)
    }
    return block
  }

  function remove(block: ProvenBlock | undefined): void {
    if (!block) return
    blocks.delete(block.hash)
    chars -= block.text.length
    // The block may be added again as a trusted one.
    if (block.before !== undefined) after.delete(block.before)
  }

  return {
    get,
    add(block) {
      remove(blocks.get(block.hash))
      blocks.set(block.hash, block)
      chars += block.text.length
      if (block.before !== undefined) after.set(block.before, block.hash)
      for (const oldest of blocks.values()) {
        if (chars <= maxChars) return
        remove(oldest)
      }
    },
    run(from, to) {
      const found: ProvenBlock[] = []
      let hash: string | undefined = from
      while (hash !== undefined) {
        const block = get(hash)
        if (!block) break
        found.push(block)
        hash = hash === to ? undefined : after.get(hash)
      }
      return found
    },
  }
}

/** Number of blocks that are parsed before other tasks get a turn. One has some 30 kB. */
const SLICE = 16

/** Parses the blocks' JSON. */
export async function parseProvenBlocks(blocks: readonly ProvenBlock[]): Promise<FeedProofBlock[]> {
  const parsed: FeedProofBlock[] = []
  for (const { text } of blocks) {
    parsed.push(JSON.parse(text))
    if (parsed.length % SLICE === 0) await nextTask()
  }
  return parsed
}
