import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { createFolder } from '../../../../tests/support/folder.ts'

const module = new URL('../../src/disk/stateFile.ts', import.meta.url).pathname
const PROCESSES = 4
const OPENS = 200

/** Opens a file of state often, and prints how often; or the error. */
const opening = (path: string) =>
  `import { openStateFile } from ${JSON.stringify(module)}
   const schema = { applicationId: 1, migrations: ['CREATE TABLE t (x)'] }
   for (let opens = 0; opens < ${OPENS}; opens++) openStateFile(${JSON.stringify(path)}, schema)[Symbol.dispose]()
   console.log(${OPENS})`

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
