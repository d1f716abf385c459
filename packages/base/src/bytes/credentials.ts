/** Returns a URL's user and password as the credentials of a `Basic` header (RFC 7617, UTF-8), or an empty text. */
export function basicCredentials({ username, password }: URL): string {
  if (username + password === '') return ''
  const bytes = new TextEncoder().encode(`${percentDecode(username)}:${percentDecode(password)}`)
  return btoa(String.fromCharCode(...bytes))
}

/** Moves a URL's user and password to a header, because `fetch` rejects URLs that contain them. */
export function splitCredentials(text: string | URL): { url: URL; headers: Record<string, string> } {
  const url = new URL(text)
  const credentials = basicCredentials(url)
  url.username = ''
  url.password = ''
  return { url, headers: credentials === '' ? {} : { authorization: `Basic ${credentials}` } }
}

/** Decodes percent-encoding; returns the text unchanged if it is malformed. */
export function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
