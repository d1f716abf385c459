import { WattfeedError } from '@wattfeed/base'
import { Elysia } from 'elysia'
import { AllNodesFailedError, type ClientStatus, type Snapshot, type Verification } from 'wattfeed'
import { type ReadyBody, readyBody } from '../../api/schemas.ts'
import { answerSchema } from '../http/answerSchema.ts'
import { conditionalHeaders, retryAfterHeader } from '../http/apiDocs.ts'
import { retryAfter } from '../http/headers.ts'
import type { Server } from '../server.ts'

const readyAnswers = {
  200: answerSchema('Ready', readyBody, { description: 'All checks passed.' }),
  503: answerSchema('Ready', readyBody, {
    description: 'At least one check failed.',
    headers: retryAfterHeader,
  }),
}

const detail = {
  operationId: 'getReadiness',
  summary: 'Check whether feeds can be read',
  description:
    'Fetches a state root from a node, shared with concurrent requests, and reads both registries.',
  tags: ['service'],
}

export const ready = (server: Server, freshForMs = 10_000) =>
  new Elysia({ name: 'ready' }).get(
    '/ready',
    async ({ set }) => {
      const body = await measureReadiness(server, freshForMs)
      if (!body.ready) {
        set.status = 503
        Object.assign(set.headers, { 'cache-control': 'no-store', 'retry-after': retryAfter() })
      }
      return body
    },
    { headers: conditionalHeaders, response: readyAnswers, detail },
  )

/** Reads a state root and one field of each registry. */
async function measureReadiness(server: Server, freshForMs: number): Promise<ReadyBody> {
  const startedAt = server.now()
  try {
    return await server.client.withSnapshot((at) => {
      server.metrics.recordSnapshot(at)
      return measureSnapshot(server, at, { rpcMs: server.now() - startedAt, freshForMs })
    })
  } catch (error) {
    const chain = chainOf(error)
    return {
      ready: false,
      checks: {
        node: chain !== null,
        chain,
        feed_registry: false,
        attestation_registry: false,
        fresh: false,
      },
      measured: { root_age_ms: null, rpc_ms: null, feeds: null, ...measureStatus(server) },
      verification: null,
    }
  }
}

/** Returns the measurements that need no call to a node. */
function measureStatus({ client, now }: Server) {
  const { block, undecodable } = client.status()
  return { block_age_ms: block && now() - block.timestamp, undecodable }
}

async function measureSnapshot(
  server: Server,
  at: Snapshot,
  { rpcMs, freshForMs }: { rpcMs: number; freshForMs: number },
): Promise<ReadyBody> {
  const [feeds, attestations] = await Promise.allSettled([at.feedCount(), at.totalAttestations()])
  const rootAgeMs = Math.round(at.ageMs())
  const checks = {
    node: true,
    chain: ![feeds, attestations].some((read) => codesOf(reasonOf(read)).has('chain_name_mismatch')),
    feed_registry: feeds.status === 'fulfilled',
    attestation_registry: attestations.status === 'fulfilled',
    fresh: rootAgeMs <= freshForMs,
  }
  return {
    ready: Object.values(checks).every((holds) => holds),
    checks,
    measured: {
      root_age_ms: rootAgeMs,
      rpc_ms: rpcMs,
      feeds: feeds.status === 'fulfilled' ? feeds.value : null,
      ...measureStatus(server),
    },
    verification: at.verification && verificationBody(at.verification, server.client.status()),
  }
}

const verificationBody = (
  verification: Verification,
  { absenceShownBy }: Pick<ClientStatus, 'absenceShownBy'>,
): ReadyBody['verification'] => ({
  level: verification.level,
  block_height: verification.blockHeight,
  block_hash: verification.blockHash,
  era_id: verification.eraId,
  weight_signed: String(verification.weightSigned),
  weight_total: String(verification.weightTotal),
  age_ms: verification.ageMs,
  absence_shown_by: absenceShownBy,
})

const reasonOf = (read: PromiseSettledResult<unknown>): unknown =>
  read.status === 'rejected' ? read.reason : null

/** Returns the codes of the error and of the failures of single nodes. */
function codesOf(error: unknown): Set<string> {
  const nested = error instanceof AllNodesFailedError ? error.failures.map((failure) => failure.error) : []
  return new Set([error, ...nested].flatMap((each) => (each instanceof WattfeedError ? [each.code] : [])))
}

/** Returns whether a node of the configured chain answered; null if no node answered. Only a node's answer leads to these errors. */
function chainOf(error: unknown): boolean | null {
  const codes = codesOf(error)
  if (codes.has('package_not_found')) return true
  return codes.has('chain_name_mismatch') ? false : null
}
