import type { ReadyBody } from '../../../../api/schemas.ts'
import { shapeOf } from '../../../../api/shape.ts' with { type: 'macro' }
import { AnswerError, request } from '../../data/answers.ts'
import { createResource } from '../../data/resource.ts'
import { faultIn, hasShape } from '../../data/shape.ts'
import { type Figure, figuresOf } from './figures.ts'
import { parseMetrics } from './parseMetrics.ts'

const readyShape = shapeOf('readyBody')

const READY_MS = 10_000
const METRICS_MS = 15_000

export const ready = createResource(loadReady, READY_MS)

/** The figures from `/metrics`; none if the server does not publish it. */
export const figures = createResource(loadFigures, METRICS_MS)

/** Reads `/ready`, whose 503 has the same body. @throws {AnswerError} */
async function loadReady(signal: AbortSignal): Promise<ReadyBody> {
  const response = await request('/ready', signal)
  const body: unknown = await response.json().catch(() => null)
  if (hasShape(readyShape, body)) return body
  throw new AnswerError(response.status, faultIn(readyShape, body) ?? '', null)
}

async function loadFigures(signal: AbortSignal): Promise<readonly Figure[]> {
  const response = await request('/metrics', signal)
  if (!response.ok) return []
  const figures = figuresOf(parseMetrics(await response.text()))
  return figures.every(({ value }) => value === null) ? [] : figures
}
