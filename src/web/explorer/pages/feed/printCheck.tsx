import { useState } from 'preact/hooks'
import type { HistoryItem } from '../../data/feedHistory.ts'
import type { FeedReading } from '../../data/readings.ts'
import { ChainOfLinks } from '../../proof/chainOfLinks.tsx'
import { checkProof, type ProofCheck } from '../../proof/checkProof.ts'
import { advanceCheckpoint, asUnavailable } from '../../proof/checks.ts'
import { rememberedTrust, type Trust } from '../../proof/trust.ts'
import { NotProven, verdictClass } from '../../proof/verdict.tsx'
import { Text } from '../../ui/text.tsx'
import { Value } from '../../ui/value.tsx'

interface PrintCheckProps {
  feed: FeedReading
  item: HistoryItem
}

type Result = { check: ProofCheck } | { fault: string }

/** Checks a past value in this browser, once the reader trusts a block. */
export function PrintCheck({ feed, item }: PrintCheckProps) {
  const trust = rememberedTrust.value
  // Another trusted block needs another check.
  return trust === null ? (
    <p class="hint">
      <a href="#proof">Enter a block hash that you trust</a>, and your browser can check this value, too.
    </p>
  ) : (
    <Check key={trust.blockHash} feed={feed} item={item} trust={trust} />
  )
}

function Check({ feed, item, trust }: PrintCheckProps & { trust: Trust }) {
  const [found, setFound] = useState<Result | 'running' | null>(null)
  const result = found === 'running' ? null : found
  const run = async (): Promise<void> => {
    setFound('running')
    try {
      const check = await checkProof('', feed.feed_id, trust, { index: item.index })
      advanceCheckpoint(trust, check)
      setFound({ check })
    } catch (error) {
      setFound({ fault: asUnavailable(error).message })
    }
  }
  return (
    <>
      <button type="button" onClick={() => void run()} disabled={found === 'running'}>
        {found === 'running' ? 'Checking …' : 'Check in this browser'}
      </button>
      <div role="status">{result !== null && <Verdict result={result} item={item} />}</div>
      {result !== null && 'check' in result && result.check.proven === null && (
        <ChainOfLinks links={result.check.links} />
      )}
    </>
  )
}

const REFUTED = 'verdict is-broken'

function Verdict({ result, item }: { result: Result; item: HistoryItem }) {
  if ('fault' in result)
    return (
      <p class="stage-fault">
        The check has no result. <Text text={result.fault} />
      </p>
    )
  const { proven } = result.check
  if (proven === null)
    return (
      <p class={notProvenClass(result.check)}>
        <NotProven check={result.check} />
      </p>
    )
  const isSame =
    proven.amount === item.amount &&
    proven.period === item.period &&
    proven.source_hash === item.source_hash &&
    proven.updated_at === item.attested_at
  // A past value stays what it is, so it does not matter how old the proof's block is.
  return isSame ? (
    <p class="verdict is-checked">
      <strong>Proven from your hash:</strong> <Value of={proven} /> is value number{' '}
      {(item.index + 1).toLocaleString('en')} of this feed.
    </p>
  ) : (
    <p class={REFUTED}>
      <strong>Refuted.</strong> The proof is valid, but it proves another value than the one above:{' '}
      <Value of={proven} />.
    </p>
  )
}

/** A proof that the feed does not exist is valid, but refutes the value above. */
const notProvenClass = (check: ProofCheck): string => (check.absence === null ? verdictClass(check) : REFUTED)
