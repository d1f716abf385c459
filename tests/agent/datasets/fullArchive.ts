/** Takes snapshots on a small disk, whose archive has to make room for the newest. Prints what happened. */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { isRoot } from '@wattfeed/dataset'
import { checkSnapshot, folderFiles } from '@wattfeed/dataset/disk'
import { fillDisk } from '@wattfeed/testing/fillDisk'
import { spotRow, startDatasetApi, takeFrom } from './datasetApi.ts'

const [, , folder = ''] = process.argv
const out = join(folder, 'snapshots')

/** Takes a snapshot whose values are all new; before the step with this name, fills the disk but for some bytes. */
async function take(number: number, full: { readonly step: string; readonly left: number } | null = null) {
  // Nothing compresses them.
  const value = () => randomBytes(150).toString('hex')
  const rows = Array.from({ length: 200 }, (_, at) => spotRow('2026-11-20', `S${at}`, value()))
  await using api = startDatasetApi(rows)
  const notKept: string[] = []
  using disk = new DisposableStack()
  const { manifest } = await takeFrom(api, out, {
    ...{ keep: 1, archived: null, now: () => 1_795_000_000_000 + number },
    onProgress(step) {
      if (step.step === 'not_kept') notKept.push(...step.snapshots.map(({ root, why }) => `${root} ${why}`))
      if (step.step !== full?.step || existsSync(join(folder, 'filling'))) return
      disk.use(fillDisk(folder))
      const filling = join(folder, 'filling')
      truncateSync(filling, statSync(filling).size - full.left)
    },
  })
  return { root: manifest.root, notKept }
}

const roots: string[] = []
for (const number of [1, 2, 3]) roots.push((await take(number)).root)
// Less than a snapshot takes, but more than that with what the archive has.
const last = await take(4, { step: 'check', left: 192_000 })
const named = (text: string) => text.replace(/[0-9a-f]{64}/, (root) => `root ${roots.indexOf(root)}`)
const archive = readdirSync(join(out, 'archive'))
const { root } = await checkSnapshot(folderFiles(join(out, last.root)))
console.log(
  JSON.stringify({
    isWhole: root === last.root,
    folders: readdirSync(out).filter(isRoot).length,
    notKept: last.notKept.map(named),
    archive: archive.map(named),
  }),
)
