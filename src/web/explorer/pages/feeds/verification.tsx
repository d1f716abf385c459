import { useRef } from 'preact/hooks'
import type { FeedReading } from '../../data/readings.ts'
import { useScreenChecks } from '../../proof/screenChecks.ts'
import { Text } from '../../ui/text.tsx'

/** Checks the values on the screen from the block that the reader trusts, and shows the progress. */
export function Verification({ feeds }: { feeds: readonly FeedReading[] }) {
  const checks = useScreenChecks(feeds)
  const said = useRef('')
  if (checks === null) return null
  const { total, checked, broken, failed, isRunning, isOtherNetwork, pause } = checks
  // While a changed value is checked again, the words stay, so that screen readers do not repeat them.
  if (total > 0 && checked + broken === total)
    said.current = `${checked} of ${total} values on the screen are proven from your hash. ${broken > 0 ? `${broken} refuted.` : ''}`
  return (
    <div class="verification">
      <p>
        {`${checked} of ${total} on this screen proven from your hash`}
        {broken > 0 && <strong>{`, ${broken} refuted`}</strong>}
        {failed > 0 && pause === null && `, ${failed} without a result`}
        {isRunning && <progress max={total} value={checked + broken} aria-label="Values checked" />}
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
        {said.current}
      </p>
    </div>
  )
}
