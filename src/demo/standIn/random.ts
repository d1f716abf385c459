/** Returns a generator of uniform numbers in [0, 1). Those of one text do not depend on others. */
export function randomOf(text: string): () => number {
  let state = 1 + (Bun.hash.murmur32v3(text) % MAX_STATE)
  return () => {
    // The multiplier and modulus of Park and Miller.
    state = (state * 48_271) % (MAX_STATE + 1)
    return state / (MAX_STATE + 1)
  }
}

const MAX_STATE = 2_147_483_646

/** Returns a number from 0 to 1 that depends on a text only. */
export const fractionOf = (text: string): number => Bun.hash.murmur32v3(text) / 2 ** 32
