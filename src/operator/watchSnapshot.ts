import type { SnapshotStep } from '../agent/datasets/snapshotInput.ts'
import type { Terminal } from '../runtime/terminal.ts'

const number = (value: number): string => value.toLocaleString('en-US')

/**
 * Returns a function that shows the steps of a snapshot as lines of progress, with the rate of this run and the time left.
 *
 * @param now - milliseconds of a monotonic clock
 */
export function watchSnapshot(
  { progress, milestone }: Pick<Terminal, 'progress' | 'milestone'>,
  now: () => number,
): (step: SnapshotStep) => void {
  let start: { rows: number; ms: number } | null = null
  return (step) => {
    if (step.step === 'again') {
      start = null
      milestone(`reading all rows again: ${step.why}`)
    } else if (step.step === 'check')
      progress(`${number(step.done)} of ${number(step.pages)} pages read again`)
    else if (step.step === 'mend') milestone(`writing ${step.folder} again: ${step.why}`)
    else if (step.step === 'not_kept')
      for (const { root, why } of step.snapshots) milestone(`the archive does not keep ${root}: ${why}`)
    else if (step.step === 'not_recorded')
      milestone(`what EIA says beside the rows is not recorded, or not all of it: ${step.why}`)
    else if (step.step === 'write') progress(`${number(step.values)} values written`)
    else {
      const { rows, total, pages } = step
      const what = `${number(pages)} ${pages === 1 ? 'page' : 'pages'}, ${number(rows)} of ${number(total)} rows`
      start ??= { rows, ms: now() }
      if (step.step === 'resume') milestone(`resuming after ${what}`)
      else progress(`${what}${pace({ done: rows - start.rows, left: total - rows, ms: now() - start.ms })}`)
      if (rows === total) milestone(`all ${number(total)} rows are read`)
    }
  }
}

/** Says how fast it goes, and how long it will take; empty before anyone can know. */
function pace({ done, left, ms }: { done: number; left: number; ms: number }): string {
  if (done <= 0 || ms <= 0) return ''
  const perSecond = (done / ms) * 1000
  const seconds = Math.ceil(left / perSecond)
  const time = seconds < 120 ? `${seconds} s` : `${number(Math.ceil(seconds / 60))} min`
  return `, ${number(Math.round(perSecond))} rows/s, ${time} left`
}
