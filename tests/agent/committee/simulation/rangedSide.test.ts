import { describe, expect, test } from 'bun:test'
import { sideLimits, sideOfFiles } from '@wattfeed/dataset/compare'
import { createRandom } from '@wattfeed/testing/random'
import { joinEntries } from '../../../../packages/dataset/src/bytes.ts'
import { decodeRanges } from '../../../../packages/dataset/src/compare/keyRange.ts'
import { TILE_WIDTH, tilePath, tileWidth } from '../../../../packages/dataset/src/tiles.ts'
import { createDatasetModel } from './datasetEia.ts'
import { type Content, contentOf, listLeaves, openContent } from './datasetLeaves.ts'

/** A snapshot of the model's EIA. */
function firstContent(): Content {
  const model = createDatasetModel({ start: 0, end: 1, random: createRandom(1), spreadsMs: [0] })
  return contentOf(model.openReplica(0, 0).codes.slice(), 0)
}

/** Opens a snapshot as files, with the package's own code. */
function openFiles({ codes, manifest }: Content) {
  const leaves = listLeaves({ codes })
  const files = new Map<string, Uint8Array>()
  for (let number = 0; number * TILE_WIDTH < manifest.size; number++) {
    const part = leaves.slice(number * TILE_WIDTH, (number + 1) * TILE_WIDTH)
    const width = tileWidth(number, manifest.size)
    files.set(tilePath(0, number, width), Buffer.concat(part.map((leaf) => leaf.hash)))
    files.set(tilePath('entries', number, width), joinEntries(part.map((leaf) => leaf.bytes)))
  }
  return sideOfFiles({ read: async (path) => files.get(path) ?? null }, manifest, { name: 'files' })
}

describe('createRangedSide', () => {
  test('default: the same answers as from files, at every level', async () => {
    const content = firstContent()
    const [model, files] = [openContent(content, 'model'), await openFiles(content)]
    let runs = [{ first: 0, past: content.manifest.size }]
    for (let level = 4; level >= 0; level--) {
      const asked = runs.slice(0, sideLimits.runs)
      const answer = await model.digestsOf(level, asked)
      expect(answer).toEqual(await files.digestsOf(level, asked))
      let first = 0
      runs = decodeRanges(answer).map(({ count }) => {
        const run = { first, past: first + count }
        first = run.past
        return run
      })
    }
    expect(runs).toHaveLength(content.manifest.size)
    expect(await model.leavesOf([0, 3, 9_999])).toEqual(await files.leavesOf([0, 3, 9_999]))
  })

  test('error: a range that the snapshot does not have, and a leaf beyond its end', async () => {
    const model = openContent(firstContent(), 'model')
    await expect(model.digestsOf(2, [{ first: 1, past: 2 }])).rejects.toThrow('does not have')
    await expect(model.leavesOf([10_000])).rejects.toThrow('names leaf 10000 of 10000')
  })
})
