import { describePeriod } from '@wattfeed/eia'
import { useRef, useState } from 'preact/hooks'
import { formatAmount } from '../format/amount.ts'
import { ChainOfLinks } from '../proof/chainOfLinks.tsx'
import { checkDocument, checkProof, type ProofCheck, ProofUnavailableError } from '../proof/checkProof.ts'
import { parseFragment, publicNetwork, rememberedTrust, type Trust } from '../proof/trust.ts'
import { TrustForm } from '../proof/trustForm.tsx'
import { BlockAge, NotProven, verdictClass } from '../proof/verdict.tsx'
import { Text } from '../ui/text.tsx'

interface Found {
  isRunning: boolean
  check: ProofCheck | null
  fault: string | null
}

const NOTHING: Found = { isRunning: false, check: null, fault: null }

/** A page on disk that checks a feed of any server, starting at a block hash that the reader trusts. */
export function Verifier() {
  const [server, setServer] = useState('http://localhost:4030')
  const [feedId, setFeedId] = useState('EIA.PET.PRICE.WTI.DAILY')
  const [document, setDocument] = useState('')
  const [found, setFound] = useState(NOTHING)
  const newest = useRef<Trust | null>(null)
  const check = async (trust: Trust): Promise<void> => {
    newest.current = trust
    // Ignore the late result of an earlier check.
    const show = (found: Found): void => {
      if (newest.current === trust) setFound(found)
    }
    show({ ...NOTHING, isRunning: true })
    try {
      const address = server.trim().replace(/\/+$/, '')
      const isPasted = document.trim() !== ''
      const check = await (isPasted ? checkDocument(document, trust) : checkProof(address, feedId, trust))
      show({ ...NOTHING, check })
    } catch (error) {
      if (!(error instanceof ProofUnavailableError)) throw error
      show({ ...NOTHING, fault: error.message })
    }
  }
  return (
    <main>
      <h1>wattfeed verifier</h1>
      <p>
        Checks a value of any wattfeed server, or a proof of it, in this browser, starting at a block hash
        that you trust. Saved to your disk, this file needs no server and never changes.
      </p>
      <div class="trust-form">
        <Input label="Server" value={server} onChange={setServer} />
        <Input label="Feed" value={feedId} onChange={setFeedId} />
        <label>
          <span class="label">Or a proof</span>
          <textarea
            value={document}
            rows={3}
            spellcheck={false}
            autocomplete="off"
            aria-describedby="proof-hint"
            onInput={({ currentTarget }) => setDocument(currentTarget.value)}
          />
          <span class="hint" id="proof-hint">
            The JSON of any proof, pasted: of a value, a list, or a series of a dataset. Without one, the
            newest value of the feed is checked.
          </span>
        </label>
      </div>
      <TrustForm
        initial={{ ...(rememberedTrust.value ?? publicNetwork), ...parseFragment(location.hash) }}
        onTrust={(trust) => void check(trust)}
      />
      <Result found={found} />
    </main>
  )
}

function Input({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  onChange: (text: string) => void
}) {
  return (
    <label>
      <span class="label">{label}</span>
      <input
        value={value}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </label>
  )
}

function Result({ found: { isRunning, check, fault } }: { found: Found }) {
  return (
    <section aria-live="polite">
      {isRunning && <p>Checking …</p>}
      {fault !== null && <p class="stage-fault">The check has no result. {fault}</p>}
      {check !== null && (
        <>
          <Verdict check={check} />
          <ChainOfLinks links={check.links} />
        </>
      )}
    </section>
  )
}

function Verdict({ check }: { check: ProofCheck }) {
  if (check.proven !== null) return <Proven check={check} proven={check.proven} />
  return (
    <p class={verdictClass(check)}>
      <NotProven check={check} />
    </p>
  )
}

interface ProvenProps {
  check: ProofCheck
  proven: NonNullable<ProofCheck['proven']>
}

function Proven({ check, proven }: ProvenProps) {
  const { title, unit, decimals, period, amount } = proven
  return (
    <div class={verdictClass(check)}>
      <p>
        <strong>Proven from your hash</strong> in {Math.round(check.durationMs)} ms.
      </p>
      <p>
        <Text text={title} />, {describePeriod(proven, period).words}
      </p>
      <p class="result-value">
        {formatAmount(amount, decimals)} <Text text={unit} />
      </p>
      <p>
        <BlockAge check={check} />
      </p>
    </div>
  )
}
