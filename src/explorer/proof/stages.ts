import type { CheckedLink } from '../../client/index.ts'

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
  belongs: RegExp
  /** The links whose details are shown, or only the last ones. */
  shows: RegExp
}

const items = / feeds\[| latest\[| history\[| count| ids\[/

const ATTESTER = 'Attester'

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
    title: ATTESTER,
    meaning: 'Merkle proofs lead from the state root to who may attest, and to the keys of that account.',
    belongs: /^(FeedRegistry (feed_attester\[.*|owner)|attester)$/,
    shows: /^attester$/,
  },
  {
    title: 'Value',
    meaning: 'The server’s answer is exactly what is proven.',
    belongs: /^(reading|evidence|what was asked for)$/,
    shows: /^reading$/,
  },
]

/**
 * Whether a proof states a chain or registries other than the reader's. Such a proof is not a forgery: it neither proves nor
 * refutes the reader's value.
 */
export const isOfAnotherNetwork = (links: readonly CheckedLink[]): boolean =>
  links.some(({ link, holds }) => link === 'registries' && !holds)

const MAX_RESULTS = 2

/** Groups the links of a check by stage. An unknown link belongs to the last stage, so that its failure is shown. */
export function stagesOf(links: readonly CheckedLink[]): Stage[] {
  const stageOf = ({ link }: CheckedLink): number => {
    const index = kinds.findIndex(({ belongs }) => belongs.test(link))
    return index === -1 ? kinds.length - 1 : index
  }
  const broken = links.find(({ holds }) => !holds)
  const last = broken === undefined ? kinds.length : stageOf(broken)
  const stages = kinds.map(({ title, meaning, shows }, index) => {
    const own = links.filter((link) => stageOf(link) === index)
    const shown = own.filter(({ link, holds }) => holds && shows.test(link)).map(({ detail }) => detail)
    // After a broken link, a stage without a result may be unfinished.
    const isOpen = index > last || (index < last && broken !== undefined && shown.length === 0)
    return {
      title,
      meaning,
      links: own,
      results: shown.slice(index === ERAS ? -1 : -MAX_RESULTS),
      holds: isOpen ? null : own.every(({ holds }) => holds),
    }
  })
  // Not every proof has the attester.
  return stages.filter(({ title, links }) => title !== ATTESTER || links.length > 0)
}

const ERAS = 1
