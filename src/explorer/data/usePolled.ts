import { useEffect, useState } from 'preact/hooks'
import type { AnswerError } from './answers.ts'
import { faultOf } from './useAnswer.ts'

/** What is asked for again and again. */
export interface Polled<T> {
  /** The newest answer; null before the first. It stays while newer ones fail. */
  answer: T | null
  /** When it came, in epoch milliseconds. */
  heardAt: number | null
  /** Why the newest attempt failed, or null. */
  fault: AnswerError | null
  reload(): void
}

/**
 * Loads anew every `everyMs`, while the page is visible and after the last attempt has ended.
 *
 * @param load - throws an AnswerError; it stays the same function
 *
 * @example
 * ```tsx
 * const { answer, fault } = usePolled(loadReady, 10_000)
 * ```
 */
export function usePolled<T>(load: (signal: AbortSignal) => Promise<T>, everyMs: number): Polled<T> {
  const [state, setState] = useState<Omit<Polled<T>, 'reload'>>({ answer: null, heardAt: null, fault: null })
  const [attempt, setAttempt] = useState(0)
  // A new attempt asks at once.
  useEffect(() => {
    const abort = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let isHidden = false
    const ask = async (): Promise<void> => {
      isHidden = document.visibilityState !== 'visible'
      if (isHidden) return
      try {
        const answer = await load(abort.signal)
        setState({ answer, heardAt: Date.now(), fault: null })
      } catch (error) {
        if (abort.signal.aborted) return
        setState((last) => ({ ...last, fault: faultOf(error) }))
      }
      if (!abort.signal.aborted) timer = setTimeout(ask, everyMs)
    }
    const resume = (): void => {
      if (isHidden) void ask()
    }
    void ask()
    document.addEventListener('visibilitychange', resume)
    return () => {
      abort.abort()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', resume)
    }
  }, [load, everyMs, attempt])
  return { ...state, reload: () => setAttempt((last) => last + 1) }
}
