import { expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { loadProver } from '../../../src/operator/eligibility/packages.ts'
import { createTree } from '../../../src/operator/eligibility/tree.ts'
import { runToEnd } from '../../support/program.ts'
import { describeProver } from './describeProver.ts'

describeProver('the tree of a group', () => {
  test('default: its root is that of @semaphore-protocol/group with all 65,536 leaves', async () => {
    // new Group([1n, 2n, 3n, ...Array(65_533).fill(0n)]).root, which takes half a minute.
    const { root } = await createTree([1n, 2n, 3n])
    expect(root).toBe(11397113127042759377329521018964827364778122266531915391172612913853570517131n)
  })

  test.each([1, 2, 3, 5, 16, 33])(
    'behavior: of %p members, each has a path of all 16 levels to the root, and none is below a leaf',
    async (count) => {
      const { poseidon2 } = await loadProver()
      const leaves = Array.from({ length: count }, (_, index) => BigInt(index + 1) ** 7n)
      const tree = await createTree(leaves)
      for (const [place, leaf] of leaves.entries()) {
        const { index, siblings } = tree.pathOf(leaf) ?? { index: -1, siblings: [] }
        const root = siblings.reduce(
          (node, sibling, level) =>
            (index >> level) % 2 === 0 ? poseidon2([node, sibling]) : poseidon2([sibling, node]),
          leaf,
        )
        expect([index, siblings.length, root]).toEqual([place, 16, tree.root])
      }
      expect(tree.pathOf(5n)).toBeNull()
    },
  )

  test('behavior: empty places change nothing', async () => {
    expect((await createTree([7n, 0n, 0n])).root).toBe((await createTree([7n])).root)
    expect((await createTree([])).root).toBe((await createTree([0n, 0n])).root)
  })

  test('behavior: creating a tree does not load the prover', async () => {
    const path = fileURLToPath(new URL('../../../src/operator/eligibility/tree.ts', import.meta.url))
    const program = `const { createTree } = await import(${JSON.stringify(path)})
await createTree([1n])
console.log('curve_bn128' in globalThis)`
    expect(await runToEnd([process.execPath, '-e', program], {})).toEqual({
      exitCode: 0,
      stdout: 'false\n',
      stderr: '',
    })
  })
})
