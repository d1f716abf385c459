import type { AttesterBody, ProvenanceBody } from '../../../../api/schemas.ts'
import { shapeOf } from '../../../../api/shape.ts' with { type: 'macro' }
import type { AnswerError } from '../../data/answers.ts'
import { useAnswer } from '../../data/resource.ts'
import { describeSigners } from '../../format/signers.ts'
import { CopyableKey } from '../../ui/copyable.tsx'
import { Fact } from '../../ui/fact.tsx'
import { Code } from '../../ui/text.tsx'
import { Moment } from '../../ui/time.tsx'
import { Transaction } from '../../ui/transaction.tsx'
import type { Past } from './past.ts'

export interface OnChainProps {
  past: Pick<Past, 'feed' | 'history'>
  /** Undefined until it is loaded. */
  provenance: ProvenanceBody | undefined
  /** Why it could not be loaded, or null. */
  fault: AnswerError | null
}

/** The newest value on chain, and its attester. */
export function OnChain({ past: { feed, history }, provenance, fault }: OnChainProps) {
  const [newest] = history.items
  if (newest === undefined) return null
  const count = (history.count ?? 0).toLocaleString('en')
  const print = newest.revision === 0 ? 'a first print' : `revision ${newest.revision} of its period`
  return (
    <section aria-labelledby="chain-title" class="on-chain">
      <h2 id="chain-title">On chain</h2>
      <dl class="pairs">
        <Fact name="Feed id">
          <Code text={feed.feed_id} />
        </Fact>
        <Fact name="Value number">
          {(newest.index + 1).toLocaleString('en')} of {count}, {print}
        </Fact>
        <Fact name="Amount">
          <code>{newest.amount}</code> with {feed.decimals} decimals
        </Fact>
        <Fact name="Period">
          <code>{newest.period}</code>
        </Fact>
        <Fact name="Source hash">
          <Code text={newest.source_hash} />
        </Fact>
        <Fact name="Claimant">
          <Claimant provenance={provenance} fault={fault} />
        </Fact>
        <SigningKeys feedId={feed.feed_id} revision={newest.attested_at} />
        <Fact name="Attester">
          <CopyableKey text={newest.attester} label="the attester" />
          {provenance !== undefined && (
            <span class="hint">
              {newest.attester === provenance.claimant
                ? 'The claimant.'
                : 'Not the current claimant: an earlier one.'}
            </span>
          )}
        </Fact>
        <Fact name="Block time">
          <Moment ms={newest.attested_at} />
        </Fact>
        <Fact name="Transaction">
          <Transaction
            feedId={feed.feed_id}
            index={newest.index}
            attester={newest.attester}
            chainName={provenance?.chain_name}
          />
        </Fact>
      </dl>
    </section>
  )
}

function Claimant({ provenance, fault }: Pick<OnChainProps, 'provenance' | 'fault'>) {
  if (provenance === undefined) return <>{fault === null ? '…' : 'could not be read'}</>
  return (
    <>
      <CopyableKey text={provenance.claimant} label="the claimant" />
      <span class="hint">Only this key may attest to the feed.</span>
    </>
  )
}

const attesterShape = shapeOf('attesterBody')

/** The number of keys that must sign a value of the feed. A click lists the keys. */
function SigningKeys({ feedId, revision }: { feedId: string; revision: number }) {
  const path = `/v1/feeds/${encodeURIComponent(feedId)}/attester`
  const { answer, fault } = useAnswer(path, attesterShape, { revision })
  return (
    <Fact name="Signing keys">
      {answer !== null && <Authority {...answer} />}
      {answer === null && (fault === null ? '…' : 'could not be read')}
    </Fact>
  )
}

function Authority({ authority }: AttesterBody) {
  if (authority === null) return <>A contract decides.</>
  const { keys, thresholds, min_signers } = authority
  return (
    <details class="signing-keys">
      <summary>{describeSigners(authority)}</summary>
      <ul>
        {keys.map(({ account_hash, weight }) => (
          <li key={account_hash}>
            <CopyableKey text={account_hash} label="the key" />
            <span class="hint">
              weight {weight} of {thresholds.deployment}
              {min_signers > 1 && weight >= thresholds.deployment && ': can sign alone'}
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}
