import { Type } from '@sinclair/typebox'
import type { Feed, Snapshot } from 'wattfeed'
import type { HistoryItemBody } from '../../../api/schemas.ts'
import type { FeedState } from '../../../feeds/status/feedStatus.ts'
import { formatTime } from '../../../web/cite/citation.ts'
import { formatExact } from '../../../web/cite/formatExact.ts'
import { clip, periodOf, showId, textsOf } from '../../feedTexts.ts'
import { readRows } from '../../readers/readRows.ts'
import { fitAnswer, type McpAnswer } from '../answer.ts'
import {
  citationLines,
  citedRow,
  describeCommand,
  type McpMoment,
  momentOf,
  proofCommand,
  proofUrl,
} from '../citation.ts'
import { proveValue } from '../proveValue.ts'
import { describeAttester, type McpAttester, readAttester, readFeed, readFeedState } from '../readFeed.ts'
import { readPeriod } from '../readPeriod.ts'
import type { McpCall, McpPlace } from '../sources.ts'
import { MAX_LINES, printOf, quoteId, STRANGERS } from '../texts.ts'
import { argumentsOf, createTool, feedId, text } from '../tool.ts'

const input = argumentsOf({
  feed: feedId,
  period: text('2026-11-20, 2026-11, 2026-Q3 or 2026, as the feed has it.'),
  value: Type.String({
    // EIA writes .5 without a zero.
    pattern: '^-?[0-9]*\\.?[0-9]+$',
    maxLength: 200,
    error: 'a plain number of at most 200 characters, without separators, as text such as "70.04"',
    description: 'The claimed number without separators, such as "70.04".',
  }),
  trusted_block_hash: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      error: "the 64 hex digits of a switch block's hash",
      description:
        'Hash of a switch block (the last block of an era) that the user trusts, from a block explorer or an own node. Never invent one, and never take it from this server.',
    }),
  ),
})

type Arguments = (typeof input)['static']

/** The values of the claimed period on chain. */
interface Found {
  feed: Feed
  period: number
  /** Oldest first. */
  prints: readonly HistoryItemBody[]
  /** The last print; null if the chain has no value for the period. */
  newest: HistoryItemBody | null
  moment: McpMoment
  state: FeedState
  attester: McpAttester
}

interface Outcome {
  verdict: 'proven' | 'matches' | 'differs' | 'unproven'
  explanation: string
}

export const verifyClaim = createTool({
  name: 'verify_claim',
  description: [
    "Check a claimed value against the chain. Also gives the chain's value, all its prints (first and revisions) and the command that verifies it.",
    'proven: the chain has it, by a proof from trusted_block_hash.',
    'matches: the chain has it, but without a block nothing is proven.',
    'differs: the chain has another value.',
    'unproven: the chain has no value for the period, or the proof does not hold.',
  ].join('\n'),
  input,
  run: async (args, call) => {
    const { sources, signal } = call
    const found = await sources.client.withSnapshot((at) => readPeriodValues(args, at, call), { signal })
    const outcome = await checkClaim(args, found, call)
    return formatOutcome(args, found, outcome, call)
  },
})

async function readPeriodValues(args: Arguments, at: Snapshot, { sources }: McpCall): Promise<Found> {
  const feed = await readFeed(at, args.feed)
  const period = readPeriod('period', feed.frequency, args.period)
  const query = { period_from: period, period_to: period, order: 'desc' } as const
  const { rows } = await readRows(sources.readHistory, at, args.feed, query)
  const prints = rows.toReversed()
  const [state, attester] = await Promise.all([
    readFeedState(at, args.feed, sources.now()),
    readAttester(at, args.feed),
  ])
  const moment = momentOf(at, sources)
  return { feed, period, prints, newest: prints.at(-1) ?? null, moment, state, attester }
}

/** Returns plain decimal text without leading and trailing zeros, like {@link formatExact}. */
function canonical(value: string): string {
  const [, sign = '', digitsBefore = '', fraction = ''] = /^(-?)0*(\d*)(?:\.(\d*?)0*)?$/.exec(value) ?? []
  const whole = digitsBefore === '' ? '0' : digitsBefore
  const digits = fraction === '' ? whole : `${whole}.${fraction}`
  return digits === '0' ? digits : sign + digits
}

async function checkClaim(args: Arguments, found: Found, call: McpCall): Promise<Outcome> {
  const trusted = args.trusted_block_hash?.toLowerCase() ?? call.place.trustedBlockHash
  const { feed, prints, newest } = found
  const isClaimed = (amount: string | bigint, decimals: number) =>
    formatExact(BigInt(amount), decimals) === canonical(args.value)
  if (newest === null) return { verdict: 'unproven', explanation: 'The chain has no value for this period.' }
  const earlier = prints.slice(0, -1).find(({ amount }) => isClaimed(amount, feed.decimals))
  const revised =
    earlier === undefined
      ? ''
      : ` The claim is an earlier value of the period, attested ${formatTime(earlier.attested_at)} and revised since.`
  if (trusted === null)
    return isClaimed(newest.amount, feed.decimals)
      ? { verdict: 'matches', explanation: `The chain has this value, but nothing is proven. ${NEEDS_HASH}` }
      : {
          verdict: 'differs',
          explanation: `The chain has another value.${revised} Nothing is proven. ${NEEDS_HASH}`,
        }
  const proven = await proveValue(args.feed, newest, trusted, call)
  if ('broken' in proven)
    return {
      verdict: 'unproven',
      explanation: `The proof does not hold from the trusted block: ${clip(proven.broken, MAX_FAULT_LENGTH)}.`,
    }
  return isClaimed(proven.amount, proven.decimals)
    ? { verdict: 'proven', explanation: `Proven from the trusted block. ${proven.scope}` }
    : {
        verdict: 'differs',
        explanation: `The chain has another value, proven from the trusted block.${revised} ${proven.scope}`,
      }
}

const MAX_FAULT_LENGTH = 300

const NEEDS_HASH = 'Pass trusted_block_hash, from a source that the user trusts, for a proof.'

const checkedBy = ({ isOwnMachine }: McpPlace): string =>
  isOwnMachine
    ? 'wattfeed on this machine, from the answers of Casper nodes'
    : 'the server that answers; for an independent check, run the verify command or `wattfeed mcp` on your own machine'

function formatOutcome(args: Arguments, found: Found, outcome: Outcome, call: McpCall): McpAnswer {
  const { feed, period, prints, newest, moment, state, attester } = found
  const { place, sources } = call
  const proof = newest === null ? null : proofUrl(place, args.feed, newest.index)
  const citation =
    newest === null ? [] : citationLines(citedRow(newest, args.feed, feed), moment, place, sources)
  // The newest prints, if not all fit.
  return fitAnswer(Math.min(prints.length, MAX_PRINTS), (shown) => ({
    text: [
      `${outcome.verdict}: ${outcome.explanation} Checked by ${checkedBy(place)}.`,
      `${quoteId(args.feed)}: ${state}, ${describeAttester(attester)}.`,
      ...describePrints(prints.slice(prints.length - Math.min(shown, MAX_LINES)), feed),
      ...citation,
    ].join('\n'),
    data: {
      verdict: outcome.verdict,
      explanation: outcome.explanation,
      checked_by: checkedBy(place),
      feed: showId(args.feed),
      claimed_value: args.value,
      ...periodOf(feed, period),
      value: newest && formatExact(BigInt(newest.amount), feed.decimals),
      attested_at: newest && formatTime(newest.attested_at),
      state,
      ...moment,
      proof,
      verify_command: newest && proofCommand(place, args.feed, newest.index, sources),
      about_verifying: newest && describeCommand(place),
      ...attester,
      about_texts: STRANGERS,
      texts_by_strangers: textsOf(feed),
      total_prints: prints.length,
      prints: prints.slice(prints.length - shown).map(({ index, revision, amount, attested_at }) => ({
        index_in_history: index,
        print: printOf(revision),
        value: formatExact(BigInt(amount), feed.decimals),
        attested_at: formatTime(attested_at),
      })),
    },
  }))
}

const MAX_PRINTS = 50

/** Lists the prints of a period that was attested more than once. */
function describePrints(prints: readonly HistoryItemBody[], { decimals }: Feed): readonly string[] {
  if (prints.length < 2) return []
  const each = prints.map(
    ({ revision, amount, attested_at }) =>
      `${printOf(revision)}: ${formatExact(BigInt(amount), decimals)}, attested ${formatTime(attested_at)}`,
  )
  return ['The period was attested more than once.', ...each]
}
