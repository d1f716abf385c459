import type { ComponentChildren } from 'preact'
import { isProven, type Subject } from './checkProof.ts'
import { checkOf } from './checks.ts'
import { WhereFrom } from './proofPanel.tsx'
import { ProofSection, type ProofSectionProps } from './proofSection.tsx'
import { rememberedTrust } from './trust.ts'
import { VerifyCommand } from './verifyCommand.tsx'

interface DatasetProofProps extends Pick<ProofSectionProps, 'heading'> {
  subject: Subject
  /** What the server claims: `The value above`. */
  claimed: string
  /** What a check verifies: `it`. */
  verified: string
  /** What a check has proven; false before it. */
  proven: ComponentChildren
  /** Whether that is something else than the page shows. */
  isOther: boolean
  /** URL of the proof. */
  url: string
}

/** The check of what a dataset says, in this browser, starting at a block hash that the reader trusts. */
export function DatasetProof({
  subject,
  heading,
  claimed,
  verified,
  proven,
  isOther,
  url,
}: DatasetProofProps) {
  const found = checkOf(subject)
  const claim = (
    <>
      {claimed} is this server’s claim.{' '}
      {rememberedTrust.value === null
        ? `Enter a block hash that you trust, and your browser verifies ${verified}.`
        : `From the block that you trust, your browser can verify ${verified}.`}
    </>
  )
  const isProvenOther = isOther && found.check !== null && isProven(found.check)
  return (
    <ProofSection
      subject={subject}
      {...(heading && { heading })}
      found={found}
      claim={claim}
      proven={
        <>
          {proven}
          {isProvenOther && ' What is shown above is different. Check again.'}
        </>
      }
    >
      <WhereFrom />
      <details>
        <summary>Verify it without this page</summary>
        <VerifyCommand url={url} />
      </details>
    </ProofSection>
  )
}

/** Says which root a proof is of; nothing for the newest. */
export function OfRoot({ index }: { index: number | null }) {
  if (index === null) return null
  return (
    <>
      {' '}
      This is what root number {(index + 1).toLocaleString('en')} of the dataset says, and there may be newer
      ones.
    </>
  )
}

/** What completeness and an absence trust. */
export const TrustsOrder = () => (
  <>
    {' '}
    This trusts that the values were sorted:{' '}
    <a href="/docs/verify#what-a-reader-trusts">what a reader trusts</a>.
  </>
)
