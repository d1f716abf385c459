import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { CheckedLink } from '../../client/index.ts'
import { VERIFIER_PATH } from '../../site/places.ts'
import type { FeedReading } from '../data/readings.ts'
import { Age, Period } from '../ui/time.tsx'
import { Value } from '../ui/value.tsx'
import { ChainOfLinks } from './chainOfLinks.tsx'
import { preloadVerifier } from './checkProof.ts'
import { checkFeed, checkOf, type FeedCheck, padlockOf } from './feedChecks.ts'
import { useServedNetwork } from './servedNetwork.ts'
import { isRefutedAtStart } from './stages.ts'
import { parseFragment, rememberedTrust, setTrust, type Trust, type TrustFields } from './trust.ts'
import { TrustForm } from './trustForm.tsx'
import { BlockAge, NotProven, verdictClass } from './verdict.tsx'

/** Checks the feed's value in this browser, starting at a block hash that the reader trusts. */
export function ProofPanel({ feed }: { feed: FeedReading }) {
  const found = checkOf(feed.feed_id)
  const { check, checkedAt } = found
  const hasTrust = rememberedTrust.value !== null
  useEffect(() => {
    if (hasTrust) preloadVerifier()
  }, [hasTrust])
  const claim = (
    <>
      The value above is this server’s claim.{' '}
      {hasTrust
        ? 'Your browser can verify every hash and signature from the block that you trust to the value.'
        : 'Enter a block hash that you trust, and your browser verifies every hash and signature from it to the value.'}
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
    <ProofSection feedId={feed.feed_id} found={found} claim={claim} proven={proven}>
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
  return <ProofSection feedId={feedId} found={checkOf(feedId)} claim={claim} proven={proven} />
}

interface VerdictProps {
  found: FeedCheck
  /** What the server claims before a check. */
  claim: ComponentChildren
  /** What a check says that proves a value. */
  proven: ComponentChildren
}

interface ProofSectionProps extends VerdictProps {
  feedId: string
  children?: ComponentChildren
}

function ProofSection({ feedId, found, claim, proven, children }: ProofSectionProps) {
  const { isRunning, check } = found
  return (
    <section class="proof" id="proof" aria-labelledby="proof-title" onFocusIn={preloadVerifier}>
      <h2 id="proof-title">Proof</h2>
      <Verdict found={found} claim={claim} proven={proven} />
      {rememberedTrust.value !== null && (
        <p class="actions">
          <button type="button" onClick={() => void checkFeed(feedId)} disabled={isRunning}>
            {isRunning ? 'Checking …' : 'Check in this browser'}
          </button>
        </p>
      )}
      {check !== null && <ChainOfLinks links={check.links} />}
      <TrustPart feedId={feedId} links={check?.links ?? []} />
      {children}
    </section>
  )
}

function Verdict({ found: { check, fault }, claim, proven }: VerdictProps) {
  return (
    <div class={verdictClass(check)} role="status">
      {fault !== null && <p class="stage-fault">The check has no result. {fault}</p>}
      {fault === null && check === null && (
        <p>
          <strong>Not checked in this browser.</strong> {claim}
        </p>
      )}
      {check !== null && <p>{check.proven === null ? <NotProven check={check} /> : proven}</p>}
    </div>
  )
}

/** Asks what the reader trusts, or shows it. */
function TrustPart({ feedId, links }: { feedId: string; links: readonly CheckedLink[] }) {
  const trust = rememberedTrust.value
  const served = useServedNetwork()
  const named = parseFragment(location.hash)
  const trustAndCheck = (given: Trust): void => {
    setTrust(given)
    void checkFeed(feedId)
  }
  if (trust === null)
    return (
      <TrustForm
        initial={{ ...served, ...named }}
        note={<WhoSaysSo isAddress={Object.keys(named).length > 0} />}
        onTrust={trustAndCheck}
      />
    )
  return (
    <Trusted
      trust={trust}
      named={named}
      isOpen={isRefutedAtStart(links) || differs(named, trust)}
      onTrust={trustAndCheck}
    />
  )
}

/** The source of the form's initial values. */
const WhoSaysSo = ({ isAddress }: { isAddress: boolean }) => (
  <p class="hint">
    {isAddress
      ? 'Filled in from this page’s address. Only trust it if you trust the source of that address.'
      : 'The chain and its registries are this server’s claim. Compare them with a source that you trust, because a server can name fake registries.'}
  </p>
)

/** Whether the address names a trust other than the remembered one. */
const differs = (named: Partial<TrustFields>, trust: TrustFields): boolean =>
  Object.entries(named).some(([name, value]) => trust[name as keyof TrustFields] !== value)

interface TrustedProps {
  trust: Trust
  /** The fields in the address. */
  named: Partial<TrustFields>
  /** Whether the form is open, for corrections. */
  isOpen: boolean
  onTrust: (trust: Trust) => void
}

function Trusted({ trust, named, isOpen, onTrust }: TrustedProps) {
  return (
    <details class="trusted" open={isOpen}>
      <summary>
        You trust <code class="hash">{trust.blockHash}</code> of {trust.chainName}
      </summary>
      {trust.checkpoint !== null && (
        <p>
          Your browser verified up to the switch block <code class="hash">{trust.checkpoint.hash}</code>,{' '}
          <Age ms={trust.checkpoint.verifiedAt} />. New checks start from there.
        </p>
      )}
      <TrustForm key={trust.blockHash} initial={{ ...trust, ...named }} onTrust={onTrust} />
      <p>
        <button type="button" class="is-quiet" onClick={() => setTrust(null)}>
          Forget it on this device
        </button>
      </p>
    </details>
  )
}

function WhereFrom() {
  return (
    <details>
      <summary>Where to get a block hash</summary>
      <p>
        From any source other than this server: a block explorer such as <b>cspr.live</b> (the last block of
        an era), your own Casper node (<code>chain_get_era_summary</code>), or a colleague. Compare two
        sources. The demo prints a link to this page with a hash, and a <code>verify</code> command that you
        can paste into any field. The hash stays on this device. The server only receives it as the start of
        the requested proof.
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
