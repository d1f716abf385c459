/** Returns the blake2b-256 of the concatenated parts: the chain's own hash. */
export function blake2b(...parts: readonly Uint8Array[]): Uint8Array {
  const hasher = new Bun.CryptoHasher('blake2b256')
  for (const part of parts) hasher.update(part)
  return new Uint8Array(hasher.digest())
}
