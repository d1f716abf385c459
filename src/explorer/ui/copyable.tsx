import { useEffect, useRef, useState } from 'preact/hooks'

const SHOWN_MS = 2_000

/** A text to take along, such as a command; `label` says what it is. */
export function Copyable({ text, label }: { text: string; label: string }) {
  const code = useRef<HTMLPreElement>(null)
  const [said, setSaid] = useState<string | null>(null)
  useEffect(() => {
    if (said === null) return
    const timer = setTimeout(() => setSaid(null), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [said])
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      setSaid('Copied')
    } catch {
      // Pages over plain HTTP may not write the clipboard.
      if (code.current !== null) getSelection()?.selectAllChildren(code.current)
      setSaid('Selected')
    }
  }
  return (
    <div class="copyable">
      <pre ref={code}>{text}</pre>
      <button type="button" aria-label={`Copy: ${label}`} onClick={() => void copy()}>
        <span role="status">{said ?? 'Copy'}</span>
      </button>
    </div>
  )
}
