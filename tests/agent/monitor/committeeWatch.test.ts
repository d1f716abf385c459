import { describe, expect, test } from 'bun:test'
import { formatTransaction, type SignedProposal } from '../../../src/agent/committee/proposal.ts'
import { createAgentMetrics } from '../../../src/agent/monitor/agentMetrics.ts'
import { committeeReasons } from '../../../src/agent/monitor/committeeReasons.ts'
import { listOwnRoots } from '../../../src/agent/monitor/committeeRoots.ts'
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
  const metrics = createAgentMetrics()
  const watch = createCommitteeWatch({
    members: ['key-north', 'key-south'],
    nameOf: (key) => key.replace('key-', ''),
    terms,
    metrics: metrics.committee,
    log: { info: note, warn: note, error: note },
    now: () => time,
  })
  return {
    watch,
    metrics,
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

  test('behavior: of a proposer, at most 30 refusals are logged in a minute; the metrics count all', async () => {
    const { watch, logged, fields, pass, metrics } = createBench()
    const refusal = { code: 'not_leader', detail: 'the leader is another' } as const
    const harmless = { code: 'stale_node', detail: 'its node lags' } as const
    const refuse = (hash: string, proposer = 'key-north') =>
      watch.hear({ event: 'refused', proposal: signed(hash).proposal, proposer, refusal })
    for (let at = 0; at < 100; at++) refuse(String(at))
    expect(logged).toEqual([
      ...Array(30).fill('proposal refused'),
      'too many proposals refused: the others of this minute are not logged',
    ])
    expect(fields.at(-1)).toEqual({ proposer: 'north', code: 'not_leader' })
    watch.hear({ event: 'refused', proposal: signed('a').proposal, proposer: 'key-north', refusal: harmless })
    refuse('other', 'key-south')
    pass(60_000)
    refuse('later')
    expect(logged.slice(31)).toEqual(Array(3).fill('proposal refused'))
    expect(await metrics.text()).toContain(
      'wattfeed_committee_refusals_total{proposer="north",code="not_leader"} 101',
    )
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

  const HOUR = 3_600_000
  const feedId = 'EIA.DATASET.A'
  const heldOf = (digit: string) => ({ root: digit.repeat(64), size: 7, period: 20_261_120, began: START })
  const key = {
    route: 'petroleum/pri/gnd',
    frequency: 'weekly',
    column: 'value',
    facets: { area: 'NUS' },
    period: '2026-11-20',
  }
  const first = {
    key,
    own: { ...key, value: '3.05', unit: null },
    other: { ...key, value: '3.06', unit: null },
    member: 'key-north',
    ownRoot: 'a'.repeat(64),
    otherRoot: 'b'.repeat(64),
  }
  const firstText = 'petroleum/pri/gnd weekly value area=NUS 2026-11-20: here 3.05, at north 3.06'
  const differ = {
    event: 'roots_differ',
    feedId,
    since: START,
    members: ['key-north', 'key-south'],
    othersAgree: false,
    first,
  } as const

  test('behavior: roots that differ are a reason after two hours, with the first value, until members agree', () => {
    const { watch, logged, fields, pass, reasons } = createBench()
    const tick = (): void => {
      for (const member of ['key-north', 'key-south']) watch.noteSeen(member)
      watch.noteTick(null, null)
    }
    watch.hear(differ)
    watch.hear(differ)
    expect([logged, fields]).toEqual([
      ['members hold different roots of a dataset'],
      [{ feed_id: feedId, members: ['north', 'south'], first: firstText }],
    ])
    pass(2 * HOUR - 1)
    tick()
    expect([reasons(), logged.length]).toEqual([[], 1])
    pass(1)
    tick()
    tick()
    watch.hear(differ)
    tick()
    expect(reasons()).toEqual([
      `no_common_root: EIA.DATASET.A: the members have not agreed on a root since 2027-01-15T08:00:00.000Z, and nothing is attested; north, south and this member hold different ones: first ${firstText}; compare the value with EIA`,
    ])
    expect(committeeReasons(watch.facts, START + 2 * HOUR)[0]?.feed_ids).toEqual([feedId])
    expect(logged.slice(1)).toEqual(['members have not agreed on a root for two hours'])
    expect(fields.at(-1)).toEqual({
      feed_id: feedId,
      since: new Date(START),
      members: ['north', 'south'],
      first: firstText,
    })
    watch.hear({ event: 'roots_agree', feedId })
    watch.hear({ event: 'roots_agree', feedId })
    expect([reasons(), logged.slice(2)]).toEqual([[], ['members agree on a root again']])
  })

  test('behavior: a member that alone holds another root says that the others attest without it', () => {
    const { watch, logged, pass, reasons } = createBench()
    watch.hear({ ...differ, othersAgree: true })
    pass(2 * HOUR)
    for (const member of ['key-north', 'key-south']) watch.noteSeen(member)
    watch.noteTick(null, null)
    expect(reasons()).toEqual([
      `no_common_root: EIA.DATASET.A: since 2027-01-15T08:00:00.000Z, this member has held another root than enough others, which attest without it; north, south and this member hold different ones: first ${firstText}; compare the value with EIA`,
    ])
    expect(logged.slice(1)).toEqual(['this member has held another root than enough others for two hours'])
  })

  test('behavior: without a comparison, the reason says that the value is not known', () => {
    const { watch, reasons, pass } = createBench()
    watch.hear({ ...differ, members: [], first: null })
    pass(2 * HOUR)
    for (const member of ['key-north', 'key-south']) watch.noteSeen(member)
    watch.noteTick(null, null)
    expect(reasons()).toEqual([
      expect.stringContaining(
        '; other members and this member hold different ones: where they differ is not known;',
      ),
    ])
  })

  test('behavior: what is asked again is counted and logged, and forgotten with the feed', async () => {
    const { watch, logged, fields, metrics } = createBench()
    const converged = {
      event: 'converged',
      feedId,
      asked: 3,
      isChanged: true,
      others: ['key-north'],
    } as const
    watch.hear({ ...converged, round: 1 })
    watch.hear({ ...converged, round: 2 })
    const samples = async () =>
      (await metrics.text()).split('\n').filter((line) => /^wattfeed_committee_(converge|keys)/.test(line))
    expect(await samples()).toEqual([
      'wattfeed_committee_converge_rounds_total{feed_id="EIA.DATASET.A"} 2',
      'wattfeed_committee_keys_asked_again_total{feed_id="EIA.DATASET.A"} 6',
    ])
    expect([logged[1], fields[1]]).toEqual([
      'values on which members differ were asked for again',
      { feed_id: feedId, round: 2, asked: 3, changed: true, members: ['north'] },
    ])
    metrics.committee.forget(feedId)
    expect(await samples()).toEqual([])
  })

  test('behavior: this member tells the roots that it holds, and where they differ', () => {
    const { watch } = createBench()
    const announce = (member: string, id: string, root: ReturnType<typeof heldOf> | null) =>
      watch.hear({ event: 'root_announced', feedId: id, member, root })
    announce('key-own', feedId, heldOf('a'))
    announce('key-own', 'EIA.DATASET.B', heldOf('c'))
    announce('key-north', 'EIA.DATASET.C', heldOf('d'))
    watch.hear(differ)
    expect(listOwnRoots(watch.facts.roots)).toEqual([
      { feed_id: feedId, ...heldOf('a'), differs: firstText },
      { feed_id: 'EIA.DATASET.B', ...heldOf('c') },
    ])
    announce('key-own', feedId, null)
    expect(listOwnRoots(watch.facts.roots).map(({ feed_id }) => feed_id)).toEqual(['EIA.DATASET.B'])
  })

  test('behavior: what this member tells fits into an answer, however many datasets differ', () => {
    const { watch } = createBench()
    const ids = Array.from({ length: 400 }, (_, at) => `EIA.DATASET.${at}`)
    for (const id of ids) {
      watch.hear({ event: 'root_announced', feedId: id, member: 'key-own', root: heldOf('a') })
      const other = { ...key, value: '9'.repeat(4_000), unit: null }
      const long = { ...first, key: { ...key, period: 'x'.repeat(4_000) }, other }
      watch.hear({ ...differ, feedId: id, first: long })
    }
    const told = listOwnRoots(watch.facts.roots)
    expect(JSON.stringify(told).length).toBeLessThan(60_000)
    expect([told.filter(({ differs }) => differs !== undefined).length, told.length > 200]).toEqual([
      10,
      true,
    ])
  })
})
