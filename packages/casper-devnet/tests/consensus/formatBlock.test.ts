import { describe, expect, test } from 'bun:test'
import { readRecordedBlocks, recordings } from '@wattfeed/casper/testing/recordedBlocks'
import { decodeBlock } from '@wattfeed/casper/types'
import { chainspecs } from '../../src/chainspec.ts'
import { type BlockBodyJson, formatBlock } from '../../src/consensus/formatBlock.ts'
import { linkToParent } from '../../src/consensus/linkToParent.ts'
import { rewardedSignatures } from '../../src/consensus/rewardedSignatures.ts'

describe('recorded blocks', () => {
  test.each(recordings)('default: every block of %s is printed as the node printed it', (recording) => {
    for (const recorded of readRecordedBlocks(recording)) {
      const body = recorded.block.Version2.body as unknown as BlockBodyJson
      expect(JSON.stringify(formatBlock(decodeBlock(recorded), body))).toBe(JSON.stringify(recorded))
    }
  })

  test.each(recordings)(
    'default: every block of %s is linked to the one before as these are',
    (recording) => {
      const blocks = readRecordedBlocks(recording).map(decodeBlock)
      for (const [index, { header }] of blocks.entries()) {
        const parent = blocks[index - 1] ?? null
        if (header.parentHash !== (parent?.hash ?? '0'.repeat(64))) continue
        // The seed's owner only affects the random bit.
        const seeds = Array.from({ length: 20 }, (_, byte) => Uint8Array.of(byte))
        const links = seeds.map((seed) => linkToParent(parent, seed))
        const { parentHash, height, randomBit, accumulatedSeed, lastSwitchBlockHash } = header
        expect(links.filter((link) => link.randomBit === randomBit)).toContainEqual({
          parentHash,
          height,
          randomBit,
          accumulatedSeed,
          lastSwitchBlockHash,
        })
      }
    },
  )

  test.each(recordings)('default: signatures of %s are rewarded as here', (recording) => {
    const recorded = readRecordedBlocks(recording)
    const blocks = recorded.map(decodeBlock)
    for (const [index, block] of blocks.entries()) {
      const parent = blocks[index - 1] ?? null
      if (block.header.height > 0 && parent?.hash !== block.header.parentHash) continue
      const publicKeys = block.proofs.map(({ publicKey }) => publicKey)
      const { body } = recorded[index]?.block.Version2 ?? {}
      expect(
        rewardedSignatures(parent, publicKeys, chainspecs['2.0.3'].core.signature_rewards_max_delay),
      ).toEqual(body?.rewarded_signatures as number[][])
    }
  })
})
