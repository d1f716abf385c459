import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { defineError, parseJson } from '@wattfeed/base'
import type { Client } from 'wattfeed'
import { type Provenance, type RecheckInput, readProvenance } from 'wattfeed/provenance'
import { describeAnswer, download } from '../../runtime/download.ts'

export interface AttestationSource {
  /** Null if there is no such feed, or it has no value. */
  readonly feed: RecheckInput['feed'] | null
  readonly count: number
  /** Reads the provenance of the attestation at an index below `count`. */
  read(index: number): Promise<Provenance>
}

/** Reads a feed's attestations from the chain, all at one state root. @throws the errors of the client. */
export async function openChain(client: Client, feedId: string): Promise<AttestationSource> {
  const at = await client.snapshot()
  const [feed, count] = await Promise.all([at.getFeed(feedId), at.getValueCount(feedId)])
  return {
    feed: count === 0 ? null : feed,
    count,
    async read(index) {
      const found = await readProvenance(at, feedId, index)
      if (found === null) throw new TypeError(`${feedId} has ${count} values, so none at index ${index}`)
      return found
    },
  }
}

const ServerAnswerError = defineError(
  'ServerAnswerError',
  'server_answer',
  (facts: { url: string; rule: string }) =>
    `${facts.url} ${facts.rule}; --server is the address of a wattfeed server`,
  { retryable: true },
)

const text = Type.String()
const wholeNumber = Type.Integer({ minimum: 0 })

const readingAnswer = Type.Object({
  decimals: Type.Integer({ minimum: 0, maximum: 255 }),
  unit: text,
  route: text,
  frequency: text,
  description: text,
})

const provenanceAnswer = Type.Object({
  recipe: Type.Union([
    Type.Null(),
    Type.Object({
      route: text,
      frequency: text,
      column: text,
      facets: Type.Record(text, text),
      unit: Type.Union([text, Type.Null()]),
    }),
  ]),
  recipe_source: Type.Union([Type.Literal('description'), Type.Literal('built_in'), Type.Null()]),
  attested: Type.Object({
    index: wholeNumber,
    period: wholeNumber,
    amount: Type.String({ pattern: '^[0-9]{1,155}$' }),
    source_hash: text,
  }),
  canonical_template: Type.Union([text, Type.Null()]),
  api_url: Type.Union([text, Type.Null()]),
})

/** Reads a feed's attestations from a wattfeed server, which is trusted for them. */
export async function openServer(
  serverUrl: string,
  feedId: string,
  options: ServerOptions = {},
): Promise<AttestationSource> {
  const path = `${serverUrl.replace(/\/+$/, '')}/v1/feeds/${encodeURIComponent(feedId)}`
  const reading = await getJson(path, readingAnswer, options)
  const newest = reading && (await getJson(`${path}/provenance`, provenanceAnswer, options))
  if (newest === null) return { feed: null, count: 0, read: () => Promise.reject(new TypeError('no feed')) }
  return {
    feed: reading,
    count: newest.attested.index + 1,
    async read(index) {
      const url = `${path}/provenance?index=${index}`
      const found = await getJson(url, provenanceAnswer, options)
      if (found?.attested.index !== index)
        throw new ServerAnswerError({ url: shown(url), rule: `does not return value ${index}` })
      return { ...found, attested: { ...found.attested, amount: BigInt(found.attested.amount) } }
    },
  }
}

export interface ServerOptions {
  /** @default globalThis.fetch */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** @default 30000 */
  timeoutMs?: number
}

const MAX_BYTES = 2 ** 20

/** Returns a checked answer; null for 404. */
async function getJson<S extends TSchema>(
  url: string,
  schema: S,
  { fetch, timeoutMs = 30_000 }: ServerOptions,
): Promise<Static<S> | null> {
  const fail = (rule: string) => new ServerAnswerError({ url: shown(url), rule })
  const answer = await download(url, { fetch, timeoutMs, maxBytes: MAX_BYTES, fail })
  if (answer.status === 404) return null
  if (answer.status !== 200) throw fail(describeAnswer(answer))
  const value = parseJson(answer.text)
  if (!Value.Check(schema, value)) throw fail('did not respond like a wattfeed server')
  return value
}

function shown(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
