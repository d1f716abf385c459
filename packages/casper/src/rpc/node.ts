import { authorizationSecrets, createRedact, splitCredentials, urlSecrets } from '@wattfeed/base'

/** A node that {@link createRpc} calls. */
export interface Node {
  /** The URL without user and password. */
  readonly url: string
  /** Host and port, which are safe to show. A path or a query may hold a token. */
  readonly host: string
  /** Sent with every request. */
  readonly headers: Record<string, string>
  /** Redacts the secrets of the URL and the headers in a text from the node. */
  readonly redact: (text: string) => string
}

// Redacting is slow, and an error text can be as large as an answer.
const MAX_TEXT_LENGTH = 10_000

/**
 * Creates a node from its URL. Moves user and password to a header.
 *
 * @param authorization - the whole value of that header instead, by the host and port of a URL
 */
export function parseNode(text: string, authorization: Readonly<Record<string, string>> = {}): Node {
  const { url, headers } = splitCredentials(text)
  const value = Object.hasOwn(authorization, url.host) ? authorization[url.host] : undefined
  const redact = createRedact([
    ...urlSecrets(text),
    ...(value === undefined ? [] : authorizationSecrets(value)),
  ])
  return {
    url: url.href,
    host: url.host,
    headers: value === undefined ? headers : { authorization: value },
    redact: (quoted) => redact(quoted.slice(0, MAX_TEXT_LENGTH)),
  }
}
