import type { RootReader } from '../../registry/rootReader.ts'
import { assertGrown, type FeedList, type LogLengths } from './feedList.ts'
import type { KnownChain } from './knownChain.ts'

/** Creates a function that returns the log lengths as text. It makes two calls for each reader, or none if `known` is its list. */
export function createLogLengths(
  chain: KnownChain,
  readLengths: (reader: RootReader) => Promise<LogLengths>,
): (reader: RootReader, known: FeedList | null) => Promise<string | null> {
  const texts = new WeakMap<RootReader, Promise<string | null>>()

  /** @throws {@link LaggingNodeError} when a log is shorter than at an earlier root. */
  async function readNewLengths(reader: RootReader): Promise<LogLengths> {
    const lengths = await readLengths(reader)
    const seen = chain.lengths()
    if (seen !== null && seen.sequence > reader.sequence) return lengths
    if (seen !== null && isShorter(seen.lengths, lengths) && !chain.isConfirmed('shorter'))
      assertGrown(seen.lengths, lengths)
    chain.setLengths({ lengths, sequence: reader.sequence })
    return lengths
  }

  async function read(reader: RootReader, known: FeedList | null): Promise<string | null> {
    try {
      return formatLengths(known?.lengths ?? (await readNewLengths(reader)))
    } catch (error) {
      texts.delete(reader)
      throw error
    }
  }

  return (reader, known) => {
    const text = texts.get(reader) ?? read(reader, known)
    texts.set(reader, text)
    return text
  }
}

/** Formats log lengths: `f36.a1204`; null if there are no logs. */
export function formatLengths({ feed, attestation }: LogLengths): string | null {
  const parts = [feed === null ? [] : `f${feed}`, attestation === null ? [] : `a${attestation}`]
  return parts.flat().join('.') || null
}

const isShorter = (seen: LogLengths, lengths: LogLengths): boolean =>
  (lengths.feed ?? 0) < (seen.feed ?? 0) || (lengths.attestation ?? 0) < (seen.attestation ?? 0)
