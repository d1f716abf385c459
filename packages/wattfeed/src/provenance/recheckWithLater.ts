import { type Attested, type Recheck, type RecheckInput, recheck } from './recheck.ts'

export interface FeedAttestations {
  readonly count: number
  /** Reads the attestation at an index below `count`. */
  read(index: number): Promise<{ readonly attested: Attested }>
}

// Only this many are read, because a revision is attested soon after the first print.
const MAX_LATER = 100

/** Rechecks like {@link recheck}. If the row does not explain the attestation, reads later attestations of the period too. */
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
