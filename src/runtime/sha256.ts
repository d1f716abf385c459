export const sha256Hex = (content: string | Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(content).digest('hex')
