import type { CheckedLink } from 'wattfeed'
import type { TrustFields } from '../../cite/verifyCommand.ts'
import { Age } from '../ui/time.tsx'
import type { Subject } from './checkProof.ts'
import { runCheck } from './checks.ts'
import { useServedNetwork } from './servedNetwork.ts'
import { isRefutedAtStart } from './stages.ts'
import { parseFragment, rememberedTrust, setTrust, type Trust } from './trust.ts'
import { TrustForm } from './trustForm.tsx'

/** Asks what the reader trusts, or shows it. */
export function TrustPart({ subject, links }: { subject: Subject; links: readonly CheckedLink[] }) {
  const trust = rememberedTrust.value
  const served = useServedNetwork()
  const named = parseFragment(location.hash)
  const trustAndCheck = (given: Trust): void => {
    setTrust(given)
    void runCheck(subject)
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

/** Returns whether the address names a trust other than the remembered one. */
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
