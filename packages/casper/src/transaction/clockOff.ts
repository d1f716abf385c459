import type { Rpc } from '../rpc/rpc.ts'

/** Minimum difference to report. */
const FAR_OFF_MS = 10_000

/** Returns how far this machine's clock is ahead of the nodes'; null if the difference is small or unknown. */
export function clockOffMs(rpc: Pick<Rpc, 'nodeTime'>, now: () => number): number | null {
  const nodeTime = rpc.nodeTime()
  const aheadMs = nodeTime === null ? 0 : now() - nodeTime
  return Math.abs(aheadMs) < FAR_OFF_MS ? null : aheadMs
}

/** Describes how far this machine's clock is ahead or behind. */
export const clockWords = (aheadMs: number): string =>
  `this machine's clock is ${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} the chain's`
