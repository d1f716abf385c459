import { createRedact, splitCredentials, urlSecrets } from '@wattfeed/base'

/** A node that {@link createRpc} calls. */
export interface Node {
  /** The URL without user and password. */
  readonly url: string
  /** Host and port, which are safe to show. A path or a query may hold a token. */
  readonly host: string
  /** Sent with every request. */
  readonly headers: Record<string, string>
  /** Redacts the secrets of the URL in a text from the node. */
  readonly redact: (text: string) => string
}

// Redacting is slow, and an error text can be as large as an answer.
const MAX_TEXT_LENGTH = 10_000

/** Creates a node from its URL. Moves user and password to a header. */
export function parseNode(text: string): Node {
  const { url, headers } = splitCredentials(text)
  const redact = createRedact(urlSecrets(text))
  return {
    url: url.href,
    host: url.host,
    headers,
    redact: (quoted) => redact(quoted.slice(0, MAX_TEXT_LENGTH)),
  }
}
