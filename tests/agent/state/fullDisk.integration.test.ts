import { expect, test } from 'bun:test'
import { createFolder } from '@wattfeed/testing/folder'
import { hasSmallDisks, onSmallDisk } from '@wattfeed/testing/smallDisk'

const program = new URL('fullDisk.ts', import.meta.url).pathname

test.skipIf(!hasSmallDisks)(
  'error: a full disk: what cannot be stored may not be sent, and an outcome is recorded once there is space',
  async () => {
    using folder = createFolder()
    const child = Bun.spawn([...onSmallDisk(folder.path, '1m'), process.execPath, program, folder.path], {
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [stdout, stderr] = [
      await new Response(child.stdout).text(),
      await new Response(child.stderr).text(),
    ]
    expect([await child.exited, stderr]).toEqual([0, ''])
    const full = 'cannot be written (SQLITE_FULL): the disk is full: free some space'
    expect(JSON.parse(stdout)).toEqual([
      `claim: /wattfeed.db ${full}`,
      `write: /wattfeed.db ${full}`,
      'stored: 0',
      expect.stringMatching(/^settle: (done|\/wattfeed\.db cannot be written \(SQLITE_FULL\).*)$/),
      'stored: 0',
    ])
  },
)

test.skipIf(!hasSmallDisks)(
  'behavior: the smallest volume of docs/agent.md suffices, however much is written',
  async () => {
    const page = await Bun.file(new URL('../../../docs/agent.md', import.meta.url)).text()
    const [, smallest, log] = /volume at least (\d+) MB: .* takes up to (\d+) MB/.exec(page) ?? []
    using folder = createFolder()
    const many = new URL('manyWrites.ts', import.meta.url).pathname
    const command = [...onSmallDisk(folder.path, `${smallest}m`), process.execPath, many, folder.path]
    const child = Bun.spawn(command, { stdout: 'pipe' })
    expect(JSON.parse(await new Response(child.stdout).text()).megabytes).toBe(Number(log))
    expect(await child.exited).toBe(0)
  },
)
