import { describe, expect, test } from 'bun:test'
import { accountHashOfHex, formatAccountHash } from '@wattfeed/casper/types'
import { createFolder } from '@wattfeed/testing/folder'
import { readPeers } from '../../../src/agent/committee/readPeers.ts'
import { MembersFileError } from '../../../src/committee/membersFile.ts'

// Public keys that we invent.
const keyOf = (digit: string): string => `01${digit.repeat(64)}`
const hashOf = (digit: string): string => formatAccountHash(accountHashOfHex(keyOf(digit)))

const memberOf = (digit: string, changed: object = {}): object => ({
  publicKey: keyOf(digit),
  weight: 1,
  name: digit,
  address: `https://${digit}.example`,
  ...changed,
})

const read = async (members: readonly object[], keyHash: string) => {
  using folder = createFolder()
  const thresholds = { deployment: 2, keyManagement: 2 }
  return await readPeers(folder.write('members.json', JSON.stringify({ thresholds, members })), keyHash)
}

describe('readPeers', () => {
  test('default: the members that take turns, and the others with their addresses', async () => {
    const vault = memberOf('d', { weight: 2, recovery: true, address: undefined })
    const c = memberOf('c', { name: undefined })
    const own = memberOf('a', { address: undefined })
    expect(await read([own, memberOf('b'), c, vault], hashOf('a'))).toEqual({
      members: [hashOf('a'), hashOf('b'), hashOf('c')],
      peers: [
        { accountHash: hashOf('b'), publicKey: keyOf('b'), name: 'b', address: 'https://b.example' },
        { accountHash: hashOf('c'), publicKey: keyOf('c'), name: hashOf('c'), address: 'https://c.example' },
      ],
      recovery: new Set([hashOf('d')]),
    })
  })

  test('error: a file without this member, and members without address', async () => {
    const members = [memberOf('a'), memberOf('b', { address: undefined }), memberOf('c')]
    const error = await read(members, hashOf('d')).catch((error: unknown) => error)
    if (!(error instanceof MembersFileError)) throw error
    expect(error.rule).toBe(
      `lists no member with the key of ATTESTER_KEY_PATH, whose account hash is ${hashOf('d')}; add it; has no members.1.address: COMMITTEE_PEERS needs the address of each member's agent`,
    )
  })
})
