import { isDeepStrictEqual } from 'node:util'
import { printable } from './printable.ts'

/** Characters of the description. */
const MAX_DETAIL = 300

/** Names the parts in which a received JSON value differs from an own one, and both values: `ttl is "1m", but here "2m"`. */
export function describeJsonDifferences(received: unknown, own: unknown): string {
  const differences = listDifferences('', received, own)
  return differences.length === 0 ? 'the rest is the same' : differences.join('; ').slice(0, MAX_DETAIL)
}

/** @param path of both values */
function listDifferences(path: string, received: unknown, own: unknown): string[] {
  if (isDeepStrictEqual(received, own)) return []
  if (!isObject(received) || !isObject(own))
    return [`${printable(path)} is ${shorten(received)}, but here ${shorten(own)}`]
  const [theirs, ours] = [new Map(Object.entries(received)), new Map(Object.entries(own))]
  return [...new Set([...theirs.keys(), ...ours.keys()])].flatMap((name) =>
    listDifferences(path === '' ? name : `${path}.${name}`, theirs.get(name), ours.get(name)),
  )
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const shorten = (value: unknown): string => printable(String(JSON.stringify(value))).slice(0, 100)
