import type { EmbedFacts } from '../../cite/embedFacts.ts'

// The first script of an embedded chart. It says what a check would download, and loads nothing before the reader agrees.
const box = document.getElementById('verification')
const button = box?.querySelector('button')
const status = box?.querySelector<HTMLElement>('[role=status]')
const written = box?.dataset.facts
if (box && button && status && written) offerCheck({ box, button, status }, JSON.parse(written))

interface Verification {
  box: HTMLElement
  button: HTMLButtonElement
  status: HTMLElement
}

/** Lets the button first tell the size of the download, and then verify. */
function offerCheck({ box, button, status }: Verification, facts: EmbedFacts): void {
  const show = (...parts: readonly HTMLElement[]): void => {
    status.replaceChildren(...parts)
    // The frame may be too low for it.
    scrollTo(0, box.offsetTop)
  }
  const say = (text: string): void => {
    const line = document.createElement('p')
    line.textContent = text
    show(line)
  }
  const verify = async (): Promise<void> => {
    button.disabled = true
    say('Verifying …')
    try {
      const code: typeof import('./verifyEmbed.ts') = await import(facts.scripts.verify)
      show(...(await code.verifyEmbed(facts)))
    } catch {
      say('The code that verifies could not be loaded. Nothing was checked.')
    }
    button.disabled = false
    button.textContent = 'Verify again'
  }
  const tellSize = async (): Promise<void> => {
    button.disabled = true
    const found = await sizeOfProof(facts)
    button.disabled = false
    if (typeof found === 'string') return say(found)
    const code = kilobytes(facts.scripts.verifyBytes)
    const size = found === null ? 'whose size the server does not tell' : `of ${kilobytes(found)}`
    say(
      `This downloads ${code} of code and a proof ${size} from ${location.host}, both before compression. Your browser then checks every hash and signature from block ${facts.trust.blockHash.slice(0, 12)}…, which this page names, to the value.`,
    )
    button.textContent = 'Download and verify'
    button.onclick = () => void verify()
  }
  button.onclick = () => void tellSize()
  button.hidden = false
}

const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1_000)} kB`

/** Returns the size of the proof in bytes, null if it is unknown, or why there is none. */
async function sizeOfProof({ proof, trust }: EmbedFacts): Promise<number | string | null> {
  const url = `${proof}${proof.includes('?') ? '&' : '?'}from=${trust.blockHash}`
  const response = await fetch(url, { method: 'HEAD' }).catch(() => null)
  if (response === null) return 'The server cannot be reached. Nothing was checked.'
  // A proxy that compresses removes the length.
  if (response.ok) return Number(response.headers.get('content-length')) || null
  const code = response.headers.get('x-wattfeed-error') ?? `HTTP ${response.status}`
  return `The server has no proof that starts at the hash that this page names (${code}). Nothing was checked.`
}
