import { describe, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { callRpc } from '@wattfeed/casper-devnet/testing/callRpc'
import { createFolder } from '@wattfeed/testing/folder'
import { nextLook } from '../support/nextLook.ts'
import { freePort, takePort } from '../support/ports.ts'
import { runToEnd } from '../support/program.ts'
import { demo, portIsFree } from './demoProcess.ts'

/** The demo as the leader of a process group, as a shell starts it, with its own folder for temporary files. */
async function startGroup() {
  const [port, devnetPort, folder] = [await freePort(), await freePort(), createFolder()]
  const child = spawn(process.execPath, [demo], {
    detached: true,
    env: { ...process.env, PORT: String(port), DEVNET_PORT: String(devnetPort), TMPDIR: folder.path },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, exited] = [text(child.stdout), text(child.stderr), once(child, 'exit')]
  const pid = child.pid ?? 0
  return {
    pid,
    port,
    devnetPort,
    stdout,
    stderr,
    exited,
    leftFiles: () => readdirSync(folder.path),
    async [Symbol.asyncDispose]() {
      const programs = listPrograms({ pid })
      child.kill('SIGKILL')
      await exited
      while (stillRunning(programs).length > 0) await nextLook()
      folder[Symbol.dispose]()
    },
  }
}

/** The running demo, with its settings and output. */
type Group = Awaited<ReturnType<typeof startGroup>>

/** A running program. */
interface Running {
  pid: string
  command: string
}

/** Lists the programs that a process has started and that run. A `ps` for each look would take the CPU that the demo needs. */
const listPrograms = ({ pid }: Pick<Group, 'pid'>): Running[] =>
  (readProcess(`${pid}/task/${pid}/children`).match(/\d+/g) ?? []).flatMap((child) => runningAs(child))

/** Returns the program of a process id, if it runs. In a container, nobody may collect those that have ended. */
function runningAs(pid: string): Running[] {
  const command = readProcess(`${pid}/cmdline`).replaceAll('\0', ' ')
  // Only a process that has ended has no command.
  return command === '' ? [] : [{ pid, command }]
}

/** Reads a file of a process, which may end at any time. */
function readProcess(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return ''
  }
}

/** Returns those of some processes that still run. */
const stillRunning = (programs: readonly Running[]): Running[] =>
  programs.filter(({ pid, command }) => runningAs(pid)[0]?.command === command)

const chainListens = async ({ devnetPort }: Group) => !(await portIsFree(`http://127.0.0.1:${devnetPort}`))

async function hasBlocks({ devnetPort }: Group): Promise<boolean> {
  const answer = await callRpc(`http://127.0.0.1:${devnetPort}/rpc`, 'chain_get_block', {}).catch(() => null)
  return Number(Object(answer).result?.block_with_signatures?.block.Version2.header.height ?? 0) > 100
}

const runs =
  (name: string) =>
  async (group: Group): Promise<boolean> =>
    listPrograms(group).some(({ command }) => command.includes(` ${name}`))

describe('demo that is stopped while it starts', () => {
  // Ctrl-C in a terminal reaches the whole group; `kill` reaches one process.
  test.each([
    ['its chain listens', 'SIGINT', 'process', chainListens],
    ['its chain listens', 'SIGTERM', 'process', chainListens],
    ['it attests the past', 'SIGINT', 'group', hasBlocks],
    ['it starts the server', 'SIGINT', 'process', runs('serve')],
    ['it starts the agent', 'SIGINT', 'group', runs('agent')],
  ] as const)(
    'behavior: when %s, %s to the %s ends it with one more line and exit code 0, and leaves nothing',
    async (_, signal, target, isReached) => {
      await using group = await startGroup()
      while (!(await isReached(group))) await nextLook(1)
      const programs = listPrograms(group)
      process.kill(target === 'group' ? -group.pid : group.pid, signal)
      expect(await group.exited).toEqual([0, null])
      expect(stillRunning(programs)).toEqual([])
      expect(group.leftFiles()).toEqual([])
      expect(await group.stdout).toBe('')
      // Its progress, then one line.
      expect(await group.stderr).toMatch(/^(demo: .* \(\d+ s\)\n)+demo: stopped before it was ready\n$/)
    },
  )
})

test('behavior: when the demo is killed, its programs end by themselves', async () => {
  await using group = await startGroup()
  while (!(await runs('agent')(group))) await nextLook(1)
  const programs = listPrograms(group)
  process.kill(group.pid, 'SIGKILL')
  await group.exited
  while (stillRunning(programs).length > 0) await nextLook()
  expect(await portIsFree(`http://127.0.0.1:${group.port}`)).toBe(true)
})

test('error: a used port of the server is reported before anything is started or written, exit code 1', async () => {
  await using taken = await takePort()
  // The demo fails in a missing folder.
  const { exitCode, stdout, stderr } = await runToEnd([process.execPath, demo], {
    PORT: String(taken.port),
    DEVNET_PORT: '0',
    TMPDIR: '/missing',
  })
  expect([exitCode, stdout, stderr]).toEqual([
    1,
    '',
    `demo: cannot listen on 127.0.0.1:${taken.port} (EADDRINUSE); set PORT or HOST to a free address, or PORT=0 to use any free port\n`,
  ])
})
