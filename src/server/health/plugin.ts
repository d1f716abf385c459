import { createSharedRead } from '@wattfeed/base'
import { datasets } from '@wattfeed/eia/catalog'
import { Elysia } from 'elysia'
import { type HealthBody, healthBody } from '../../api/schemas.ts'
import { answerSchema } from '../http/answerSchema.ts'
import { conditionalHeaders, textAnswers } from '../http/apiDocs.ts'
import { commonHeaders } from '../http/headers.ts'
import { streamedBody } from '../http/streamedBody.ts'
import type { Server } from '../server.ts'
import { ready } from './ready.ts'

const healthAnswer = answerSchema('Health', healthBody, { description: 'The process is alive.' })

// A caller gets the metrics of its own time, because a shared read starts after the call.
const SHARED = { overlapMs: 10, concurrency: 16 }

/** The state of the server itself: whether it is alive and ready, and its metrics. */
export function health(server: Server, freshForMs?: number) {
  const { metrics } = server
  const alive: HealthBody = { status: 'ok', service: 'wattfeed', datasets: datasets.length }
  const { registry } = metrics
  /** Formats the metrics once for the requests that arrive together. */
  const readMetrics = createSharedRead(() => registry.metrics(), SHARED)
  const headers = { ...commonHeaders, 'content-type': registry.contentType, 'cache-control': 'no-cache' }
  return new Elysia({ name: 'health' })
    .get('/health', () => alive, {
      headers: conditionalHeaders,
      response: healthAnswer,
      detail: {
        operationId: 'getHealth',
        summary: 'Check whether the process is alive',
        description: 'Does not read the chain. See /ready for whether feeds can be read.',
        tags: ['service'],
      },
    })
    .use(ready(server, freshForMs))
    .get(
      '/metrics',
      async ({ request }) => new Response(streamedBody(request, await readMetrics()), { headers }),
      {
        detail: {
          operationId: 'getMetrics',
          summary: 'Get metrics for Prometheus',
          description:
            'Requests, calls to nodes, the snapshot, histories and streams. No metric has a label per feed.',
          tags: ['service'],
          responses: textAnswers(
            'Text in the Prometheus exposition format.',
            'text/plain',
            'wattfeed_feeds 43\n',
          ),
        },
      },
    )
}
