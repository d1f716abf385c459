import type { EiaClient } from '@wattfeed/eia'

export type RowReader = Pick<EiaClient, 'listNewestRows' | 'listRowsSince'>

/** How long an answer of EIA is used, in milliseconds. */
export const FETCH_MS = 30_000

/**
 * Sends each request at most once in 30 s, and not again before it is answered, so that other members cannot cause many requests to EIA.
 * Callers share the answer, also if it is an error.
 *
 * @param now milliseconds of a monotonic clock
 */
export function shareFetches(eia: RowReader, now: () => number): RowReader {
  const answers = new Map<string, { until: number; readonly answer: Promise<unknown> }>()

  function share<T>(request: readonly unknown[], send: () => Promise<T>): Promise<T> {
    for (const [key, { until }] of answers) if (now() >= until) answers.delete(key)
    const key = JSON.stringify(request)
    const known = answers.get(key)
    // The key names the method, which determines the type.
    if (known !== undefined) return known.answer as Promise<T>
    const answer = send()
    const sent = { until: Number.POSITIVE_INFINITY, answer }
    answers.set(key, sent)
    // From the answer on: nobody may have waited for one that took longer.
    const settle = () => {
      sent.until = now() + FETCH_MS
    }
    answer.then(settle, settle)
    return answer
  }

  return {
    listNewestRows: (series, { signal, ...options } = {}) =>
      share(['newest', series, options], () =>
        eia.listNewestRows(series, { ...options, ...(signal && { signal }) }),
      ),
    listRowsSince: (series, { signal, ...options } = {}) =>
      share(['since', series, options], () =>
        eia.listRowsSince(series, { ...options, ...(signal && { signal }) }),
      ),
  }
}
