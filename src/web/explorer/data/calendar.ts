import { shapeOf } from '../../../api/shape.ts' with { type: 'macro' }
import { pollAnswer } from './resource.ts'

const RELOAD_MS = 15_000

/** Planned releases, and how punctual past ones were. */
export const calendar = pollAnswer('/v1/calendar', shapeOf('calendarBody'), RELOAD_MS)
