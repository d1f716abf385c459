import { describe, expect, test } from 'bun:test'
import { errorOf } from '@wattfeed/testing/errorOf'
import hiddenTree from '../../../fixtures/eligibility/hiddenTree.json'
import { ORDER } from '../../../src/operator/eligibility/fieldElement.ts'
import { changeGroup, leavesOf, rootsOfRemoved } from '../../../src/operator/eligibility/group.ts'
import { formatPublicKey, parsePublicKeys } from '../../../src/operator/eligibility/publicKey.ts'
import { describeProver } from './describeProver.ts'
import { identityOf } from './identities.ts'

const [publicKey = '', keyThatHides = ''] = hiddenTree.public_keys
const [x = '', y = ''] = publicKey.split(',')

describe('parsePublicKeys', () => {
  test('default: in decimal or in hex', async () => {
    const hex = [x, y].map((text) => `0x${BigInt(text).toString(16)}`).join(',')
    expect(await parsePublicKeys([publicKey, hex])).toEqual([
      [BigInt(x), BigInt(y)],
      [BigInt(x), BigInt(y)],
    ])
  })

  test('error: a commitment, which may hide a whole tree of identities', async () => {
    expect(await errorOf(parsePublicKeys([publicKey, hiddenTree.commitment]))).toMatchObject({
      reason: 'public_key',
      message: `${hiddenTree.commitment} is not a public key: a commitment may hide a whole tree of identities; use the public key that "identity <file>" shows to its holder`,
    })
  })

  test.each([
    ['', 'give x,y'],
    ['abc', 'give x,y'],
    [`${x},`, 'give x,y'],
    [`${x},${y},${y}`, 'give x,y'],
    [`${x} ${y}`, 'give x,y'],
    [`${x},0`, 'give x,y'],
    [`0,1`, 'give x,y'],
    [`${x},${BigInt(y) + ORDER}`, 'give x,y'],
    [`-${x},${y}`, 'give x,y'],
    [`${y},${x}`, 'the point is not on the Baby Jubjub curve'],
    // EIP-2494's generator of the whole curve.
    [
      '995203441582195749578291179787384436505546430278305826713579947235728471134,5472060717959818805561601436314318772137091100104008585924551046643952123905',
      'the point is not in the prime-order subgroup',
    ],
  ])('error: %p', async (text, message) => {
    expect(await errorOf(parsePublicKeys([text]))).toMatchObject({
      reason: 'public_key',
      message: expect.stringContaining(`is not a public key: ${message}`),
    })
  })
})

describeProver('changeGroup', () => {
  const none = { members: [], roots: [] }
  const keyOf = async (number: number) => (await identityOf(number)).publicKey

  test('default: a leaf is the identity’s commitment; a removed member leaves 0 in its place', async () => {
    const [a, b] = [await identityOf(0), await identityOf(1)]
    const first = await changeGroup(none, { added: [a.publicKey, b.publicKey], removed: [] })
    expect(leavesOf(first.members)).toEqual([a.commitment, b.commitment])
    const second = await changeGroup(first, { added: [], removed: [a.publicKey] })
    expect(leavesOf(second.members)).toEqual([0n, b.commitment])
    expect(second.roots).toEqual([...first.roots, second.roots[1] ?? 0n])
  })

  test('behavior: the roots that admit a removed member are those since it was added, until it was removed', async () => {
    const [a, b, c] = [await keyOf(0), await keyOf(1), await keyOf(2)]
    let group = await changeGroup(none, { added: [a], removed: [] })
    group = await changeGroup(group, { added: [b], removed: [] })
    group = await changeGroup(group, { added: [c], removed: [] })
    expect(rootsOfRemoved(group)).toEqual([])
    group = await changeGroup(group, { added: [], removed: [b] })
    expect(rootsOfRemoved(group)).toEqual(group.roots.slice(1, 3))
    // An identity that is a member again may prove with any of them.
    expect(rootsOfRemoved(await changeGroup(group, { added: [b], removed: [] }))).toEqual([])
  })

  test('behavior: the order of the members decides on the root', async () => {
    const [a, b] = [await keyOf(0), await keyOf(1)]
    const [one, other] = [
      await changeGroup(none, { added: [a, b], removed: [] }),
      await changeGroup(none, { added: [b, a], removed: [] }),
    ]
    expect(one.roots).not.toEqual(other.roots)
  })

  test('behavior: a group with a key that hides a tree is the one that the attack was recorded with', async () => {
    expect(keyThatHides.split(',')[0]).toBe(hiddenTree.commitment)
    const added = await parsePublicKeys(hiddenTree.public_keys)
    const { roots } = await changeGroup(none, { added, removed: [] })
    // tests/devnet/rules/hiddenTree.test.ts claims with the circuit's proofs for this root.
    expect(roots.map(String)).toEqual([hiddenTree.filled.root])
  })

  test('error: a member twice, one that is invalid, and more than the tree has leaves', async () => {
    const [a, b] = [await keyOf(0), await keyOf(1)]
    const group = await changeGroup(none, { added: [a], removed: [] })
    const refusal = async (added: (typeof a)[], removed: (typeof a)[]) =>
      (await errorOf(changeGroup(group, { added, removed }))).message
    expect(await refusal([a], [])).toBe(`${formatPublicKey(a)} is already a member; leave it out`)
    expect(await refusal([b, b], [])).toBe(`${formatPublicKey(b)} is already a member; leave it out`)
    expect(await refusal([], [b])).toBe(`${formatPublicKey(b)} is not a member; leave it out`)
    const [member] = group.members
    if (member === undefined) throw new Error('there is one')
    const places = Array.from({ length: 2 ** 16 }, () => ({ ...member, removed: 1 }))
    const full = { members: places, roots: [1n, 2n] }
    expect((await errorOf(changeGroup(full, { added: [b], removed: [] }))).message).toContain(
      '65537 members exceed the limit of 65536',
    )
  })
})
