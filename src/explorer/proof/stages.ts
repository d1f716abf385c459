import type { CheckedLink } from '../../client/index.ts'

/** A stage of the way from the trusted block to the value. */
export interface Stage {
  readonly title: string
  /** Why it is there, in words. */
  readonly meaning: string
  readonly links: readonly CheckedLink[]
  /** Whether all its links hold; null if the check never came here. */
  readonly holds: boolean | null
}

const stages: readonly [title: string, meaning: string, belongs: RegExp][] = [
  [
    'Your trusted block',
    'The hash that you gave, of a block that names the next validators.',
    /^(registries|trusted block)$/,
  ],
  [
    'Eras',
    'Each era’s last block is signed by more than two thirds of the weight that the one before names.',
    /^switch block/,
  ],
  [
    'Signatures',
    'The block is signed by more than two thirds of its era’s weight.',
    /^(block|finality signatures.*|age)$/,
  ],
  [
    'Registries',
    'Merkle proofs lead from the block’s state root to both contracts.',
    / (package|version|contract)$/,
  ],
  [
    'Items',
    'Merkle proofs lead from the state root to the feed and to its value.',
    / feeds?\b| latest\b|history/,
  ],
  ['Value', 'What the server showed is exactly what is proven.', /^reading$/],
]

/** Groups the links of a check by stage; a link that no stage names belongs to the items. */
export function stagesOf(links: readonly CheckedLink[]): Stage[] {
  const stageOf = ({ link }: CheckedLink): number => {
    const index = stages.findIndex(([, , belongs]) => belongs.test(link))
    return index === -1 ? ITEMS : index
  }
  const broken = links.find(({ holds }) => !holds)
  const last = broken === undefined ? stages.length : stageOf(broken)
  return stages.map(([title, meaning], index) => {
    const own = links.filter((link) => stageOf(link) === index)
    return { title, meaning, links: own, holds: index > last ? null : own.every(({ holds }) => holds) }
  })
}

const ITEMS = 4
