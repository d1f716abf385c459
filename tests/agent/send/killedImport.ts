/** A process that imports an archive and is killed. Arguments: the file, and the step at which it dies. */
import { linkSync, renameSync } from 'node:fs'
import { importArchive } from '../../../src/agent/send/importArchive.ts'
import { silent } from './archivedSources.ts'

const [path = '', lethal] = process.argv.slice(2)

function dieAt(step: string): void {
  if (step === lethal) process.kill(process.pid, 'SIGKILL')
}

await importArchive(path, {
  log: silent,
  link(file, name) {
    dieAt('built')
    linkSync(file, name)
    dieAt('linked')
  },
  rename(file, name) {
    renameSync(file, name)
    dieAt('renamed')
  },
})
