import { useCallback, useEffect, useState } from 'preact/hooks'
import { type Answer, AnswerError, fetchAnswer } from './answers.ts'

/** What a page knows of an answer: the last one stays while a newer one fails or loads. */
export interface Asked<T> {
  answer: Answer<T> | null
  /** Why the newest attempt failed, or null. */
  fault: AnswerError | null
  isLoading: boolean
  reload(): void
}

/**
 * Asks the server for JSON, anew when the path changes; null asks nothing. What is asked is aborted with the component.
 *
 * @example
 * ```tsx
 * const { answer, fault, reload } = useAnswer<Status>('/v1/status')
 * ```
 */
export function useAnswer<T>(path: string | null): Asked<T> {
  const [state, setState] = useState<{ path: string | null } & Omit<Asked<T>, 'reload'>>(() => startOf(path))
  const [attempt, setAttempt] = useState(0)
  const reload = useCallback(() => setAttempt((last) => last + 1), [])
  // A new attempt asks again.
  useEffect(() => {
    if (path === null) return
    const abort = new AbortController()
    setState((last) => (last.path === path ? { ...last, isLoading: true } : startOf(path)))
    fetchAnswer<T>(path, { signal: abort.signal }).then(
      (answer) => setState({ path, answer, fault: null, isLoading: false }),
      (error: unknown) => {
        if (abort.signal.aborted) return
        setState((last) => ({ ...last, fault: faultOf(error), isLoading: false }))
      },
    )
    return () => abort.abort()
  }, [path, attempt])
  return { ...(state.path === path ? state : startOf<T>(path)), reload }
}

const startOf = <T>(path: string | null) => ({
  path,
  answer: null as Answer<T> | null,
  fault: null,
  isLoading: path !== null,
})

/** The error as one of the server's: anything else is a defect. */
export function faultOf(error: unknown): AnswerError {
  if (error instanceof AnswerError) return error
  throw error
}
