import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { attest } from '../../../../src/operator/feeds/attest.ts'
import { backfill } from '../../../../src/operator/feeds/backfill.ts'
import { acquireLock } from '../../../../src/runtime/lockFile.ts'
import { errorOf } from '../../../support/errorOf.ts'
import { startAgents } from './agentsBench.ts'
import { feeds } from './committeeBench.ts'

const [a = ''] = feeds.map(({ feed_id }) => feed_id)
const silent = { warn: () => {}, progress: () => {}, milestone: () => {} }

describe('commands with the key of a member', () => {
  test('default: feeds attest joins the committee, and gives the approval that three agents lack', async () => {
    await using bench = await startAgents({ threshold: 4, running: [1, 2, 3] })
    const { settings, platform } = bench.programOf(0)
    let isDone = false
    const result = attest(settings, a, {}, silent, platform).finally(() => {
      isDone = true
    })
    await bench.until(() => isDone)
    expect(await result).toMatchObject({ exitCode: 0, report: { decision: 'new-period' } })
    expect(await bench.historyOf(a)).toEqual(['20261116 5991'])
  })

  test('error: feeds attest does not use the state folder of a running agent', async () => {
    await using bench = await startAgents({ threshold: 4, running: [] })
    const { settings, platform } = bench.programOf(0)
    using _agent = acquireLock(join(settings.stateDir, 'lock'), 'agent')
    const error = await errorOf(attest(settings, a, {}, silent, platform))
    expect(error).toMatchObject({ code: 'locked', purpose: 'agent' })
  })

  test('error: feeds backfill is refused, because the others would not approve it', async () => {
    await using bench = await startAgents({ threshold: 4, running: [] })
    const { settings, platform } = bench.programOf(0)
    const error = await errorOf(backfill(settings, a, { from: '2026-01-01' }, silent, { platform }))
    expect(error).toMatchObject({ code: 'backfill', reason: 'committee' })
  })
})
