/** A process that archives values, one call each, and prints what became of them. Arguments: the file, the values. */
import { createArchive } from '../../../src/agent/send/archive.ts'
import { attestedOf, silent } from './archivedSources.ts'

const [path = '', ...values] = process.argv.slice(2)
using archive = createArchive(path, { log: silent })
for (const value of values) {
  await archive.append([attestedOf(value)])
  console.log(`archived ${value}`)
}
