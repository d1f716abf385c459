export function blake2b(...parts: readonly Uint8Array[]): Uint8Array {
  const hasher = new Bun.CryptoHasher('blake2b256')
  for (const part of parts) hasher.update(part)
  return new Uint8Array(hasher.digest())
}
