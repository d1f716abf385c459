import { InvalidArgumentError } from 'commander'
import { formatAccountHash } from '../../casper/types/account.ts'
import { accountHashOfHex } from '../../casper/types/accountHash.ts'

export function parseKeys(text: string, earlier: readonly string[] = []): string[] {
  const key = text.toLowerCase()
  if (/^account-hash-[0-9a-f]{64}$/.test(key)) return [...earlier, key]
  if (/^(01[0-9a-f]{64}|02[0-9a-f]{66})$/.test(key))
    return [...earlier, formatAccountHash(accountHashOfHex(key))]
  throw new InvalidArgumentError('It must be account-hash-… or a public key in hex.')
}
