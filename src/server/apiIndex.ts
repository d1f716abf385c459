import { Elysia } from 'elysia'
import { jsonAnswer } from './apiDocs.ts'
import { createBodyCheck } from './bodyCheck.ts'
import { jsonResponse } from './jsonResponse.ts'
import { type ApiIndexBody, apiIndexBody } from './schemas.ts'

const checkIndex = createBodyCheck(apiIndexBody, 'server')

/** `GET /`: what there is to ask for. */
export function createApiIndex(version: string) {
  const body: ApiIndexBody = {
    service: 'wattfeed',
    version,
    endpoints: {
      '/v1/feeds': 'all readings',
      '/v1/feeds/{id}': 'one reading',
      '/v1/feeds/{id}/proof': 'what proves it; ?from= names the block that you trust',
      '/v1/datasets': 'the catalog; ?family= and ?q= filter',
      '/health': 'is the process alive?',
      '/ready': 'can feeds be read?',
      '/metrics': 'Prometheus metrics',
      '/openapi': 'documentation to try out',
      '/openapi/json': 'documentation for programs',
    },
  }
  const text = checkIndex(body, 'the index')
  return new Elysia({ name: 'apiIndex' }).get('/', () => jsonResponse(text), {
    detail: {
      summary: 'List the endpoints',
      tags: ['service'],
      responses: { 200: jsonAnswer('The endpoints.', 'Index', body) },
    },
  })
}
