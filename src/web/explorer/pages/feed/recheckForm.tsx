import type { DatedSeries } from '@wattfeed/eia'
import { useState } from 'preact/hooks'
import type { Recheck } from 'wattfeed/provenance'
import type { ProvenanceBody } from '../../../../api/schemas.ts'
import { shellQuoted } from '../../../cite/shell.ts'
import { eiaKey } from '../../data/eia.ts'
import type { FeedReading } from '../../data/readings.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { EiaKeyForm } from '../../ui/eiaKeyForm.tsx'
import { Code, Text } from '../../ui/text.tsx'
import { Period } from '../../ui/time.tsx'
import { recheckSource, SourceUnavailableError } from './recheckSource.ts'

interface Found {
  isRunning: boolean
  /** With the value it belongs to, because a newer value may have arrived. */
  recheck: (Recheck & Pick<ProvenanceBody, 'attested'>) | null
  fault: string | null
}

const NOTHING: Found = { isRunning: false, recheck: null, fault: null }

/** Recomputes the hash from EIA's row, with the reader's own key. */
export function RecheckForm({ feed, provenance }: { feed: FeedReading; provenance: ProvenanceBody }) {
  const key = eiaKey.value
  const [found, setFound] = useState(NOTHING)
  const ask = async (): Promise<void> => {
    if (key === null || found.isRunning) return
    setFound({ ...NOTHING, isRunning: true })
    try {
      const recheck = await recheckSource(feed, provenance, key)
      setFound({ ...NOTHING, recheck: { ...recheck, attested: provenance.attested } })
    } catch (error) {
      setFound({ ...NOTHING, fault: error instanceof SourceUnavailableError ? error.message : null })
      if (!(error instanceof SourceUnavailableError)) throw error
    }
  }
  return (
    <div class="recheck">
      <h3>Recompute it</h3>
      <EiaKeyForm purpose="your browser reads the row from EIA and hashes it" />
      {key !== null && (
        <p>
          <button type="button" aria-disabled={found.isRunning} onClick={() => void ask()}>
            {found.isRunning ? 'Waiting for EIA …' : 'Read the row and hash it'}
          </button>
        </p>
      )}
      <div role="status">
        {found.fault !== null && (
          <>
            <p class="recheck-fault">{found.fault}</p>
            <p>A terminal does not have a browser’s limits. This command does the same:</p>
            <Copyable text={recheckCommand(feed.feed_id)} label="the command" />
          </>
        )}
        {found.recheck !== null && <Rechecked recheck={found.recheck} of={feed} />}
      </div>
    </div>
  )
}

const recheckCommand = (feedId: string): string =>
  `EIA_API_KEY=… wattfeed provenance ${shellQuoted(feedId)} --server ${location.origin}`

const verdicts: Readonly<Record<Recheck['verdict'], string>> = {
  match: 'It matches: EIA’s row has the hash and the amount on chain.',
  revised: 'EIA has revised the value since it was attested.',
  mismatch: 'It does not match: no row of EIA can be the attested one.',
  withdrawn: 'EIA no longer has a value for this period.',
  undecidable:
    'EIA’s row is different today. The hash does not show whether EIA had the attested value before.',
  unknown_recipe: 'The recipe is not known.',
}

const verdictClasses: Readonly<Partial<Record<Recheck['verdict'], string>>> = {
  match: 'is-checked',
  mismatch: 'is-broken',
}

function Rechecked({
  recheck: { verdict, detail, canonical_json, source_hash, attested },
  of,
}: {
  recheck: NonNullable<Found['recheck']>
  of: DatedSeries
}) {
  return (
    <div class={`verdict ${verdictClasses[verdict] ?? 'is-unchecked'}`}>
      <p>
        <Period of={of} period={attested.period} />: <strong>{verdicts[verdict]}</strong>{' '}
        <Text text={detail} />
      </p>
      {canonical_json !== null && <Copyable text={canonical_json} label="the JSON that was hashed" />}
      {source_hash !== null && (
        <p>
          SHA-256 starts with <code class="hash">{source_hash}</code>; the chain has{' '}
          <Code text={attested.source_hash} class="hash" />.
        </p>
      )}
    </div>
  )
}
