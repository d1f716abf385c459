// cspell:ignore pwrite
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { loadFeeds } from '../../../src/feeds/file/loadFeeds.ts'
import { createAgentBench } from '../run/agentBench.ts'

const isThere = Bun.spawnSync(['sh', '-c', 'strace -f true']).exitCode === 0
const canTrace = isThere || process.env.REQUIRE_STRACE === '1'

/** The calls that write and sync files, and that write to sockets. */
const CALLS = 'fsync,fdatasync,pwrite64,write,writev,sendto,sendmsg'

/** Where a call has ended: a later line of its thread, if other threads made calls meanwhile. */
function endOf(lines: readonly string[], index: number): number {
  const line = lines[index] ?? ''
  if (!line.includes('<unfinished')) return index
  const [thread = ''] = line.split(' ')
  return lines.findIndex(
    (each, at) => at > index && each.startsWith(`${thread} `) && each.includes('resumed>'),
  )
}

test.skipIf(!canTrace)(
  'behavior: what is signed is synced to the disk before the first byte of it leaves, by the system calls',
  async () => {
    await using bench = await createAgentBench({ feeds: (await loadFeeds(null)).slice(0, 2) })
    const trace = `${bench.folder.path}/trace`
    const child = Bun.spawn(
      [
        'strace',
        '-f',
        '-y',
        '-s',
        '4000',
        '-e',
        `trace=${CALLS}`,
        '-o',
        trace,
        ...bench.command,
        '--once',
        '--json',
      ],
      {
        env: { PATH: process.env.PATH ?? '', ...bench.settings },
        cwd: bench.folder.path,
        stdout: 'pipe',
        stderr: 'pipe',
      },
    )
    expect(await child.exited).toBe(0)
    expect(bench.chain.sent).toHaveLength(1)
    const [hash = ''] = bench.chain.sent
    const lines = readFileSync(trace, 'utf8').split('\n')
    const sent = lines.findIndex((line) => line.includes('account_put_transaction'))
    const log = lines.map((line) => (/(\w+)\(\d+<[^>]*wattfeed\.db-wal>/.exec(line) ?? [])[1] ?? null)
    const written = lines.findLastIndex(
      (line, index) => index < sent && log[index] === 'pwrite64' && line.includes(hash.slice(0, 20)),
    )
    expect([written > -1, written < sent]).toEqual([true, true])
    const lastWrite = log.lastIndexOf('pwrite64', sent)
    const synced = log.findIndex(
      (call, index) => index > lastWrite && (call === 'fdatasync' || call === 'fsync'),
    )
    const syncEnd = endOf(lines, synced)
    // The commit's last page is written, then synced, then the transaction leaves.
    expect([lastWrite >= written, synced > lastWrite, syncEnd >= synced, syncEnd < sent]).toEqual(
      Array(4).fill(true),
    )
  },
)
