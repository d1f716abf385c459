import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { MIN_PAYMENT_MOTES } from '@wattfeed/casper/types'
import type { Leaf } from '@wattfeed/dataset'
import { folderFiles } from '@wattfeed/dataset/disk'
import { createEiaClient } from '@wattfeed/eia'
import { findDataset } from '@wattfeed/eia/catalog'
import { answerEia } from '@wattfeed/eia/internal'
import { createFolder } from '@wattfeed/testing/folder'
import { createContractProof, openSnapshot, type Snapshot } from 'wattfeed/series'
import { takeSnapshot } from '../../../src/agent/datasets/takeSnapshot.ts'
import { demoDatasets } from '../../../src/demo/demoDatasets.ts'
import { createUpstream } from '../../../src/demo/standIn/upstream.ts'
import { readBoardState } from '../../../src/operator/series/boardState.ts'
import { scaleValue } from '../../../src/operator/series/scaleValue.ts'
import { createPutCall } from '../../../src/operator/series/submitPut.ts'
import { createBoardWorld, documentOf } from '../../operator/series/boardWorld.ts'

/** Of each of the demo's two datasets. */
const VALUES = 10

/** Takes snapshots of the demo's datasets as its agent does. Their values are invented, but for those of recorded rows. */
async function takeDemo(folder: string): Promise<Snapshot[]> {
  const { api } = createUpstream([])
  const fetch = async (url: string) => Response.json(answerEia(api, new URL(url)).body)
  const eia = createEiaClient({ baseUrl: 'http://localhost', apiKey: 'any', requestsPerSecond: 1_000, fetch })
  const snapshots: Snapshot[] = []
  for (const { route, frequency, feed_id, dataset } of demoDatasets) {
    const { columns = [], periods = null } = dataset
    const out = join(folder, feed_id)
    const facets = findDataset(route)?.facets ?? []
    const asked = { route, frequency, columns, periods }
    const { manifest } = await takeSnapshot({ eia, dataset: asked, facets, out, now: Date.now })
    const snapshot = await openSnapshot(folderFiles(join(out, manifest.root)))
    if (snapshot !== null) snapshots.push(snapshot)
  }
  return snapshots
}

/** Some leaves in the order of the tree, from its first to its last. */
const someOf = ({ manifest, leafAt }: Snapshot): Promise<Leaf[]> =>
  Promise.all(
    Array.from({ length: VALUES }, (_, at) => leafAt(Math.round((at * (manifest.size - 1)) / (VALUES - 1)))),
  )

test('default: a board on the embedded chain verifies values of the demo’s datasets, and keeps each', async () => {
  using folder = createFolder()
  const snapshots = await takeDemo(folder.path)
  await using world = await createBoardWorld(snapshots.map(({ manifest }) => manifest))
  let verified = 0
  for (const snapshot of snapshots) {
    expect(snapshot.manifest.size).toBeGreaterThan(7_000)
    for (const { value, ...leaf } of await someOf(snapshot)) {
      const proof = createContractProof(await documentOf(snapshot, leaf))
      const pin = { board: world.board, unit: leaf.unit, decimals: 6, paymentMotes: MIN_PAYMENT_MOTES }
      const call = createPutCall(proof, pin)
      expect(await world.call(world.bob, world.board, call.entryPoint, call.args)).toBeNull()
      const { kept } = await readBoardState(world.rpc, call)
      expect(kept).toMatchObject({
        ...{ period: leaf.period, root: snapshot.manifest.root, decimals: 6 },
        value: scaleValue(value ?? '', 6),
      })
      verified += 1
    }
  }
  expect(verified).toBe(20)
})
