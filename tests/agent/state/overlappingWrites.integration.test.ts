import { expect, test } from 'bun:test'
import { createFolder } from '@wattfeed/testing/folder'
import { hasPidNamespaces, inPidNamespace } from '@wattfeed/testing/pidNamespace'
import { openState } from '../../../src/agent/state/openState.ts'

const program = new URL('writingProcess.ts', import.meta.url).pathname
const EACH = 250

/** Two processes of this machine, and two of containers, where each has the process id 1 if that is possible here. */
const processes = ['A', 'B', 'C', 'D'].map((name, index) => ({
  name,
  before: index < 2 || !hasPidNamespaces ? [] : inPidNamespace,
}))

test('behavior: of 1,000 overlapping writes of four processes, none is lost or doubled', async () => {
  using folder = createFolder()
  const settled = await Promise.all(
    processes.map(async ({ name, before }) => {
      const command = [...before, process.execPath, program, folder.path, name, `${EACH}`]
      const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' })
      const [stdout, stderr] = [
        await new Response(child.stdout).text(),
        await new Response(child.stderr).text(),
      ]
      expect([await child.exited, stderr]).toEqual([0, ''])
      return JSON.parse(stdout) as string[]
    }),
  )
  using file = openState(folder.path, { purpose: 'test' })
  const recorded = file.database
    .query<{ hash: string }, []>('SELECT transaction_hash AS hash FROM sent_value')
    .all()
  expect(recorded.map(({ hash }) => hash).toSorted()).toEqual(settled.flat().toSorted())
  expect(recorded).toHaveLength(processes.length * EACH)
  const count = (table: string) =>
    file.database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n
  expect(['pending', 'pending_key', 'held_key', 'destination'].map(count)).toEqual([0, 0, 0, 1])
  expect(count('reservation')).toBe(processes.length * EACH)
  expect(file.database.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
})
