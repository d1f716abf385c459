import type { FeedReading } from '../../data/readings.ts'
import { useScreenChecks } from '../../proof/screenChecks.ts'
import { Text } from '../../ui/text.tsx'

/** Checks the values on the screen from the block that the reader trusts, and shows the progress. */
export function Verification({ feeds }: { feeds: readonly FeedReading[] }) {
  const checks = useScreenChecks(feeds)
  if (checks === null) return null
  const { total, checked, broken, isOtherNetwork, pause } = checks
  const isDone = total > 0 && checked + broken === total
  return (
    <div class="verification">
      <p>
        {`${checked} of ${total} on this screen proven from your hash`}
        {broken > 0 && <strong>{`, ${broken} refuted`}</strong>}
        {!isDone && pause === null && !isOtherNetwork && (
          <progress max={total} value={checked + broken} aria-label="Values checked" />
        )}
      </p>
      {isOtherNetwork && (
        <p>
          The server’s proofs are of a chain other than the one that you trust, so nothing is checked here. A
          feed’s page shows the details.
        </p>
      )}
      {pause !== null && (
        <p>
          Waiting: <Text text={pause} />
        </p>
      )}
      <p class="visually-hidden" role="status">
        {isDone && `${checked} of ${total} values on the screen are proven from your hash.`}
        {isDone && broken > 0 && ` ${broken} refuted.`}
      </p>
    </div>
  )
}
