/** What stands after `Basic` in the header that carries a URL's user and password (RFC 7617, in UTF-8); empty where it has none. */
export function basicCredentials({ username, password }: URL): string {
  if (username + password === '') return ''
  const bytes = new TextEncoder().encode(`${percentDecode(username)}:${percentDecode(password)}`)
  return btoa(String.fromCharCode(...bytes))
}

/** The text without percent-encoding; as it is where it does not decode. */
export function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
