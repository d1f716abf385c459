import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { ChainOfLinks } from './chainOfLinks.tsx'
import { isProven, preloadVerifier, type Subject } from './checkProof.ts'
import { type Check, runCheck } from './checks.ts'
import { rememberedTrust } from './trust.ts'
import { TrustPart } from './trustPart.tsx'
import { NotProven, verdictClass } from './verdict.tsx'

interface VerdictProps {
  found: Check
  /** What the server claims before a check. */
  claim: ComponentChildren
  /** What a check says that proves a value. */
  proven: ComponentChildren
}

export interface ProofSectionProps extends VerdictProps {
  subject: Subject
  /** @default 'h2' */
  heading?: 'h2' | 'h4'
  children?: ComponentChildren
}

/** The check of a subject in this browser: its verdict, its links, and what the reader trusts. */
export function ProofSection({
  subject,
  heading: Heading = 'h2',
  found,
  claim,
  proven,
  children,
}: ProofSectionProps) {
  const { isRunning, check } = found
  const hasTrust = rememberedTrust.value !== null
  useEffect(() => {
    if (hasTrust) preloadVerifier()
  }, [hasTrust])
  useEffect(() => {
    // The browser looked for the fragment before this part existed.
    if (location.hash.startsWith('#proof')) document.getElementById('proof')?.scrollIntoView()
  }, [])
  return (
    <section class="proof" id="proof" aria-labelledby="proof-title" onFocusIn={preloadVerifier}>
      <Heading id="proof-title">Proof</Heading>
      <Verdict found={found} claim={claim} proven={proven} />
      {hasTrust && (
        <p class="actions">
          <button type="button" onClick={() => void runCheck(subject)} disabled={isRunning}>
            {isRunning ? 'Checking …' : 'Check in this browser'}
          </button>
        </p>
      )}
      {check !== null && <ChainOfLinks links={check.links} />}
      <TrustPart subject={subject} links={check?.links ?? []} />
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
      {check !== null && <p>{isProven(check) ? proven : <NotProven check={check} />}</p>}
    </div>
  )
}
