/**
 * The most bytes that an answer may have, by method: what it can honestly reach, and little enough that parsing the
 * worst that fits holds nothing else up. Items and values were seen up to 19 kB; on a network with tens of millions of
 * keys their proof alone takes 70 kB, and every stored byte eight. A status lists up to a few thousand peers.
 * A switch block of 1,000 validators takes 580 kB.
 */
const answerLimits: Readonly<Record<string, number>> = {
  chain_get_state_root_hash: 65_536,
  info_get_status: 262_144,
  state_get_dictionary_item: 524_288,
  query_global_state: 524_288,
  chain_get_block: 1_048_576,
}

/** The most bytes that an answer to this method may have; `otherwise` where the method has no limit of its own. */
export const answerLimitOf = (method: string, otherwise = 1_048_576): number =>
  answerLimits[method] ?? otherwise
