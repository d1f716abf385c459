import { useEffect, useRef, useState } from 'preact/hooks'
import { Text } from './text.tsx'

/** A text with a copy button; `label` names it. */
export function Copyable({ text, label }: { text: string; label: string }) {
  const shown = useRef<HTMLPreElement>(null)
  return (
    <div class="copyable">
      <pre ref={shown}>{text}</pre>
      <CopyButton text={text} label={label} shown={shown} />
    </div>
  )
}

/** Number of visible characters at a key's end. */
const KEY_END = 6

/** The key of an account or a contract in one line, with a hidden middle. The button copies all of it; `label` names it. */
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
  /** The element to select if the clipboard is not available. */
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
      // The clipboard is not available over plain HTTP.
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
