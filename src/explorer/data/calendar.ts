import type { CalendarBody } from '../../api/schemas.ts'
import { shapeOf } from '../../api/shape.ts' with { type: 'macro' }
import { fetchAnswer } from './answers.ts'
import { createResource } from './resource.ts'

const shape = shapeOf('calendarBody')

const RELOAD_MS = 15_000

async function load(signal: AbortSignal): Promise<CalendarBody> {
  return (await fetchAnswer('/v1/calendar', shape, { signal })).body
}

/** Planned releases, and how punctual past ones were. */
export const calendar = createResource(load, RELOAD_MS)
