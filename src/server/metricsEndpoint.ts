import { Elysia } from 'elysia'
import { crossOriginHeaders } from './crossOrigin.ts'
import type { Metrics } from './metrics.ts'

/** `GET /metrics`: Prometheus text. */
export function createMetricsEndpoint(metrics: Metrics) {
  const headers = new Headers({ 'content-type': metrics.contentType, ...crossOriginHeaders })
  return new Elysia({ name: 'metrics' }).get(
    '/metrics',
    async () => new Response(await metrics.text(), { headers }),
    { detail },
  )
}

const detail = {
  summary: 'Metrics for Prometheus',
  description: 'Requests, calls to nodes and the snapshot; nothing per feed.',
  tags: ['service'],
  responses: {
    200: {
      description: 'Text in the Prometheus exposition format.',
      content: { 'text/plain': { schema: { type: 'string' as const }, example: 'wattfeed_feeds 43\n' } },
    },
  },
}
