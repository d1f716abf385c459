import { VERIFIER_PATH } from '../../site/places.ts'
import type { FeedReading } from '../data/readings.ts'
import { Age, Period } from '../ui/time.tsx'
import { Value } from '../ui/value.tsx'
import { checkOf, padlockOf } from './checks.ts'
import { ProofSection } from './proofSection.tsx'
import { rememberedTrust } from './trust.ts'
import { BlockAge } from './verdict.tsx'

/** Checks the feed's value in this browser, starting at a block hash that the reader trusts. */
export function ProofPanel({ feed }: { feed: FeedReading }) {
  const found = checkOf(feed.feed_id)
  const { check, checkedAt } = found
  const claim = (
    <>
      The value above is this server’s claim.{' '}
      {rememberedTrust.value === null
        ? 'Enter a block hash that you trust, and your browser verifies every hash and signature from it to the value.'
        : 'Your browser can verify every hash and signature from the block that you trust to the value.'}
    </>
  )
  const proven = check !== null && check.proven !== null && checkedAt !== null && (
    <>
      <strong>Proven from your hash:</strong> <Value of={check.proven} />,{' '}
      <Period of={check.proven} period={check.proven.period} />, checked <Age ms={checkedAt} /> in{' '}
      {Math.round(check.durationMs)} ms. <BlockAge check={check} />{' '}
      {['unchecked', 'broken'].includes(padlockOf(feed).state) &&
        'The value shown above is different. Check again.'}
    </>
  )
  return (
    <ProofSection subject={feed.feed_id} found={found} claim={claim} proven={proven}>
      <WhereFrom />
      <SaveVerifier />
    </ProofSection>
  )
}

interface AbsencePanelProps {
  feedId: string
  /** `feed`: it is not registered. `value`: it has no value. */
  absent: 'feed' | 'value'
}

/** Checks in this browser that a feed is not registered, or has no value. */
export function AbsencePanel({ feedId, absent }: AbsencePanelProps) {
  const claim = (
    <>
      That the feed {absent === 'feed' ? 'does not exist' : 'has no value'} is this server’s claim.{' '}
      {rememberedTrust.value === null
        ? 'Enter a block hash that you trust, and your browser verifies it.'
        : 'Your browser can verify it from the block that you trust.'}
    </>
  )
  const proven = 'It has a value now. Reload this page.'
  return <ProofSection subject={feedId} found={checkOf(feedId)} claim={claim} proven={proven} />
}

/** Says where a reader finds a block to trust. */
export function WhereFrom() {
  return (
    <details>
      <summary>Where to get a block hash</summary>
      <p>
        From any source other than this server: a block explorer such as <b>cspr.live</b> (the last block of
        an era), your own Casper node (<code>chain_get_era_summary</code>), or a colleague. Compare two
        sources. The demo prints a link to this page with a hash. You can paste a whole <code>verify</code>{' '}
        command into any field. The hash stays on this device. The server only receives it as the start of the
        requested proof.
      </p>
    </details>
  )
}

function SaveVerifier() {
  return (
    <details>
      <summary>Why trust this page? Save the verifier</summary>
      <p>
        This page comes from the server that it checks, and a lying server could send a lying page.{' '}
        <a href={VERIFIER_PATH} download>
          Save the verifier
        </a>{' '}
        once: one file that needs no server, identical in every copy of wattfeed. Compare its SHA-256 with the
        one in wattfeed’s CHANGELOG or from <code>wattfeed verify --verifier-hash</code>. Open it from your
        disk, and check any server.
      </p>
    </details>
  )
}
