import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { createFolder } from '@wattfeed/testing/folder'
import { openState } from '../../../src/agent/state/openState.ts'
import { statePath } from '../../support/state.ts'

const page = await Bun.file(new URL('../../../docs/agent.md', import.meta.url)).text()
const [, backup = ''] = /sqlite3 wattfeed\.db "(VACUUM INTO '[^']+')"/.exec(page) ?? []
const [, steps = ''] = /\*\*Restore\.\*\*[\s\S]*?```sh\n([\s\S]*?)```/.exec(page) ?? []

const writer = new URL('registeringProcess.ts', import.meta.url).pathname

/** The feeds that a folder's programs have registered. */
function readFeeds(folder: string): string[] {
  using file = openState(folder, { purpose: 'test' })
  return file.database
    .query<{ feed_id: string }, []>('SELECT feed_id FROM registered_feed ORDER BY feed_id')
    .all()
    .map(({ feed_id }) => feed_id)
}

/** Backs up a folder while a program writes into it, which is killed later and leaves its log. Returns the copy's path. */
async function backUpThenKill(folder: string): Promise<string> {
  const copy = `${folder}/copy.db`
  const child = Bun.spawn([process.execPath, writer, folder], { stdin: 'pipe', stdout: 'pipe' })
  const said = child.stdout.getReader()
  await said.read()
  {
    using database = new Database(statePath(folder))
    // The log has only what was written since, as in any file that is in use for long.
    database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    database.run(backup.replace(/'[^']+'/, `'${copy}'`))
  }
  child.stdin.write('on')
  child.stdin.flush()
  await said.read()
  child.kill('SIGKILL')
  await child.exited
  return copy
}

test('behavior: the steps of docs/agent.md restore a copy; without them, the log that was left damages it', async () => {
  using folder = createFolder()
  const copy = await backUpThenKill(folder.path)
  expect(existsSync(`${statePath(folder.path)}-wal`)).toBe(true)
  const careless = `${folder.path}/careless`
  mkdirSync(careless)
  copyFileSync(`${statePath(folder.path)}-wal`, `${statePath(careless)}-wal`)
  copyFileSync(copy, statePath(careless))
  expect(() => readFeeds(careless)).toThrow('is damaged')
  const shell = Bun.spawnSync(['sh', '-ec', steps], {
    env: { PATH: process.env.PATH ?? '', AGENT_STATE_DIR: folder.path, COPY: copy },
  })
  expect([shell.stderr.toString(), shell.exitCode]).toEqual(['', 0])
  expect(statSync(statePath(folder.path)).mode & 0o777).toBe(0o600)
  expect(readFeeds(folder.path)).toEqual(['EIA.BEFORE'])
  // Nothing is lost if the copy is not what was wanted.
  expect(readdirSync(`${folder.path}/old`)).toContain('wattfeed.db-wal')
  expect(readFeeds(`${folder.path}/old`)).toContain('EIA.AFTER.1')
})
