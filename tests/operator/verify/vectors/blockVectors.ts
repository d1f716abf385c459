import {
  chainNames,
  type Recording,
  readRecordedBlocks,
  recordings,
} from '@wattfeed/casper/testing/recordedBlocks'
import { decodeBlock } from '@wattfeed/casper/types'
import { checkFinality, validatorWeights } from '../../../../packages/casper/src/consensus/finality.ts'

/** A recorded block, and whether the validators that the switch block of the era before names have signed it. */
export interface BlockVector {
  recording: Recording
  height: number
  hash: string
  chain_name: string
  /** Height of that switch block in `switch-blocks-3-validators`; null if it is not recorded. */
  weights_of: number | null
  is_final: boolean | null
}

/** Lists the recorded blocks. */
export async function listBlockVectors(): Promise<BlockVector[]> {
  const switchBlocks = new Map(
    readRecordedBlocks('switch-blocks-3-validators')
      .map(decodeBlock)
      .map((block) => [block.hash, block]),
  )
  const vectors: BlockVector[] = []
  for (const recording of recordings)
    for (const json of readRecordedBlocks(recording)) {
      const block = decodeBlock(json)
      const before = switchBlocks.get(block.header.lastSwitchBlockHash ?? '')
      const weights = before?.header.eraEnd?.nextEraValidatorWeights
      const chain_name = chainNames[recording]
      const finality = weights && (await checkFinality(block, validatorWeights(weights), chain_name))
      vectors.push({
        recording,
        height: block.header.height,
        hash: block.hash,
        chain_name,
        weights_of: before?.header.height ?? null,
        is_final: finality?.isFinal ?? null,
      })
    }
  return vectors
}
