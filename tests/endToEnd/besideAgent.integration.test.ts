import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { createDevnetBench, type DevnetBench, dailyFeeds } from '../support/devnetBench.ts'
import { startWatchedNode } from '../support/devnetNode.ts'
import { heldFeeds } from '../support/state.ts'

const feeds = dailyFeeds.slice(0, 3)
const [first = '', second = '', third = ''] = feeds.map(({ feed_id }) => feed_id)

/** The feeds that processes hold, and the locks of running processes, of which each has two files. */
const locksOf = ({ folder }: DevnetBench): { feeds: string[]; processes: number } => ({
  feeds: heldFeeds(`${folder.path}/state`),
  processes: readdirSync(`${folder.path}/state/owners`).length / 2,
})
const noLocks = { feeds: [], processes: 0 }

/** The feeds in the agent's output, each with its decision or error code. */
const summaryOf = (
  lines: readonly { feed_id: string; decision: string | null; error: { code: string } | null }[],
) => Object.fromEntries(lines.map(({ feed_id, decision, error }) => [feed_id, decision ?? error?.code]))

test('default: feeds register and feeds attest work beside a running agent', async () => {
  await using bench = await createDevnetBench({ feeds })
  await using agent = bench.start('agent', ['--json', '--feed', first])
  await agent.line('"decision":"new-period"')
  const changed = feeds.map((feed) => ({ ...feed, title: `${feed.title}, renamed` }))
  const settings = { FEEDS_FILE: bench.folder.write('changed.json', JSON.stringify(changed)) }
  const [registered, ...attested] = await Promise.all([
    bench.run('feeds', ['register', second], settings),
    ...[second, third].map((feedId) => bench.run('feeds', ['attest', feedId, '--json'])),
  ])
  expect([registered.exitCode, registered.stdout]).toEqual([
    0,
    expect.stringContaining(`${second}  executed`),
  ])
  expect(attested.map(({ exitCode, stdout }) => [exitCode, JSON.parse(stdout).decision])).toEqual([
    [0, 'new-period'],
    [0, 'new-period'],
  ])
  // The command does not repeat the agent's attestation.
  const again = await bench.run('feeds', ['attest', first, '--json'])
  expect([again.exitCode, JSON.parse(again.stdout).decision]).toEqual([0, 'unchanged'])
  expect((await agent.kill('SIGTERM')).exitCode).toBe(0)
  expect([(await bench.attested()).length, bench.pending(), locksOf(bench)]).toEqual([3, [], noLocks])
})

test('behavior: what another process attests to is feed_pending, the others continue; SIGKILL frees it', async () => {
  await using bench = await createDevnetBench({ feeds })
  await using node = await startWatchedNode(bench.chain.devnet)
  const reached = node.stopAt({ method: 'account_put_transaction', when: 'before' })
  await using command = bench.start('feeds', ['attest', first], { CASPER_RPC_URL: node.url })
  await command.until(reached)
  const beside = await bench.attest()
  expect(summaryOf(beside.lines)).toEqual({
    [first]: 'feed_pending',
    [second]: 'new-period',
    [third]: 'new-period',
  })
  expect(beside.lines.find(({ feed_id }) => feed_id === first)?.error?.message).toBe(
    `${first} is being attested by process ${command.pid} (attest); wait until that is done`,
  )
  expect([(await bench.attested()).length, bench.pending().length, locksOf(bench)]).toEqual([
    2,
    1,
    { feeds: [first], processes: 1 },
  ])
  await command.kill('SIGKILL')
  // The agent sends the command's signed transaction again, and signs none itself.
  expect(summaryOf((await bench.attest()).lines)).toEqual({
    [first]: 'unchanged',
    [second]: 'unchanged',
    [third]: 'unchanged',
  })
  expect([(await bench.attested()).length, bench.pending(), locksOf(bench)]).toEqual([3, [], noLocks])
})

test('error: feeds attest of a feed that the agent is attesting names the agent, and sends nothing', async () => {
  await using bench = await createDevnetBench({ feeds })
  await using node = await startWatchedNode(bench.chain.devnet)
  const reached = node.stopAt({ method: 'account_put_transaction', when: 'after' })
  await using agent = bench.start('agent', ['--feed', first], { CASPER_RPC_URL: node.url })
  await agent.until(reached)
  const ended = await bench.run('feeds', ['attest', first])
  expect([ended.exitCode, ended.stdout + ended.stderr]).toEqual([
    1,
    expect.stringContaining(
      `${first} is being attested by process ${agent.pid} (agent); wait until that is done`,
    ),
  ])
  await agent.kill('SIGKILL')
  const after = await bench.run('feeds', ['attest', first, '--json'])
  expect([after.exitCode, JSON.parse(after.stdout)]).toMatchObject([
    0,
    { decision: 'unchanged', settled_before: [{ feed_ids: [first], outcome: 'executed' }] },
  ])
  expect([(await bench.attested()).length, bench.pending(), locksOf(bench)]).toEqual([1, [], noLocks])
})
