import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createFolder } from '@wattfeed/testing/folder'
import { openStateFile } from '../../src/disk/stateFile.ts'

const module = new URL('../../src/disk/stateFile.ts', import.meta.url).pathname
const PROCESSES = 4
const OPENS = 200

/** Opens a file of state often, and prints how often; or the error. */
const opening = (path: string) =>
  `import { openStateFile } from ${JSON.stringify(module)}
   const schema = { applicationId: 1, migrations: ['CREATE TABLE t (x)'] }
   for (let opens = 0; opens < ${OPENS}; opens++) openStateFile(${JSON.stringify(path)}, schema)[Symbol.dispose]()
   console.log(${OPENS})`

test('behavior: opening removes the locks of processes that were killed, and nothing else', () => {
  using folder = createFolder()
  const owners = `${folder.path}/owners`
  mkdirSync(owners)
  const token = () => crypto.randomUUID()
  const [killed, unnamed, copied] = [token(), token(), token()]
  writeFileSync(`${owners}/${killed}`, '7 host agent\n')
  writeFileSync(`${owners}/${killed}.db`, '')
  writeFileSync(`${owners}/${unnamed}.db`, '')
  for (const name of ['copy.db', `${copied}.db`]) {
    using database = new Database(`${owners}/${name}`)
    database.run('CREATE TABLE mine (x)')
  }
  writeFileSync(`${owners}/empty.db`, '')
  mkdirSync(`${owners}/${token()}.db`)
  const kept = new Set(readdirSync(owners)).difference(new Set([killed, `${killed}.db`, `${unnamed}.db`]))
  openStateFile(`${folder.path}/state.sqlite`, { applicationId: 1, migrations: [] })[Symbol.dispose]()
  expect(new Set(readdirSync(owners))).toEqual(kept)
})

test('behavior: of processes that start at once, none takes the new lock of another for one that was left', async () => {
  using folder = createFolder()
  const program = opening(`${folder.path}/state.sqlite`)
  const printed = await Promise.all(
    Array.from({ length: PROCESSES }, async () => {
      const child = Bun.spawn([process.execPath, '--eval', program], { stdout: 'pipe', stderr: 'pipe' })
      return (await new Response(child.stdout).text()) + (await new Response(child.stderr).text())
    }),
  )
  expect(printed).toEqual(Array(PROCESSES).fill(`${OPENS}\n`))
  expect(readdirSync(`${folder.path}/owners`)).toEqual([])
})
