import { type Attested, type Recheck, type RecheckInput, recheck } from './recheck.ts'

/** The attestations of a feed. */
export interface FeedAttestations {
  readonly count: number
  /** Reads the attestation at an index below `count`. */
  read(index: number): Promise<{ readonly attested: Attested }>
}

// A revision is attested soon after the first print; further ones are not looked at.
const MAX_LATER = 100

/** Rechecks as {@link recheck} does; what the row does not explain is compared with later attestations of the period first. */
export async function recheckWithLater(
  input: RecheckInput,
  index: number,
  attestations: FeedAttestations,
): Promise<Recheck> {
  const alone = recheck(input)
  if ((alone.verdict !== 'mismatch' && alone.verdict !== 'undecidable') || input.rows.length === 0)
    return alone
  const end = Math.min(attestations.count, index + 1 + MAX_LATER)
  const indices = Array.from({ length: Math.max(0, end - index - 1) }, (_, each) => index + 1 + each)
  const following = await Promise.all(indices.map((each) => attestations.read(each)))
  const later = following
    .map(({ attested }) => attested)
    .filter(({ period }) => period === input.attested.period)
  return recheck({ ...input, later })
}
