import { startWalk, takeElement } from '../../src/proof/trieWalk.ts'

/** Returns the trie's elements on the way to a key, in hex. */
export function walkElements(
  state: { element(hash: string): Uint8Array | null },
  stateRootHash: string,
  key: string,
): string[] {
  const elements: string[] = []
  let place = startWalk(Uint8Array.fromHex(stateRootHash))
  for (;;) {
    const element = state.element(place.pointer.hash.toHex())
    if (element === null) throw new Error(`the trie has no element ${place.pointer.hash.toHex()}`)
    elements.push(element.toHex())
    const next = takeElement(place, element, Uint8Array.fromHex(key))
    if (typeof next === 'string') return elements
    place = next
  }
}
