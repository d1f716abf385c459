/** What a URef may be used for: bits of its last byte. */
export const accessRights = { none: 0, read: 1, write: 2, add: 4, all: 7 } as const

const names: readonly [number, string][] = [
  [accessRights.read, 'READ'],
  [accessRights.add, 'ADD'],
  [accessRights.write, 'WRITE'],
]

/** Rights as the node's errors name them: `READ_ADD_WRITE`, `NONE`. */
export function formatAccessRights(rights: number): string {
  const held = names.filter(([bit]) => (rights & bit) !== 0).map(([, name]) => name)
  return held.length === 0 ? 'NONE' : held.join('_')
}
