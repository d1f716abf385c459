import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A recorded `block_with_signatures`, as the node printed it. */
export interface RecordedBlock {
  block: { Version2: { hash: string; header: Record<string, unknown>; body: Record<string, unknown> } }
  proofs: { public_key: string; signature: string }[]
}

/** The chain names of the recordings. */
export const chainNames = {
  blocks: 'casper-net-1',
  'blocks-3-validators': 'casper-net-3',
  'switch-blocks-3-validators': 'casper-net-3',
} as const

export type Recording = keyof typeof chainNames

export const recordings = Object.keys(chainNames) as Recording[]

/** Returns the blocks of a recording, oldest first; each call returns a new copy. */
export function readRecordedBlocks(recording: Recording): RecordedBlock[] {
  const path = join(import.meta.dir, '../../../../fixtures/chain', `${recording}.jsonl`)
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ method }) => method === 'chain_get_block')
    .map(({ result }) => result.block_with_signatures)
    .sort((a, b) => heightOf(a) - heightOf(b))
}

const heightOf = (recorded: RecordedBlock): number => Number(recorded.block.Version2.header.height)

/** Changes one hex digit. */
export function flipDigit(hex: string, index: number): string {
  const digit = (Number.parseInt(hex[index] ?? '0', 16) ^ 1).toString(16)
  return hex.slice(0, index) + digit + hex.slice(index + 1)
}
