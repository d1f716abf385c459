import { Elysia } from 'elysia'
import { type ApiIndexBody, apiIndexBody, type HealthBody, healthBody } from '../api/schemas.ts'
import type { Network } from '../client/index.ts'
import { answerSchema } from './answerSchema.ts'
import { textAnswers } from './apiDocs.ts'
import type { Catalog } from './datasets.ts'
import type { Explorer } from './explorer.ts'
import { commonHeaders } from './headers.ts'
import type { Metrics } from './metrics.ts'
import { prefersPage } from './pages.ts'

const indexAnswer = answerSchema('Index', apiIndexBody, { description: 'The endpoints.' })

export interface ApiIndexOptions {
  version: string
  /** What the server reads. */
  network: Omit<Network, 'rpcUrls'>
  explorer: Pick<Explorer, 'page'>
}

/** `GET /`: what the server reads, and its endpoints; for browsers the explorer. */
export function createApiIndex({ version, network, explorer }: ApiIndexOptions) {
  const body: ApiIndexBody = {
    service: 'wattfeed',
    version,
    registries: {
      chain_name: network.chainName,
      feed_registry_package_hash: network.feedRegistryPackageHash,
      attestation_registry_package_hash: network.attestationRegistryPackageHash,
    },
    endpoints: {
      '/v1/feeds': 'all readings',
      '/v1/feeds.csv': 'all values, as a table',
      '/v1/readings?id={id}': 'some readings, ?id= repeated for each; &fields= picks parts',
      '/v1/feeds/{id}': 'one reading',
      '/v1/feeds/{id}/status': 'is it up to date?',
      '/v1/status': 'which feeds are up to date?',
      '/v1/feeds/{id}/proof': 'what proves it; ?from= names the block that you trust',
      '/v1/feeds/{id}/provenance': 'what its value was made from; ?index= names an earlier one',
      '/v1/feeds/{id}/history': 'every value that was ever attested to it',
      '/v1/feeds/{id}/history.csv': 'the same as a table; history.parquet is one, too',
      '/v1/history.csv?id={id}': 'those of several feeds in one table; history.parquet is one, too',
      '/v1/feeds/{id}/history/{index}/proof': 'what proves one of them',
      '/v1/stream': 'what is attested, as it comes; ?id= for some feeds, ?from= or Last-Event-ID to resume',
      '/v1/datasets': 'the catalog; ?family= and ?q= filter',
      '/health': 'is the process alive?',
      '/ready': 'can feeds be read?',
      '/metrics': 'Prometheus metrics',
      '/openapi': 'documentation to try out',
      '/openapi/json': 'documentation for programs',
    },
  }
  return new Elysia({ name: 'apiIndex' }).get(
    '/',
    ({ request, set }) => {
      if (prefersPage(request)) return explorer.page(request)
      set.headers.vary = 'Accept, Accept-Encoding'
      return body
    },
    {
      response: indexAnswer,
      detail: {
        operationId: 'listEndpoints',
        summary: 'List the endpoints',
        description:
          'Also names the chain and the registries that this server reads. Browsers, which prefer `text/html`, get the explorer instead.',
        tags: ['service'],
      },
    },
  )
}

const healthAnswer = answerSchema('Health', healthBody, { description: 'It is.' })

/** `GET /health`: the process is alive. Never touches the chain. */
export function createHealthEndpoint(catalog: Catalog) {
  const body: HealthBody = { status: 'ok', service: 'wattfeed', datasets: catalog.datasets.length }
  return new Elysia({ name: 'health' }).get('/health', () => body, {
    response: healthAnswer,
    detail: {
      operationId: 'getHealth',
      summary: 'Is the process alive?',
      description: 'Never touches the chain: /ready says whether feeds can be read.',
      tags: ['service'],
    },
  })
}

/** `GET /metrics`: Prometheus text. */
export const createMetricsEndpoint = ({ registry }: Pick<Metrics, 'registry'>) =>
  new Elysia({ name: 'metrics' }).get(
    '/metrics',
    async () => {
      const headers = { ...commonHeaders, 'content-type': registry.contentType, 'cache-control': 'no-cache' }
      return new Response(await registry.metrics(), { headers })
    },
    {
      detail: {
        operationId: 'getMetrics',
        summary: 'Metrics for Prometheus',
        description: 'Requests, calls to nodes and the snapshot; nothing per feed.',
        tags: ['service'],
        responses: textAnswers(
          'Text in the Prometheus exposition format.',
          'text/plain',
          'wattfeed_feeds 43\n',
        ),
      },
    },
  )
