import { Elysia } from 'elysia'
import { jsonAnswer } from './apiDocs.ts'
import { createBodyCheck } from './bodyCheck.ts'
import type { Catalog } from './catalog.ts'
import { jsonResponse } from './jsonResponse.ts'
import { type HealthBody, healthBody } from './schemas.ts'

const checkHealth = createBodyCheck(healthBody, 'server')

/** `GET /health`: the process is alive. Never touches the chain. */
export function createHealth(catalog: Catalog) {
  const body: HealthBody = { status: 'ok', service: 'wattfeed', datasets: catalog.datasets.length }
  const text = checkHealth(body, 'the health answer')
  return new Elysia({ name: 'health' }).get('/health', () => jsonResponse(text), {
    detail: {
      summary: 'Is the process alive?',
      description: 'Never touches the chain: /ready says whether feeds can be read.',
      tags: ['service'],
      responses: { 200: jsonAnswer('It is.', 'Health', body) },
    },
  })
}
