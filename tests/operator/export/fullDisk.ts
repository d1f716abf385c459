/** Exports to a small disk, which fills up and is freed. Prints what happened. */
import { statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { fillDisk } from '@wattfeed/testing/fillDisk'
import { localClient } from 'wattfeed/testing/localClient'
import { createRegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { checkExport, isAsWritten } from '../../../src/operator/export/checkExport.ts'
import { checkProven, exportProven, proofPath } from '../dataProof/provenData.ts'
import { exportFrom, filesOf, modelTable, readTable } from './exported.ts'

const [, , folder = ''] = process.argv
const out = join(folder, 'data')
const chain = await createRegistryChain({ feeds: 3 })
await exportFrom(chain, out)
for (let index = 0; index < 30; index++) chain.attest(testFeedId(index % 3), { amount: BigInt(index) })
await chain.advance()

const messageOf = (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => 'done',
    (error: Error) => error.message,
  )

/** Runs while the disk has space for the lock and one part. */
async function whileFull(run: () => Promise<unknown>): Promise<string> {
  using _ = fillDisk(folder)
  const filling = join(folder, 'filling')
  truncateSync(filling, statSync(filling).size - 3 * 4_096)
  return await messageOf(run())
}

const filled = await whileFull(() => exportFrom(chain, out))
const before = isAsWritten(await checkExport({ folder: out, progress: () => {} }))
await exportFrom(chain, out)
const proofs = await whileFull(() => exportProven(chain, out))
await exportProven(chain, out)
const { dataSet } = await checkProven(chain, proofPath(out))
const table = JSON.stringify(await readTable(out))
const model = JSON.stringify(await modelTable(localClient(chain).client))
console.log(
  JSON.stringify({
    filled,
    isAsWritten: before,
    proofs,
    hasAllRows: table === model,
    isProven: dataSet?.rows === 33,
    files: filesOf(out).length,
  }),
)
