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
  const answers = new Map<string, { at: number; answer: Promise<unknown>; isPending: boolean }>()

  function share<T>(request: readonly unknown[], send: () => Promise<T>): Promise<T> {
    for (const [key, { at, isPending }] of answers)
      if (!isPending && now() >= at + FETCH_MS) answers.delete(key)
    const key = JSON.stringify(request)
    const known = answers.get(key)
    // The key names the method, which determines the type.
    if (known !== undefined) return known.answer as Promise<T>
    const answer = send()
    const sent = { at: now(), answer, isPending: true }
    answers.set(key, sent)
    const settle = () => {
      sent.isPending = false
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
