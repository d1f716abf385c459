/** Takes snapshots on a small disk, which fills up and is freed. Prints what happened. */
import { readdirSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { fillDisk } from '@wattfeed/testing/fillDisk'
import { rootOf, spotRows, startDatasetApi, takeFrom } from './datasetApi.ts'

const [, , folder = ''] = process.argv
const out = join(folder, 'snapshots')
const series = Array.from({ length: 40 }, (_, number) => `S${number}`)
const rows = spotRows([20, 19, 18, 17, 16, 15], series)
await using api = startDatasetApi(rows, { maxRows: 100 })

/** Takes a snapshot, and returns the names that it leaves and the error; fills the disk before the step with this number. */
async function takeWhileFull(at: number) {
  let steps = 0
  using full = new DisposableStack()
  const fill = () => {
    full.use(fillDisk(folder))
    const filling = join(folder, 'filling')
    // Space for the lock.
    truncateSync(filling, statSync(filling).size - 2 * 4_096)
  }
  if (at === 0) fill()
  const onProgress = () => {
    steps += 1
    if (steps === at) fill()
  }
  const error = await takeFrom(api, out, { onProgress }).then(
    () => 'done',
    ({ message }: Error) => message.replaceAll(folder, ''),
  )
  return { error, snapshots: readdirSync(out).filter((name) => !name.startsWith('stage.sqlite')) }
}

const reading = await takeWhileFull(0)
const writing = await takeWhileFull(3)
const { manifest, said } = await takeFrom(api, out)
const isRight = manifest.root === (await rootOf(rows))
console.log(JSON.stringify({ reading, writing, said, isRight, left: readdirSync(out).length }))
