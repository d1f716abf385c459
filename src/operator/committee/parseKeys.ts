import { InvalidArgumentError } from 'commander'
import { accountHashOfText, formatAccountHash } from '../../casper/types/accountHash.ts'

export function parseKeys(text: string, earlier: readonly string[] = []): string[] {
  const hash = accountHashOfText(text)
  if (hash === null) throw new InvalidArgumentError('It must be account-hash-… or a public key in hex.')
  return [...earlier, formatAccountHash(hash)]
}
