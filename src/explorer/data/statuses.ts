import type { StatusBody } from '../../api/schemas.ts'
import { shapeOf } from '../../api/shape.ts' with { type: 'macro' }
import { fetchAnswer } from './answers.ts'
import { createResource } from './resource.ts'

export type FeedState = StatusBody['state']

/** All states, in the order of the page's buttons. */
export const feedStates = [
  'current',
  'due',
  'late',
  'stale',
  'unknown',
] as const satisfies readonly FeedState[]

/** All states, the most urgent first. */
export const urgency: readonly FeedState[] = ['stale', 'late', 'due', 'current', 'unknown']

const shape = shapeOf('statusesBody')

const RELOAD_MS = 30_000

async function load(signal: AbortSignal): Promise<readonly StatusBody[]> {
  return (await fetchAnswer('/v1/status', shape, { signal })).body.feeds
}

/** Every feed against EIA's calendar. */
export const statuses = createResource(load, RELOAD_MS)
