import { DecodeError } from '../bytes/cursor.ts'
import {
  type Attester,
  type CheckedLink,
  type FeedProofCheck,
  type FeedProofTrust,
  type ProvenHistory,
  verifyFeedProof,
  type WattfeedError,
} from '../client/index.ts'
import { printable, printableJson } from '../runtime/printable.ts'
import { type DownloadOptions, readProof, UnreadableProofError } from './readProof.ts'

export interface VerifyOutcome {
  /** 0 proven, 1 refuted, 2 unreadable. */
  exitCode: 0 | 1 | 2
  text: string
}

/** Reads a proof and verifies it, without calling a node. */
export async function runVerify({
  source,
  trust,
  json,
  download,
}: {
  source: string
  trust: FeedProofTrust
  json: boolean
  download?: DownloadOptions
}): Promise<VerifyOutcome> {
  try {
    const proof = await readProof(source, trust.trustedBlockHash, download)
    const check = await verifyFeedProof(proof, { ...trust, ...requestedBy(source) })
    const text = json ? printableJson(JSON.stringify(checkJson(check))) : formatCheck(check)
    return { exitCode: isProven(check) ? 0 : 1, text }
  } catch (error) {
    if (!(error instanceof UnreadableProofError || error instanceof DecodeError)) throw error
    return unreadable(error, json)
  }
}

/** Returns the outcome for a proof that cannot be read. */
export function unreadable({ code, message }: WattfeedError, json: boolean): VerifyOutcome {
  const text = json
    ? printableJson(JSON.stringify({ error: { code, message } }))
    : `unreadable: ${printable(message)}`
  return { exitCode: 2, text }
}

const FEEDS_PATH = /\/v1\/feeds\.proof\/?$/
const HISTORY_PATH = /\/v1\/feeds\/([^/]+)\/history\.proof\/?$/
const PROOF_PATH = /\/v1\/feeds\/([^/]+)(?:\/history\/(\d+))?\/proof\/?$/

/** Returns what a server's URL requests, so that the server cannot return the proof of something else. */
function requestedBy(source: string): Pick<FeedProofTrust, 'feedId' | 'index' | 'list'> {
  const path = URL.parse(source)?.pathname ?? ''
  if (FEEDS_PATH.test(path)) return { list: 'feeds' }
  const [, ofHistory] = HISTORY_PATH.exec(path) ?? []
  const [, id = ofHistory, index] = PROOF_PATH.exec(path) ?? []
  if (id === undefined) return {}
  try {
    const feedId = decodeURIComponent(id)
    if (ofHistory !== undefined) return { feedId, list: 'history' }
    return { feedId, index: index === undefined ? null : Number(index) }
  } catch {
    return {}
  }
}

/** Formats the result as text: a line per link, and a summary. */
export function formatCheck(check: FeedProofCheck): string {
  // No link shows what the server could not prove.
  const missing = check.attester === null ? ['attester: not proven'] : []
  return [formatLinks(check.links), ...missing, summaryOf(check)].join('\n')
}

/** Formats links as text, one a line. */
export const formatLinks = (links: readonly CheckedLink[]): string =>
  links
    .map(({ link, holds, detail }) =>
      printable(`${holds ? '✓' : '✗'} ${link}${detail === '' ? '' : `: ${detail}`}`),
    )
    .join('\n')

const isProven = ({ reading, absence, feeds, history }: FeedProofCheck): boolean =>
  reading !== null || absence !== undefined || feeds !== undefined || history !== undefined

function summaryOf({ reading, index, count, absence, feeds, history, links }: FeedProofCheck): string {
  if (history !== undefined)
    return `proven: ${printable(history.feed_id)}, its complete history (count ${history.values.length}, block ${history.block_height})`
  if (feeds !== undefined)
    return `proven: ${feeds.feed_ids.length} feeds are registered, and no others, as of block ${feeds.block_height}`
  if (absence !== undefined) {
    const state = absence.absent === 'feed' ? 'is not registered' : 'has no value'
    return `proven: ${printable(absence.feed_id)} ${state} as of block ${absence.block_height}`
  }
  if (reading === null) return `refuted: ${printable(links.at(-1)?.link ?? 'the proof')} does not hold`
  const facts = [
    `amount ${reading.amount}`,
    `period ${reading.period}`,
    ...(index === undefined ? [] : [`index ${index}`]),
    ...(count === undefined ? [] : [`number ${(index ?? count - 1) + 1} of ${count}`]),
  ]
  return `proven: ${printable(reading.feed_id)} = ${reading.value} ${printable(reading.unit)} (${facts.join(', ')})`
}

/** Returns the result as JSON. `amount` is text, because it can have 512 bits. */
export function checkJson(check: FeedProofCheck): object {
  const { reading, index, count, absence, attester, feeds, history, links } = check
  return {
    proven: isProven(check),
    reading: reading && { ...reading, amount: String(reading.amount) },
    ...(index === undefined ? {} : { index }),
    ...(count === undefined ? {} : { count }),
    ...(absence === undefined ? {} : { absence }),
    ...(attester === undefined ? {} : { attester: attester && attesterJson(attester) }),
    ...(feeds === undefined ? {} : { feeds }),
    ...(history === undefined ? {} : { history: historyJson(history) }),
    links,
  }
}

/** Formats an attester as in the answers of the server. */
function attesterJson({ account, authority }: Attester): object {
  if (authority === null) return { account, authority }
  const { keys, thresholds, minSigners } = authority
  return {
    account,
    authority: {
      keys: keys.map(({ accountHash, weight }) => ({ account_hash: accountHash, weight })),
      thresholds: { deployment: thresholds.deployment, key_management: thresholds.keyManagement },
      min_signers: minSigners,
    },
  }
}

const historyJson = ({ values, ...history }: ProvenHistory): object => ({
  ...history,
  values: values.map((value) => ({ ...value, amount: String(value.amount) })),
})
