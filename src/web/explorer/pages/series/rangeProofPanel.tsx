import type { ProvenRange } from 'wattfeed'
import { rangeProofUrl } from '../../../cite/addresses.ts'
import type { ProofCheck, RangeSubject } from '../../proof/checkProof.ts'
import { checkOf, rangePadlockOf, type ShownRange } from '../../proof/checks.ts'
import { DatasetProof, OfRoot, TrustsOrder } from '../../proof/datasetProof.tsx'
import { BlockAge } from '../../proof/verdict.tsx'
import { Text } from '../../ui/text.tsx'
import { Age } from '../../ui/time.tsx'

interface RangeProofPanelProps {
  subject: RangeSubject
  /** Null if the server says that the series has no value. */
  shown: ShownRange | null
}

/** Checks all values of a range in this browser, and that none is missing, starting at a block hash that the reader trusts. */
export function RangeProofPanel({ subject, shown }: RangeProofPanelProps) {
  const { check, checkedAt } = checkOf(subject)
  return (
    <DatasetProof
      subject={subject}
      claimed={shown === null ? 'That the series has no value' : 'What is shown above'}
      verified="all values, and that none is missing"
      proven={
        check !== null &&
        check.range !== null &&
        checkedAt !== null && <Proven check={check} range={check.range} checkedAt={checkedAt} />
      }
      isOther={isOther(subject, shown)}
      url={rangeProofUrl(location.origin, subject)}
    />
  )
}

/** Returns whether a proof shows something else than the page. */
function isOther(subject: RangeSubject, shown: ShownRange | null): boolean {
  if (shown === null) return checkOf(subject).check?.range?.values.length !== 0
  return ['unchecked', 'broken'].includes(rangePadlockOf(subject, shown).state)
}

interface ProvenProps {
  check: ProofCheck
  range: ProvenRange
  checkedAt: number
}

function Proven({ check, range: { range, values, size, index }, checkedAt }: ProvenProps) {
  const [first, last] = [values[0], values.at(-1)]
  // With fewer values than the limit, they are the whole series.
  const isWhole = range.limit === null || values.length < range.limit
  return (
    <>
      <strong>Proven from your hash:</strong>{' '}
      {first === undefined || last === undefined ? (
        'no value of this series'
      ) : (
        <>
          {isWhole ? 'all ' : 'the newest '}
          {values.length.toLocaleString('en')} {values.length === 1 ? 'value' : 'values'} of the series, from{' '}
          <Text text={first.period} max={40} /> to <Text text={last.period} max={40} />, and no others
        </>
      )}{' '}
      among the {size.toLocaleString('en')} values of the dataset, checked <Age ms={checkedAt} /> in{' '}
      {Math.round(check.durationMs)} ms, with a proof of {Math.ceil(check.bytes / 1_000).toLocaleString('en')}{' '}
      kB. <BlockAge check={check} />
      <OfRoot index={index} />
      <TrustsOrder />
    </>
  )
}
