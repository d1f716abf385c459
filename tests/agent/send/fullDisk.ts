/** A process whose archive's disk is full for the second value. Argument: an empty folder, where a small disk is mounted. */
import { rmSync, writeFileSync } from 'node:fs'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createArchive } from '../../../src/agent/send/archive.ts'
import { readSources } from '../../../src/agent/send/archiveDatabase.ts'
import { attestedOf, silent } from './archivedSources.ts'

const [folder = ''] = process.argv.slice(2)
const path = `${folder}/archive.db`
const filler = `${folder}/filler`

/** Writes until nothing fits any more. */
function fill(): void {
  for (const bytes of [4_096, 1])
    try {
      for (;;) writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' })
    } catch {}
}

using archive = createArchive(path, { log: silent })
await archive.append([attestedOf('1')])
fill()
// Larger than what is left of the file's last page.
const many = Array.from({ length: 100 }, (_, index) => attestedOf(`2.${index}`))
const failed = await errorOf(archive.append(many))
const kept = readSources(path).size
rmSync(filler)
await archive.append(many)
console.log(JSON.stringify({ message: failed.message, kept, later: readSources(path).size }))
