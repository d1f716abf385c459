const SIGMA = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const

/** Indices of a double round: the columns of the state, then its diagonals. */
const quarters = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const

/** Returns a 64-byte block of the ChaCha20 keystream (RFC 8439) for a 32-byte key and a nonce of zeros. */
export function chaCha20Block(key: Uint8Array, counter: number): Uint8Array {
  const words = new DataView(key.buffer, key.byteOffset, key.byteLength)
  const initial = Uint32Array.of(
    ...SIGMA,
    ...Array.from({ length: 8 }, (_, index) => words.getUint32(4 * index, true)),
    ...[counter, 0, 0, 0],
  )
  const state = initial.slice()
  for (let round = 0; round < 20; round += 2) for (const quarter of quarters) mix(state, quarter)
  const block = new DataView(new ArrayBuffer(64))
  state.forEach((word, index) => {
    block.setUint32(4 * index, word + (initial[index] ?? 0), true)
  })
  return new Uint8Array(block.buffer)
}

function mix(state: Uint32Array, [a, b, c, d]: (typeof quarters)[number]): void {
  add(state, a, b, d, 16)
  add(state, c, d, b, 12)
  add(state, a, b, d, 8)
  add(state, c, d, b, 7)
}

/** Applies one of the four steps of a quarter round: adds a word to another, XORs the sum into a third and rotates it. */
function add(state: Uint32Array, to: number, from: number, rotated: number, bits: number): void {
  const sum = ((state[to] ?? 0) + (state[from] ?? 0)) >>> 0
  const mixed = ((state[rotated] ?? 0) ^ sum) >>> 0
  state[to] = sum
  state[rotated] = (mixed << bits) | (mixed >>> (32 - bits))
}
