import type { Node } from '../rpc/node.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { Block } from '../types/block.ts'
import { type Fetching, fetchStretch, getStretchEnd, type StretchEnd } from './fetchStretch.ts'
import { isNoSuchBlock, isUnproven } from './getBlock.ts'
import { asSwitchBlock, type SwitchBlock, type SwitchBlockCheck, verifySwitchBlock } from './switchBlocks.ts'
import { VerificationError } from './verificationError.ts'

/** Maximum number of eras in one walk: about fourteen months. */
const MAX_ERAS = 5_000

/** Size of the first stretch. It is small because a forged head usually fails in its first era. */
const FIRST_ERAS = 16

/** Returns the number of eras per stretch: 128 for 100 validators. A stretch may get up to twice as long. */
const stretchEras = ({ weights }: SwitchBlock): number =>
  Math.max(8, Math.min(128, Math.floor(12_800 / weights.size)))

/** How switch blocks are fetched and checked. */
export interface SwitchBlockWalk<B extends Block> extends Fetching<B>, SwitchBlockCheck<B> {
  /** Called with a node whose block at a height is not proven, before the next node is called. */
  onWrong?: (node: Node, error: Error) => void
}

/** A switch block that was verified. */
export interface VerifiedSwitchBlock<B extends Block> {
  block: B
  as: SwitchBlock
}

/**
 * Verifies the switch blocks after a trusted one, up to the one named by a header, and yields them. More than two thirds
 * of the weight set by the previous switch block must have signed each. Blocks are fetched and verified in stretches.
 *
 * @throws {VerificationError} when the header's chain is not proven or too long.
 */
export async function* verifySwitchBlocks<B extends Block>(
  start: SwitchBlock,
  header: StretchEnd,
  walk: SwitchBlockWalk<B>,
): AsyncGenerator<VerifiedSwitchBlock<B>, void> {
  if (header.eraId - start.eraId > MAX_ERAS)
    throw new VerificationError(
      'trusted block',
      `era ${header.eraId} is more than ${MAX_ERAS} eras after it; trust a newer switch block`,
    )
  let from = start
  let eras = Math.min(FIRST_ERAS, stretchEras(from))
  while (header.eraId - from.eraId > 2 * eras) {
    for await (const verified of verifyNextStretch(from, header, eras, walk)) {
      from = verified.as
      yield verified
    }
    eras = stretchEras(from)
  }
  yield* verifyStretch(from, header, walk)
}

async function* verifyStretch<B extends Block>(
  from: SwitchBlock,
  to: StretchEnd,
  walk: SwitchBlockWalk<B>,
): AsyncGenerator<VerifiedSwitchBlock<B>, void> {
  let before = from
  for (const fetched of await fetchStretch(from, to, walk)) {
    const block = await verifySwitchBlock(fetched, before, walk)
    before = asSwitchBlock(block)
    yield { block, as: before }
  }
}

/** If a stretch is not proven, the node that reported its end is at fault. Another node is tried once. */
async function* verifyNextStretch<B extends Block>(
  from: SwitchBlock,
  header: StretchEnd,
  eras: number,
  walk: SwitchBlockWalk<B>,
): AsyncGenerator<VerifiedSwitchBlock<B>, void> {
  let before = from
  const first = await findEnd(walk.rpc, before, header, { eras }).catch(nullIfNoSuchBlock)
  // If no node has the blocks in between, the rest is one stretch, which must fit in memory.
  if (first === null) return yield* verifyStretch(from, header, walk)
  try {
    assertNear(from, first, eras)
    for await (const verified of verifyStretch(from, first, walk)) {
      before = verified.as
      yield verified
    }
  } catch (error) {
    if (!(error instanceof Error) || !isUnproven(error)) throw error
    walk.onWrong?.(first.node, error)
    if (walk.rpc.nodes.length === 1) throw error
    const second = await findEnd(walk.rpc, before, header, { eras, except: first.node })
    assertNear(before, second, eras)
    yield* verifyStretch(before, second, walk)
  }
}

const isNear = (from: SwitchBlock, end: StretchEnd, eras: number): boolean =>
  end.eraId - from.eraId > 1 && end.eraId - from.eraId <= 2 * eras

function assertNear(from: SwitchBlock, end: StretchEnd, eras: number): void {
  if (!isNear(from, end, eras))
    throw new VerificationError('switch block', `found no block about ${eras} eras after era ${from.eraId}`)
}

function nullIfNoSuchBlock(error: unknown): null {
  if (isNoSuchBlock(error)) return null
  throw error
}

/** Maximum number of tries. Each one halves or doubles the span, so fewer usually suffice. */
const MAX_TRIES = 32

/** Finds a block about `eras` eras later, starting at an estimate. Returns the last block tried if none fits. */
async function findEnd(
  rpc: Rpc,
  from: SwitchBlock,
  header: StretchEnd,
  { eras, except }: { eras: number; except?: Node | undefined },
): Promise<StretchEnd & { node: Node }> {
  const blocks = header.height - from.height
  let span = Math.floor((blocks * eras) / (header.eraId - from.eraId))
  for (let tries = 1; ; tries++) {
    span = Math.max(1, Math.min(span, blocks))
    const end = await getStretchEnd(rpc, from.height + span, except)
    if (isNear(from, end, eras) || tries === MAX_TRIES) return end
    span = end.eraId - from.eraId > 1 ? Math.floor(span / 2) : span * 2
  }
}
