import { splitCredentials } from '../../bytes/credentials.ts'
import { createRedact, urlSecrets } from '../../bytes/redact.ts'

/** A node, without its secrets. */
export interface Node {
  /** Without user and password. */
  readonly url: string
  /** Host and port, which are safe to show; a path or query may hold a token. */
  readonly host: string
  /** Sent with every request. */
  readonly headers: Record<string, string>
  /** Redacts the secrets of its URL from a text of the node. */
  readonly redact: (text: string) => string
}

// A node may say as much as fits into an answer, and redacting is slow.
const MAX_TEXT_LENGTH = 10_000

/** Creates a node from its URL. User and password become a header. */
export function parseNode(text: string): Node {
  const { url, headers } = splitCredentials(text)
  const redact = createRedact(urlSecrets(text))
  return {
    url: url.href,
    host: url.host,
    headers,
    redact: (said) => redact(said.slice(0, MAX_TEXT_LENGTH)),
  }
}
