import type { CheckedLink } from 'wattfeed'

/** A stage of the proof, from the trusted block to the value. */
export interface Stage {
  readonly title: string
  /** The statement that it proves. */
  readonly meaning: string
  readonly links: readonly CheckedLink[]
  /** The resulting hashes and weights. */
  readonly results: readonly string[]
  /** Whether all its links hold; null if the check did not reach it. */
  readonly holds: boolean | null
}

interface StageKind {
  title: string
  meaning: string
  /** Matches the names of its links. */
  belongs: RegExp
  /** Matches the names of the links whose details are its results. */
  shows: RegExp
  /** How many results are shown, the last ones. @default 2 */
  maxResults?: number
  /** Whether a proof may lack it, and is then shown without it. @default false */
  isOptional?: boolean
}

// The fields of the registries, each after the name of its contract.
const items = / feeds\[| latest\[| history\[| count| ids\[/

const kinds: readonly StageKind[] = [
  {
    title: 'Your trusted block',
    meaning: 'The hash that you entered, of a block that names the next validators.',
    belongs: /^(registries|trusted block)$/,
    shows: /^trusted block$/,
  },
  {
    title: 'Eras',
    meaning:
      'Validators named by the previous era’s last block, with more than two thirds of the weight, signed each era’s last block.',
    belongs: /^switch block/,
    shows: /^switch block/,
    maxResults: 1,
  },
  {
    title: 'Block and signatures',
    meaning: 'The block contains the state root. More than two thirds of its era’s weight signed it.',
    belongs: /^(block|finality signatures.*|age)$/,
    shows: /^(block|finality signatures.*)$/,
  },
  {
    title: 'State root',
    meaning: 'Merkle proofs lead from the state root to both registries.',
    belongs: / (package|version|contract)$/,
    shows: / contract$/,
  },
  {
    title: 'Items',
    meaning: 'Merkle proofs lead from the state root to the feed and to its value.',
    belongs: items,
    shows: items,
  },
  {
    title: 'Attester',
    meaning: 'Merkle proofs lead from the state root to who may attest, and to the keys of that account.',
    belongs: /^(FeedRegistry (feed_attester\[.*|owner)|attester)$/,
    shows: /^attester$/,
    isOptional: true,
  },
  {
    title: 'Value',
    meaning: 'The server’s answer is exactly what is proven.',
    belongs: /^(reading|evidence|what was asked for)$/,
    shows: /^reading$/,
  },
  {
    title: 'Dataset',
    meaning:
      'The value is the root of a dataset. Hashes lead from the root to values, which show what is said about the series.',
    belongs: /^(dataset|leaf \d+|statement|leaves|range)$/,
    shows: /^(leaf \d+|statement|leaves|range)$/,
    maxResults: 3,
    isOptional: true,
  },
]

const VALUE = kinds.findIndex(({ title }) => title === 'Value')

/**
 * Whether a proof states a chain or registries other than the reader's. Such a proof is not a forgery: it neither proves nor
 * refutes the reader's value.
 */
export const isOfAnotherNetwork = (links: readonly CheckedLink[]): boolean =>
  links.some(({ link, holds }) => link === 'registries' && !holds)

/** Returns whether the first stage is broken: the reader named another network, or the server lies. */
export const isRefutedAtStart = (links: readonly CheckedLink[]): boolean =>
  stagesOf(links)[0]?.holds === false

/** Groups the links of a check by stage. An unknown link belongs to the value, so that its failure is shown. */
export function stagesOf(links: readonly CheckedLink[]): Stage[] {
  const stageOf = ({ link }: CheckedLink): number => {
    const index = kinds.findIndex(({ belongs }) => belongs.test(link))
    return index === -1 ? VALUE : index
  }
  const broken = links.find(({ holds }) => !holds)
  const last = broken === undefined ? kinds.length : stageOf(broken)
  return kinds.flatMap(({ title, meaning, shows, maxResults = 2, isOptional = false }, index) => {
    const own = links.filter((link) => stageOf(link) === index)
    const shown = own.filter(({ link, holds }) => holds && shows.test(link)).map(({ detail }) => detail)
    if (isOptional && own.length === 0) return []
    // After a broken link, a stage without a result may be unfinished.
    const isOpen = index > last || (index < last && broken !== undefined && shown.length === 0)
    const holds = isOpen ? null : own.every((link) => link.holds)
    return { title, meaning, links: own, results: shown.slice(-maxResults), holds }
  })
}

/** Returns how a stage or a link is shown: its sign, its words, and its CSS class. */
export function outcomeOf(holds: boolean | null): { sign: string; words: string; className: string } {
  if (holds === null) return { sign: '·', words: 'not reached', className: 'is-open' }
  return holds
    ? { sign: '✓', words: 'holds', className: 'is-checked' }
    : { sign: '✗', words: 'broken', className: 'is-broken' }
}
