/** Returns the BLAKE2b-256 hash of parts, one after another: the hash of everything on a chain. */
export function blake2b(...parts: readonly Uint8Array[]): Uint8Array {
  const hasher = new Bun.CryptoHasher('blake2b256')
  for (const part of parts) hasher.update(part)
  return new Uint8Array(hasher.digest())
}
