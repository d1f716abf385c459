import { useCallback, useEffect, useState } from 'preact/hooks'
import type { Shape } from '../../api/shape.ts'
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
 * Asks the server for JSON, again when the path changes; null asks nothing. The request is aborted with the component.
 *
 * @param shape - follows from the path
 *
 * @example
 * ```tsx
 * const { answer, fault, reload } = useAnswer('/v1/datasets', shape)
 * ```
 */
export function useAnswer<T>(path: string | null, shape: Shape<T>): Asked<T> {
  const [state, setState] = useState<{ path: string | null } & Omit<Asked<T>, 'reload'>>(() => startOf(path))
  const [attempt, setAttempt] = useState(0)
  const reload = useCallback(() => setAttempt((last) => last + 1), [])
  // A new attempt asks again. A shape may be another object in each render, because the bundler inlines macros.
  useEffect(() => {
    if (path === null) return
    const abort = new AbortController()
    setState((last) => (last.path === path ? { ...last, isLoading: true } : startOf(path)))
    fetchAnswer(path, shape, { signal: abort.signal }).then(
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
