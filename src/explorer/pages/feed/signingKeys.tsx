import type { AttesterBody } from '../../../api/schemas.ts'
import { shapeOf } from '../../../api/shape.ts' with { type: 'macro' }
import { useAnswer } from '../../data/resource.ts'
import { describeSigners } from '../../format/signers.ts'
import { CopyableKey } from '../../ui/copyable.tsx'
import { Fact } from '../../ui/fact.tsx'

const shape = shapeOf('attesterBody')

/** The number of keys that must sign a value of the feed. A click lists the keys. */
export function SigningKeys({ feedId, revision }: { feedId: string; revision: number }) {
  const path = `/v1/feeds/${encodeURIComponent(feedId)}/attester`
  const { answer, fault } = useAnswer(path, shape, { revision })
  return (
    <Fact name="Signing keys">
      {answer === null ? fault === null ? '…' : 'could not be read' : <Authority {...answer} />}
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
