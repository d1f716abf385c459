import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { ORDER } from '../../contracts/prover/fieldElement.ts'
import {
  addMembers,
  parseCommitments,
  readGroupFile,
  rootOf,
  writeGroupFile,
} from '../../contracts/prover/groupFile.ts'
import { loadProver } from '../../contracts/prover/packages.ts'
import { createFolder } from '../agent/support/keys.ts'
import { errorOf } from '../support/errorOf.ts'
import { describeProver } from './support.ts'

const fixture = new URL('../../fixtures/eligibility/group.json', import.meta.url).pathname

describeProver('a group file', () => {
  test('default: its root is that of @semaphore-protocol/group', async () => {
    const { Group } = await loadProver()
    for (const count of [1, 2, 3, 5, 16, 33]) {
      const members = Array.from({ length: count }, (_, index) => BigInt(index + 1) ** 7n)
      expect(await rootOf(members)).toBe(new Group(members).root)
    }
  })

  test('behavior: the recorded one is read as it is', async () => {
    const members = await readGroupFile(fixture)
    expect(members).toHaveLength(3)
    expect((await rootOf(members ?? [])).toString()).toBe(JSON.parse(readFileSync(fixture, 'utf8')).root)
  })

  test('behavior: is read back as it was written', async () => {
    using folder = createFolder()
    const path = `${folder.path}/group.json`
    expect(await readGroupFile(path)).toBeNull()
    const root = await writeGroupFile(path, [5n, 3n, ORDER - 1n])
    expect(await readGroupFile(path)).toEqual([5n, 3n, ORDER - 1n])
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      depth: 16,
      root: root.toString(),
      members: ['5', '3', (ORDER - 1n).toString()],
    })
  })

  test('behavior: the order of the members decides on the root', async () => {
    expect(await rootOf([1n, 2n])).not.toBe(await rootOf([2n, 1n]))
  })

  test('error: what contradicts itself is refused', async () => {
    using folder = createFolder()
    const root = (await rootOf([1n, 2n])).toString()
    const good = { depth: 16, root, members: ['1', '2'] }
    const cases: [object | string, string][] = [
      ['{', 'is not JSON'],
      [[], 'its depth is not 16'],
      [{ ...good, depth: 20 }, 'its depth is not 16'],
      [{ ...good, members: [1, 2] }, 'its members are not a list of texts'],
      [{ ...good, members: ['1', '2', '3'] }, 'its root is not that of its members'],
      [{ ...good, root: `${BigInt(root) + 1n}` }, 'its root is not that of its members'],
      [{ ...good, members: ['1', '1'] }, '1 is a member already'],
      [{ ...good, members: ['0'] }, '0 is not a commitment'],
    ]
    for (const [content, message] of cases) {
      const path = folder.write('group.json', typeof content === 'string' ? content : JSON.stringify(content))
      expect(String(await errorOf(readGroupFile(path)))).toContain(message)
    }
  })

  test('error: duplicates, and more members than the tree has leaves', () => {
    expect(() => addMembers([1n], [2n, 1n])).toThrow('1 is a member already')
    expect(() => addMembers([], [2n, 2n])).toThrow('2 is a member already')
    const full = Array.from({ length: 2 ** 16 }, (_, index) => BigInt(index + 1))
    expect(addMembers([], full)).toHaveLength(2 ** 16)
    expect(() => addMembers(full, [2n ** 20n])).toThrow('a group holds 65536 members at most, not 65537')
  })

  test.each(['', '0', 'abc', '-1', '0x', '1e3', ORDER.toString()])(
    'error: %p is not a commitment',
    (text) => {
      expect(() => parseCommitments(['1', text])).toThrow('is not a commitment')
    },
  )
})
