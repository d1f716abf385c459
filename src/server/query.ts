import { WattfeedError } from '../errors.ts'
import { type Parse, parser } from '../runtime/parsers.ts'
import { urlQuery } from './url.ts'

/** An endpoint does not understand a parameter of its query. */
export class QueryError extends WattfeedError {
  static override readonly name = 'QueryError'
  readonly code = 'query'
  readonly retryable = false

  constructor(
    readonly parameter: string,
    /** As sent, decoded; null if it is missing. */
    readonly value: string | null,
    /** What the parameter must be. */
    readonly rule: string,
  ) {
    super(`${shown(parameter)}${value === null ? '' : `=${shown(value)}`}: ${rule}`)
  }
}

const MAX_SHOWN_LENGTH = 100

/** Shows what a caller sent: on one line, quoted unless it is a word. */
function shown(text: string): string {
  const short = text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text
  return /^[\w.:-]+$/.test(short) ? short : JSON.stringify(short)
}

/** A parameter that may be repeated. */
export interface Repeated<T> {
  readonly each: Parse<T>
  /** How often at most. */
  readonly max: number
}

/** The parameters of an endpoint, by name. */
export type Parameters = Readonly<Record<string, Parse<unknown> | Repeated<unknown>>>

/** The parsed query: a list for a repeated parameter, null for another that is missing. */
export type Query<P extends Parameters> = {
  [K in keyof P]: P[K] extends Repeated<infer T> ? T[] : P[K] extends Parse<infer T> ? T | null : never
}

/**
 * Parses the query of a request's URL, form-encoded (`+` is a space).
 *
 * @throws {QueryError} on an unknown, repeated or malformed parameter: it names parameter, value and rule.
 *
 * @example
 * ```ts
 * const { limit, order } = parseQuery(request.url, { limit: integer(1, 1_000), order: oneOf(['asc', 'desc']) })
 * ```
 */
export function parseQuery<P extends Parameters>(url: string, parameters: P): Query<P> {
  const found = new Map<string, unknown[]>(Object.keys(parameters).map((name) => [name, []]))
  for (const { name, value } of pairsOf(urlQuery(url))) {
    const values = found.get(name)
    if (values === undefined) throw unknownParameter(name, value, parameters)
    values.push(parseValue(name, value, parameters[name] as P[string], values.length))
  }
  const query = Object.entries(parameters).map(([name, parameter]) => {
    const values = found.get(name) ?? []
    return [name, 'each' in parameter ? values : (values[0] ?? null)]
  })
  return Object.fromEntries(query) as Query<P>
}

function unknownParameter(name: string, value: string, parameters: Parameters): QueryError {
  const known = Object.keys(parameters).join(', ')
  return new QueryError(
    name,
    value,
    known === '' ? 'there are no parameters here' : `there is no such parameter, known are ${known}`,
  )
}

function parseValue(name: string, text: string, parameter: Parameters[string], before: number): unknown {
  const { each, max } = 'each' in parameter ? parameter : { each: parameter, max: 1 }
  if (before >= max)
    throw new QueryError(name, text, max === 1 ? 'give it once' : `give it at most ${max} times`)
  try {
    return each(text)
  } catch (error) {
    throw new QueryError(name, text, `it must be ${error instanceof Error ? error.message : each.rule}`)
  }
}

const MAX_FEED_IDS = 100

/** The parameter `id` of an endpoint for several feeds. */
export const feedIds: Repeated<string> = {
  each: parser('the id of a feed', (text) => text),
  max: MAX_FEED_IDS,
}

/** @throws {QueryError} if there is none. */
export function assertFeedIds(ids: readonly string[]): void {
  if (ids.length === 0) throw new QueryError('id', null, `give it 1 to ${MAX_FEED_IDS} times`)
}

/** @see https://url.spec.whatwg.org/#urlencoded-parsing */
function pairsOf(query: string): { name: string; value: string }[] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=')
      const [name, value] = equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
      return { name: decode(name, name), value: decode(name, value) }
    })
}

function decode(name: string, part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    throw new QueryError(
      name,
      part,
      'it must be percent-encoded UTF-8: encodeURIComponent in JavaScript writes it so',
    )
  }
}
