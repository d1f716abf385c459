import { describe, expect, test } from 'bun:test'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createFolder } from '@wattfeed/testing/folder'
import type { Proposal } from '../../../src/agent/committee/proposal.ts'
import type { Refusal } from '../../../src/agent/committee/refusal.ts'
import { createAgentMetrics } from '../../../src/agent/monitor/agentMetrics.ts'
import { createCommitteeWatch } from '../../../src/agent/monitor/committeeWatch.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { agreedTerms } from '../committee/http/exchange.ts'

const value = { period: 20261116, amount: '5991', source_hash: '0'.repeat(32) }
const proposal: Proposal = {
  hash: 'ab'.repeat(32),
  timestamp: 0,
  expiresAt: 120_000,
  chainName: 'casper-net-1',
  initiator: 'account-hash-aa',
  paymentMotes: 1n,
  attestations: [{ feed_id: 'A', ...value, amount: 5991n }],
  payload: null,
}

describe('the log of a member', () => {
  // The agent's log, not a fake: its methods fail without their object.
  const hour = { ...value, period: 1_794_783_600 }

  test.each<[Refusal, number, object?]>([
    [
      { code: 'different_value', feed_id: 'A', proposed: hour, own: { ...value, amount: '5990' } },
      40,
      { proposed: { ...hour, period: '2026-11-15T23:00Z' }, own: { amount: '5990', period: '20261116' } },
    ],
    [{ code: 'not_leader', detail: 'the leader is another member' }, 40],
    [{ code: 'not_released', detail: 'no value yet' }, 30],
  ])('behavior: a refusal %p has the level %d', async (refusal, level, texts = {}) => {
    using folder = createFolder()
    const path = `${folder.path}/log`
    const fd = openSync(path, 'w')
    const { log, flush } = createLog({ level: 'info', fd })
    const watch = createCommitteeWatch({
      members: ['account-hash-bb'],
      nameOf: () => 'north',
      terms: {
        ...agreedTerms,
        member: 'account-hash-aa',
        account: 'account-hash-cc',
        chain_name: 'casper-net-1',
      },
      metrics: createAgentMetrics().committee,
      log,
      now: () => 0,
    })
    watch.hear({ event: 'refused', proposal, proposer: 'account-hash-bb', refusal })
    await flush()
    closeSync(fd)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      level,
      refusal: { ...refusal, ...texts },
      proposer: 'north',
      feed_ids: ['A'],
      msg: 'proposal refused',
    })
  })
})
