import { describe, expect, test } from 'bun:test'
import { formatTransaction, type SignedProposal } from '../../../src/agent/committee/proposal.ts'
import { createAgentMetrics } from '../../../src/agent/monitor/agentMetrics.ts'
import { committeeReasons } from '../../../src/agent/monitor/committeeReasons.ts'
import { createCommitteeWatch } from '../../../src/agent/monitor/committeeWatch.ts'
import { agreedTerms } from '../committee/http/exchange.ts'

const START = 1_800_000_000_000

const terms = { ...agreedTerms, member: 'key-own', account: 'account-hash-cc', chain_name: 'casper-net-1' }

function createBench() {
  let time = START
  const logged: string[] = []
  const fields: object[] = []
  const note = (noted: object, message: string): void => {
    fields.push(noted)
    logged.push(message)
  }
  const watch = createCommitteeWatch({
    members: ['key-north', 'key-south'],
    nameOf: (key) => key.replace('key-', ''),
    terms,
    metrics: createAgentMetrics().committee,
    log: { info: note, warn: note, error: note },
    now: () => time,
  })
  return {
    watch,
    logged,
    fields,
    pass: (ms: number) => {
      time += ms
    },
    reasons: () => committeeReasons(watch.facts, time).map(({ code, message }) => `${code}: ${message}`),
  }
}

const signed = (hash: string): SignedProposal => ({
  proposal: {
    hash,
    timestamp: START,
    expiresAt: START + 120_000,
    chainName: 'casper-net-1',
    initiator: 'account-hash-aa',
    paymentMotes: 1n,
    attestations: [],
    payload: null,
  },
  approvals: new Map([['key-north', { signer: '01', signature: '02' }]]),
})

describe('createCommitteeWatch', () => {
  test('behavior: a refusal because of terms is logged with the different settings of both members', () => {
    const { watch, logged, fields } = createBench()
    const { proposal } = signed('aa')
    const refusal = { code: 'invalid_terms', detail: 'other values are next' } as const
    watch.hear({ event: 'answered', proposal, member: 'key-north', refusal })
    expect(logged).toEqual([])
    watch.noteTerms('key-south', { ...terms, member: 'key-south', look_back: 3, payment_motes: '9' })
    watch.hear({ event: 'answered', proposal, member: 'key-south', refusal })
    expect(logged).toEqual(['a member has other terms'])
    const different_terms = {
      LOOK_BACK: { own: '0', theirs: '3' },
      PAYMENT_MOTES: { own: '2500000000', theirs: '9' },
    }
    expect(fields.at(-1)).toMatchObject({ member: 'south', refusal, different_terms })
    watch.hear({ event: 'refused', proposal, proposer: 'key-south', refusal })
    expect(fields.at(-1)).toMatchObject({ proposer: 'south', refusal, different_terms })
  })

  test('behavior: an equivocation is a reason for a day, and the log has the evidence if the disk fails', () => {
    const { watch, logged, fields, pass, reasons } = createBench()
    const equivocation = { leader: 'key-north', first: signed('aa'), second: signed('bb') }
    watch.hear({ event: 'equivocated', equivocation, storeError: null })
    expect(logged).toEqual(['a member signed two proposals for one slot'])
    const found = 'equivocation: north signed two proposals for one slot, found at 2027-01-15T08:00:00.000Z'
    expect(reasons()).toEqual([
      `${found}: its key may be in use twice, or stolen; the evidence is in AGENT_STATE_DIR`,
    ])
    const storeError = Object.assign(new Error('no space'), { code: 'ENOSPC' })
    watch.hear({ event: 'equivocated', equivocation, storeError })
    expect(logged.at(-1)).toBe('cannot store the evidence of an equivocation')
    expect(fields.at(-1)).toEqual({
      member: 'north',
      reason: 'no space: the disk is full: free some space',
      evidence: ['aa', 'bb'].map((hash) => formatTransaction(signed(hash))),
    })
    expect(reasons()).toEqual([
      `${found}: its key may be in use twice, or stolen; the evidence is only in the log, because it could not be stored: its proposals are refused until this agent restarts`,
    ])
    pass(86_400_000)
    expect(reasons().filter((reason) => reason.startsWith('equivocation'))).toEqual([])
  })

  test('behavior: a member that neither calls nor answers for five minutes is absent, until it does', () => {
    const { watch, pass, reasons } = createBench()
    watch.noteTick(null, null)
    watch.noteCall('key-north', 12, null)
    watch.noteCall('key-south', 12, 'member south refuses or closes the connection')
    pass(300_000)
    expect(reasons()).toEqual([])
    pass(1)
    watch.noteTick(null, null)
    watch.noteSeen('key-north')
    expect(reasons()).toEqual([
      'member_absent: south has not answered since 2027-01-15T08:00:00.000Z (member south refuses or closes the connection): check its agent, its address in COMMITTEE_PEERS and the network',
    ])
    watch.noteCall('key-south', 34, null)
    expect(reasons()).toEqual([])
    expect(watch.facts.members.get('south')).toEqual({
      lastSeenAt: START + 300_001,
      roundTripMs: 34,
      error: null,
    })
  })

  test('behavior: a failure is logged once, and is a reason until the work succeeds', () => {
    const { watch, logged, reasons } = createBench()
    const failure = new Error('no node answers')
    watch.noteTick(failure, null)
    watch.noteTick(failure, null)
    expect(logged).toEqual(['committee work failed; retrying'])
    expect(reasons()).toEqual([
      'committee: the member of the committee does not work since 2027-01-15T08:00:00.000Z: no node answers',
    ])
    watch.noteTick(null, null)
    expect([reasons(), logged.at(-1)]).toEqual([[], 'committee work resumed'])
  })

  test('behavior: work that does not end is a reason after five minutes', () => {
    const { watch, pass, reasons } = createBench()
    pass(300_001)
    for (const key of ['key-north', 'key-south']) watch.noteSeen(key)
    expect(reasons()).toEqual([
      'committee: the member of the committee does not work since 2027-01-15T08:00:00.000Z: a node or EIA neither answers nor fails',
    ])
    watch.noteTick(null, null)
    expect(reasons()).toEqual([])
  })

  test('behavior: signing nothing is a reason after three minutes, because a start takes two', () => {
    const { watch, logged, pass, reasons } = createBench()
    watch.noteTick(null, 'it has just started')
    pass(180_000)
    watch.noteCall('key-north', 1, null)
    watch.noteCall('key-south', 1, null)
    expect(reasons()).toEqual([])
    pass(1)
    watch.noteTick(null, 'no new block')
    expect(logged).toEqual(['this member signs nothing now'])
    expect(reasons()).toEqual([
      'signs_nothing: this member signs nothing since 2027-01-15T08:00:00.000Z: no new block',
    ])
    watch.noteTick(null, null)
    watch.noteTick(null, null)
    expect(reasons()).toEqual([])
    expect(logged).toEqual(['this member signs nothing now', 'this member may sign'])
  })
})
