import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { changeGroup } from '../../../src/operator/eligibility/group.ts'
import { readGroupFile, writeGroupFile } from '../../../src/operator/eligibility/groupFile.ts'
import { formatPublicKey } from '../../../src/operator/eligibility/publicKey.ts'
import { describeProver } from './describeProver.ts'
import { identityOf } from './identities.ts'

const fixture = new URL('../../../fixtures/eligibility/group.json', import.meta.url).pathname

/** A group of two, after one member was replaced. */
async function createGroup() {
  const [a, b, c] = await Promise.all([0, 1, 2].map(async (number) => (await identityOf(number)).publicKey))
  if (!a || !b || !c) throw new Error('there are three')
  const first = await changeGroup({ members: [], roots: [] }, { added: [a, b], removed: [] })
  return { group: await changeGroup(first, { added: [c], removed: [a] }), keys: [a, b, c] }
}

describeProver('a group file', () => {
  test('behavior: the recorded one is read as it is', async () => {
    const group = await readGroupFile(fixture)
    expect(group?.members).toHaveLength(3)
    expect(group?.roots.map(String)).toEqual([JSON.parse(readFileSync(fixture, 'utf8')).root])
  })

  test('behavior: is read back as it was written, with its earlier roots', async () => {
    using folder = createFolder()
    const path = `${folder.path}/group.json`
    expect(await readGroupFile(path)).toBeNull()
    const { group, keys } = await createGroup()
    await writeGroupFile(path, group)
    expect(await readGroupFile(path)).toEqual(group)
    const [a, b, c] = keys.map(formatPublicKey)
    const [earlier, root] = group.roots.map(String)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      depth: 16,
      root,
      members: [
        { public_key: a, added: 0, removed: 1 },
        { public_key: b, added: 0 },
        { public_key: c, added: 1 },
      ],
      earlier_roots: [earlier],
    })
  })

  test('error: contradictory content is rejected', async () => {
    using folder = createFolder()
    const { group, keys } = await createGroup()
    const [a, b, c] = keys.map((key) => ({ public_key: formatPublicKey(key), added: 0 }))
    const [earlier, root] = group.roots.map(String)
    const members = [{ ...a, removed: 1 }, b, { ...c, added: 1 }]
    const good = { depth: 16, root, members, earlier_roots: [earlier] }
    const cases: [object | string, string][] = [
      ['{', 'is not JSON'],
      [[], 'is not a group file'],
      [{ private_key: 'x' }, 'is an identity file; it was not changed'],
      [{ nullifier: '1' }, 'is a proof file; it was not changed'],
      [{ ...good, depth: 20 }, 'depth is 20: it must be 16'],
      [{ ...good, earlier_roots: undefined }, 'earlier_roots is missing: it must be a list'],
      [
        { ...good, earlier_roots: ['0'] },
        'earlier_roots.0 is "0": it must be a number above 0 and below the field’s order',
      ],
      [{ ...good, members: [12] }, 'members.0 is 12: it must be an object'],
      [{ ...good, members: [{ added: 0 }] }, 'members.0.public_key is missing: it must be a text'],
      [{ ...good, members: [{ ...a, added: 2 }] }, 'with a root that is not in the file'],
      [{ ...good, members: [{ ...a, removed: 0 }] }, 'with a root that is not in the file'],
      [
        { ...good, members: [{ public_key: '12,13', added: 0 }] },
        'the point is not on the Baby Jubjub curve',
      ],
      [{ ...good, members: [b, b] }, 'is already a member'],
      [{ ...good, members: [b] }, 'the root does not match the members'],
      [{ ...good, members: [a, b, { ...c, added: 1 }] }, 'the root does not match the members'],
      [{ ...good, root: earlier }, 'the root does not match the members'],
    ]
    for (const [content, message] of cases) {
      const path = folder.write('group.json', typeof content === 'string' ? content : JSON.stringify(content))
      expect(String(await errorOf(readGroupFile(path)))).toContain(message)
    }
  })
})
