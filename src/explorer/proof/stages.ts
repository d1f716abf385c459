import type { CheckedLink } from '../../client/index.ts'

/** A stage of the way from the trusted block to the value. */
export interface Stage {
  readonly title: string
  /** Why it is there, in words. */
  readonly meaning: string
  readonly links: readonly CheckedLink[]
  /** What it led to: hashes and weights. */
  readonly results: readonly string[]
  /** Whether all its links hold; null if the check never came here. */
  readonly holds: boolean | null
}

interface StageKind {
  title: string
  meaning: string
  belongs: RegExp
  /** The links whose details are shown; of many, the last. */
  shows: RegExp
}

const items = / feeds\[| latest\[| history\[/

const kinds: readonly StageKind[] = [
  {
    title: 'Your trusted block',
    meaning: 'The hash that you gave, of a block that names the next validators.',
    belongs: /^(registries|trusted block)$/,
    shows: /^trusted block$/,
  },
  {
    title: 'Eras',
    meaning:
      'Each era’s last block is signed by more than two thirds of the weight that the one before names.',
    belongs: /^switch block/,
    shows: /^switch block/,
  },
  {
    title: 'Block and signatures',
    meaning: 'The block, which names the state root, is signed by more than two thirds of its era’s weight.',
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
    title: 'Value',
    meaning: 'What the server showed is exactly what is proven.',
    belongs: /^(reading|what was asked for)$/,
    shows: /^reading$/,
  },
]

/**
 * Whether a proof is of another chain or of other registries than the reader named, by its own words. That is no forgery: it
 * says nothing about what the reader asked for.
 */
export const isOfAnotherNetwork = (links: readonly CheckedLink[]): boolean =>
  links.some(({ link, holds }) => link === 'registries' && !holds)

const MAX_RESULTS = 2

/** Groups the links of a check by stage; a link that none names belongs to the value, so that its fault is shown. */
export function stagesOf(links: readonly CheckedLink[]): Stage[] {
  const stageOf = ({ link }: CheckedLink): number => {
    const index = kinds.findIndex(({ belongs }) => belongs.test(link))
    return index === -1 ? kinds.length - 1 : index
  }
  const broken = links.find(({ holds }) => !holds)
  const last = broken === undefined ? kinds.length : stageOf(broken)
  return kinds.map(({ title, meaning, shows }, index) => {
    const own = links.filter((link) => stageOf(link) === index)
    const shown = own.filter(({ link, holds }) => holds && shows.test(link)).map(({ detail }) => detail)
    // After a break, a stage that led to nothing may not have been looked at to its end.
    const isOpen = index > last || (index < last && broken !== undefined && shown.length === 0)
    return {
      title,
      meaning,
      links: own,
      results: shown.slice(index === ERAS ? -1 : -MAX_RESULTS),
      holds: isOpen ? null : own.every(({ holds }) => holds),
    }
  })
}

const ERAS = 1
