import { useEffect, useRef, useState } from 'preact/hooks'

const SAID_MS = 2_000

/** A text to copy, with a button that does it. */
export function Copyable({ text, label }: { text: string; label: string }) {
  const code = useRef<HTMLElement>(null)
  const [said, setSaid] = useState('')
  useEffect(() => {
    if (said === '') return
    const timer = setTimeout(() => setSaid(''), SAID_MS)
    return () => clearTimeout(timer)
  }, [said])
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      setSaid('Copied')
    } catch {
      // Browsers keep the clipboard from pages that came without encryption.
      if (code.current !== null) getSelection()?.selectAllChildren(code.current)
      setSaid('Selected: copy it')
    }
  }
  return (
    <div class="copyable">
      <pre>
        <code ref={code}>{text}</code>
      </pre>
      <button type="button" class="is-quiet" onClick={copy} aria-label={`Copy: ${label}`}>
        {said === '' ? 'Copy' : said}
      </button>
      <span class="visually-hidden" role="status">
        {said}
      </span>
    </div>
  )
}
