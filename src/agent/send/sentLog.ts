import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { SendStep } from '../../casper/transaction/durableSender.ts'
import type { Attestation } from '../../registry/attestation.ts'
import { openJsonLines, readJsonLines } from '../../runtime/jsonLines.ts'
import type { AttestPurpose } from './pendingAttestations.ts'

const text = Type.String()
const Line = Type.Union([
  /** Block time in epoch milliseconds. Older attestations are not compared. */
  Type.Object({ since: Type.Integer() }),
  /** A signed transaction, before it is sent. */
  Type.Object({
    sent: text,
    attestations: Type.Array(
      Type.Object({ feed_id: text, period: Type.Integer(), amount: text, source_hash: text }),
    ),
  }),
  /** A transaction that was never executed, or failed. */
  Type.Object({ void: text }),
  /** The number of compared values of a feed, and the sent ones that the last check found. */
  Type.Object({ checked: text, count: Type.Integer(), found: Type.Array(text) }),
])
type Line = Static<typeof Line>

/** Distinguishes this folder's attestations from those of another program with the same account. */
export interface SentLog {
  /** Records a step of a transaction of this process. @throws the system's error if the file cannot be written. */
  note(step: SendStep<AttestPurpose>): Promise<void>
  /**
   * Returns the time since which attestations are compared, in epoch milliseconds; null before {@link SentLog.begin}.
   */
  since(): number | null
  /** Compares attestations from now on. */
  begin(since: number): Promise<void>
  /** Returns how many values of a feed were compared; null if none was. */
  countOf(feedId: string): number | null
  /** Returns a feed's values that were not sent from this folder, and records that they were compared. */
  check(feedId: string, values: readonly Attestation[], count: number): Promise<readonly Attestation[]>
}

/**
 * Opens the log of one chain in a state folder. The agent and the commands beside it write to it.
 *
 * @throws the system's error if the file cannot be read.
 */
export async function openSentLog(path: string): Promise<SentLog> {
  const file = openJsonLines(path)
  const live = new Set<string>()
  let known = await readKnown(path)

  async function write(line: Line): Promise<void> {
    apply(known, line)
    await file.append([JSON.stringify(line)])
  }

  return {
    async note({ step, pending, ...rest }) {
      const { transaction_hash: hash, purpose } = pending
      if (step === 'written' || step === 'resumed') {
        live.add(hash)
        await write({ sent: hash, attestations: purpose.attestations })
      }
      const isExecuted = 'settlement' in rest && rest.settlement.outcome === 'executed'
      if (step === 'settled' && live.delete(hash) && !isExecuted) await write({ void: hash })
    },
    since: () => known.since,
    begin: (since) => write({ since }),
    countOf: (feedId) => known.counts.get(feedId) ?? null,
    async check(feedId, values, count) {
      if (values.length === 0 && known.counts.get(feedId) === count) return []
      let matched = matchValues(known, feedId, values)
      // A command beside the agent may have sent some.
      if (matched.others.length > 0) {
        known = await readKnown(path)
        matched = matchValues(known, feedId, values)
      }
      await write({ checked: feedId, count, found: matched.found })
      return matched.others
    },
  }
}

interface Known {
  since: number | null
  readonly counts: Map<string, number>
  /** The sent attestations of each feed that were not found on chain yet, by a unique id. */
  readonly sent: Map<string, Map<string, string>>
}

const keyOf = (period: number, amount: string, source_hash: string): string =>
  `${period} ${amount} ${source_hash}`

async function readKnown(path: string): Promise<Known> {
  const known: Known = { since: null, counts: new Map(), sent: new Map() }
  const lines = await readJsonLines(path, (value) => (Value.Check(Line, value) ? value : null))
  for (const line of lines?.entries ?? []) apply(known, line)
  return known
}

function apply(known: Known, line: Line): void {
  if ('since' in line) known.since ??= line.since
  else if ('sent' in line) addSent(known, line)
  else if ('void' in line) {
    for (const sent of known.sent.values())
      for (const id of sent.keys()) if (id.startsWith(`${line.void} `)) sent.delete(id)
  } else {
    known.counts.set(line.checked, line.count)
    for (const id of line.found) known.sent.get(line.checked)?.delete(id)
  }
}

function addSent(
  { sent: byFeed }: Known,
  { sent: hash, attestations }: Extract<Line, { sent: string }>,
): void {
  for (const [index, { feed_id, period, amount, source_hash }] of attestations.entries()) {
    const sent = byFeed.get(feed_id) ?? new Map()
    byFeed.set(feed_id, sent.set(`${hash} ${index}`, keyOf(period, amount, source_hash)))
  }
}

/** Matches values with sent attestations. */
function matchValues(
  { sent }: Known,
  feedId: string,
  values: readonly Attestation[],
): { found: string[]; others: readonly Attestation[] } {
  const left = new Map(sent.get(feedId))
  const found: string[] = []
  const others = values.filter(({ period, amount, source_hash }) => {
    const key = keyOf(period, amount.toString(), source_hash)
    const [id] = [...left].find(([, each]) => each === key) ?? []
    if (id === undefined) return true
    left.delete(id)
    found.push(id)
    return false
  })
  return { found, others }
}
