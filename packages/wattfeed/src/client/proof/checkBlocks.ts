import { MAX_CLOCK_AHEAD_MS } from '@wattfeed/casper'
import {
  asSwitchBlock,
  checkFinality,
  type SwitchBlock,
  type ValidatorWeights,
} from '@wattfeed/casper/light-client'
import type { Block } from '@wattfeed/casper/types'
import { assertLink, type Checker } from './checker.ts'
import { decodeProofBlock, type FeedProofBlock, type ProvenAtBlock } from './feedProof.ts'
import type { FeedProofTrust } from './feedProofCheck.ts'

/** Checks the switch blocks, starting with the trusted one. Returns the last, which sets the weights of the block's era. */
export async function checkSwitchBlocks(
  { switch_blocks }: ProvenAtBlock,
  { trustedBlockHash, chainName }: FeedProofTrust,
  checker: Checker,
): Promise<SwitchBlock> {
  const start = switch_blocks.findIndex(({ hash }) => hash === trustedBlockHash)
  let before = await checker.check(
    'trusted block',
    () => {
      const trusted = switch_blocks[start]
      const rule = `the proof does not include ${trustedBlockHash}; request it with ?from=, or export it with VERIFY=full and this TRUSTED_BLOCK_HASH`
      assertLink(trusted !== undefined, rule)
      return asSwitchBlock(decodeProofBlock(trusted))
    },
    ({ hash, eraId }) => `${hash}, which ends era ${eraId}`,
  )
  for (const each of switch_blocks.slice(start + 1)) {
    const { next } = await checker.check(
      `switch block of era ${before.eraId + 1}`,
      () => follow(before, each, chainName),
      ({ next, signed }) => `${next.hash}, ${signed}`,
    )
    before = next
  }
  return before
}

/** Returns the next switch block, and the weight that signed it as text. */
async function follow(
  before: SwitchBlock,
  served: FeedProofBlock,
  chainName: string,
): Promise<{ next: SwitchBlock; signed: string }> {
  const block = decodeProofBlock(served)
  const next = asSwitchBlock(block)
  assertFollows(block, before)
  return { next, signed: await assertFinal(block, before.weights, chainName) }
}

/** Checks the signatures and the age of the block that the items are proven against. */
export async function checkBlock(
  proof: ProvenAtBlock,
  { chainName, maxAgeMs = Number.POSITIVE_INFINITY, now = Date.now }: FeedProofTrust,
  before: SwitchBlock,
  checker: Checker,
): Promise<Block> {
  const block = await checker.check(
    'block',
    () => decodeProofBlock(proof.block),
    ({ hash, header }) => `${hash}, state root ${header.stateRootHash}`,
  )
  const { height, timestamp } = block.header
  await checker.check(
    `finality signatures of block ${height}`,
    () => {
      assertFollows(block, before)
      return assertFinal(block, before.weights, chainName)
    },
    String,
  )
  const ageMs = now() - timestamp
  await checker.check(
    'age',
    () => {
      assertLink(ageMs <= maxAgeMs, `${ageMs} ms, more than ${maxAgeMs}`)
      // Without a limit the clock does not matter, because the proof contains its time.
      if (maxAgeMs < Number.POSITIVE_INFINITY)
        assertLink(ageMs >= -MAX_CLOCK_AHEAD_MS, `its time is ${-ageMs} ms ahead of this machine's clock`)
    },
    () => `${ageMs} ms`,
  )
  return block
}

function assertFollows({ header: { eraId, lastSwitchBlockHash } }: Block, before: SwitchBlock): void {
  assertLink(
    lastSwitchBlockHash === before.hash && eraId === before.eraId + 1,
    `it does not follow the previous switch block: its era ${eraId} names another one`,
  )
}

async function assertFinal(block: Block, weights: ValidatorWeights, chainName: string): Promise<string> {
  const { signed, total, isFinal } = await checkFinality(block, weights, chainName)
  assertLink(isFinal, `signed by ${signed} of ${total} motes, which is not more than two thirds`)
  return `signed by ${signed} of ${total} motes`
}
