import { nextTask } from '../../async/nextTask.ts'
import type { FeedProofBlock } from './feedProof.ts'

/** A switch block as a proof holds it. */
export interface ProvenBlock {
  hash: string
  eraId: number
  /** The hash of the switch block that it was verified to follow; undefined for one that is only trusted. */
  before?: string | undefined
  /** The JSON of a {@link FeedProofBlock}: it takes less memory than its objects. */
  text: string
}

/** Switch blocks, and which of them were verified to follow which. */
export interface ProvenBlocks {
  /** One that is trusted, or was verified. */
  get(hash: string): ProvenBlock | undefined
  add(block: ProvenBlock): void
  /** The block, if it is there, and the verified ones after it, up to the one with a hash or the last. */
  run(from: string, to: string): ProvenBlock[]
}

/**
 * Keeps those that were used last, up to so many characters of JSON. What follows a block is as final as the
 * signatures of that block's validators: nothing that a node serves later changes it.
 */
export function createProvenBlocks(maxChars: number): ProvenBlocks {
  const blocks = new Map<string, ProvenBlock>()
  /** Hashes of verified blocks, by that of the one before. */
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
    // It may come again as one that is only trusted.
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

/** How many blocks are parsed before other work of the event loop has its turn. */
const SLICE = 16

/** Their JSON. */
export async function parseProvenBlocks(blocks: readonly ProvenBlock[]): Promise<FeedProofBlock[]> {
  const parsed: FeedProofBlock[] = []
  for (const { text } of blocks) {
    parsed.push(JSON.parse(text))
    if (parsed.length % SLICE === 0) await nextTask()
  }
  return parsed
}
