/** Writes into a state file for as long as it takes until SQLite's log no longer grows. Argument: the folder. */
import { statSync } from 'node:fs'
import { recordRegistered } from '../../../src/agent/state/newState.ts'
import { openState } from '../../../src/agent/state/openState.ts'

const [folder = ''] = process.argv.slice(2)
using file = openState(folder, { purpose: 'test' })
const log = `${file.path}-wal`
let [size, unchanged] = [0, 0]
for (let feed = 0; unchanged < 1_000; feed += 1) {
  file.write(() => recordRegistered(file, { chainName: 'casper', contract: 'ab' }, `EIA.FEED${feed}`))
  unchanged = statSync(log).size === size ? unchanged + 1 : 0
  size = statSync(log).size
}
console.log(JSON.stringify({ megabytes: Math.ceil(size / 1_000_000) }))
