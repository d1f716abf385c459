// cspell:ignore wieght
import { describe, expect, test } from 'bun:test'
import { createFolder } from '@wattfeed/testing/folder'
import { MembersFileError, readMembers } from '../../src/committee/membersFile.ts'

// Public keys that we invent.
const keyOf = (digit: string): string => `01${digit.repeat(64)}`

const five = {
  thresholds: { deployment: 4, keyManagement: 4 },
  members: ['a', 'b', 'c', 'd', 'e'].map((digit) => ({ publicKey: keyOf(digit), weight: 1 })),
}

async function readFileWith(content: unknown) {
  using folder = createFolder()
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return await readMembers(folder.write('members.json', text))
}

async function ruleOf(content: unknown): Promise<string> {
  const error = await readFileWith(content).catch((error: unknown) => error)
  if (error instanceof MembersFileError) return error.rule
  throw error
}

describe('readMembers', () => {
  test('default: keys, thresholds, names, addresses and recovery', async () => {
    const vault = { publicKey: `02${'02'}${'f'.repeat(64)}`, weight: 4, name: 'vault', recovery: true }
    const north = { publicKey: keyOf('A'), weight: 1, name: 'north', address: 'https://north.example' }
    const { members, committee } = await readFileWith({
      ...five,
      members: [north, ...five.members.slice(1), vault],
    })
    expect(members[0]).toEqual({
      publicKey: keyOf('a'),
      accountHash: 'account-hash-6320ec6f164c6bfa1fd3208deb2b797dcf0177fd1de32a8a1597c29b42f73b1b',
      weight: 1,
      name: 'north',
      address: 'https://north.example',
      isRecovery: false,
    })
    expect(members.at(-1)).toMatchObject({ name: 'vault', address: null, isRecovery: true })
    expect([...committee.weights.values()]).toEqual([1, 1, 1, 1, 1, 4])
    expect([...committee.recovery]).toEqual([members.at(-1)?.accountHash ?? ''])
    expect(committee).toMatchObject({ deployment: 4, keyManagement: 4 })
  })

  const [first = { publicKey: '', weight: 0 }, ...others] = five.members
  const withFirst = (changed: object) => ({ ...five, members: [{ ...first, ...changed }, ...others] })
  const faults: [string, unknown, string][] = [
    ['text that is not JSON', '{', 'it is not JSON'],
    [
      'a weight of 0',
      withFirst({ weight: 0 }),
      'members.0.weight is 0: it must be a whole number from 1 to 254',
    ],
    [
      'a short key',
      withFirst({ publicKey: '01ab' }),
      'members.0.publicKey is "01ab": it must be a public key in hex',
    ],
    ['a field with a typo', withFirst({ wieght: 1 }), 'members.0.wieght is not a known field; remove it'],
    [
      'an address that others can read',
      withFirst({ address: 'http://north.example' }),
      'members.0.address is "http://north.example": it must be a URL that begins with https://',
    ],
    [
      'a name with characters that move the cursor',
      withFirst({ name: '\u001b[2K-north' }),
      'members.0.name is "\\u001b[2K-north": it must be up to 40 visible characters without spaces',
    ],
    [
      'a name with characters that change the reading direction',
      withFirst({ name: '\u202enorth' }),
      'it must be up to 40 visible characters without spaces',
    ],
    ['no members', { ...five, members: [] }, 'members is a list: it must be a list of 1 to 100 members'],
    [
      'a key twice',
      { ...five, members: [first, ...five.members] },
      `members.1.publicKey is ${keyOf('a')}: members.0 has it already; use another one`,
    ],
    [
      'a name twice',
      { ...five, members: five.members.map((member, index) => ({ ...member, name: `n${index % 4}` })) },
      'members.4.name is n0: members.0 has it already; use another one',
    ],
    [
      'thresholds in the wrong order',
      { ...five, thresholds: { deployment: 4, keyManagement: 3 } },
      'thresholds.deployment is 4: it must be at most thresholds.keyManagement, 3',
    ],
    [
      'thresholds that cannot be reached',
      { ...five, thresholds: { deployment: 6, keyManagement: 7 } },
      'thresholds.deployment is 6: it must be at most 5, the weight of all members without recovery keys; thresholds.keyManagement is 7: it must be at most 5, the weight of all members',
    ],
    [
      'half of the members',
      { thresholds: { deployment: 2, keyManagement: 4 }, members: five.members.slice(0, 4) },
      'thresholds.deployment is 2: it must be more than half of 4',
    ],
    [
      'weights that add up to more than the session can check',
      {
        thresholds: { deployment: 200, keyManagement: 200 },
        members: five.members.map((each) => ({ ...each, weight: 51 })),
      },
      'the weights add up to 255: they must add up to at most 254',
    ],
    [
      'a recovery key that cannot act alone',
      { ...five, members: [...others, { ...first, weight: 3, recovery: true }] },
      'members.4.weight is 3: a recovery key acts alone and needs at least thresholds.keyManagement, 4',
    ],
  ]
  test.each(faults)('error: %s', async (_, content, rule) => {
    expect(await ruleOf(content)).toContain(rule)
  })

  test('error: a file that does not exist', async () => {
    const error = await readMembers('none.json').catch((error: unknown) => error)
    expect(error).toMatchObject({
      code: 'members_file',
      message: 'none.json does not exist; name a members file',
    })
  })
})
