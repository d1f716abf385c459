import { WattfeedError } from '../errors.ts'

/** A path whose percent-encoding is broken, or does not spell UTF-8. */
export class PathEncodingError extends WattfeedError {
  static override readonly name = 'PathEncodingError'
  readonly code = 'path_encoding'
  readonly retryable = false

  constructor(
    /** The path, or the part of it, as it was sent. */
    readonly path: string,
  ) {
    super(
      `"${path}" does not decode: % begins two hex digits, and the bytes are UTF-8; encodeURIComponent in JavaScript writes an id so`,
    )
  }
}

/**
 * A path, or a part of one, without its percent-encoding (`+` stays a plus); null where it does not decode.
 *
 * @see https://url.spec.whatwg.org/#percent-encoded-bytes
 */
export function decodePath(path: string): string | null {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}
