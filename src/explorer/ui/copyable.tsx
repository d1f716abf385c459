import { useEffect, useRef, useState } from 'preact/hooks'
import { Text } from './text.tsx'

/** A text to take along, such as a command; `label` says what it is. */
export function Copyable({ text, label }: { text: string; label: string }) {
  const shown = useRef<HTMLPreElement>(null)
  return (
    <div class="copyable">
      <pre ref={shown}>{text}</pre>
      <CopyButton text={text} label={label} shown={shown} />
    </div>
  )
}

/** Characters of a key's end that stay in view. */
const KEY_END = 6

/** The key of an account or a contract in one line: its middle is cut, and copied with the rest. `label` says whose it is. */
export function CopyableKey({ text, label }: { text: string; label: string }) {
  const shown = useRef<HTMLElement>(null)
  return (
    <span class="key">
      <code ref={shown} title={text}>
        <Text text={text.slice(0, -KEY_END)} />
        <Text text={text.slice(-KEY_END)} />
      </code>
      <CopyButton text={text} label={label} shown={shown} />
    </span>
  )
}

const SAID_MS = 2_000

interface CopyButtonProps {
  text: string
  label: string
  /** What is selected instead where the clipboard may not be written. */
  shown: { readonly current: Element | null }
}

function CopyButton({ text, label, shown }: CopyButtonProps) {
  const [said, setSaid] = useState<string | null>(null)
  useEffect(() => {
    if (said === null) return
    const timer = setTimeout(() => setSaid(null), SAID_MS)
    return () => clearTimeout(timer)
  }, [said])
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      setSaid('Copied')
    } catch {
      // Pages over plain HTTP may not write the clipboard.
      if (shown.current !== null) getSelection()?.selectAllChildren(shown.current)
      setSaid('Selected')
    }
  }
  return (
    <button type="button" aria-label={`Copy: ${label}`} onClick={() => void copy()}>
      <span role="status">{said ?? 'Copy'}</span>
    </button>
  )
}
