import { describe, expect, test } from 'bun:test'
import { cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from '@wattfeed/testing/folder'
import { IS_SOAK, sampled } from '@wattfeed/testing/soak'
import { cases } from './simulation/scenarios.ts'

const ROOT = join(import.meta.dir, '../../..')
const COPIED = ['src', 'tests/agent', 'tests/support', 'package.json', 'tsconfig.json', 'bunfig.toml']
const LINKED = ['node_modules', 'packages', 'contracts', 'fixtures']
const SIMULATION = 'tests/agent/committee/simulation.soak.test.ts'

/** A rule that is removed from a copy of the code. */
interface Mutation {
  readonly file: string
  readonly from: string
  readonly to: string
  /** The cases of the simulation of which one must fail. */
  readonly cases: string
  /** How often each of them runs at most. @default 20 */
  readonly runs?: number
}

const member = 'src/agent/committee/member.ts'
const apart = 'src/agent/committee/apart.ts'
const checkProposal = 'src/agent/committee/checkProposal.ts'
const consider = 'src/agent/committee/consider.ts'
const lead = 'src/agent/committee/lead.ts'
const approvals = 'src/agent/committee/givenApprovals.ts'
const startRule = 'src/agent/committee/startRule.ts'
const backfill = 'src/agent/committee/checkBackfill.ts'

const mutations: Readonly<Record<string, Mutation>> = {
  'the leader of the slot must have signed': {
    file: checkProposal,
    from: 'if (leader === null || !known.approvals.has(leader)) {',
    to: 'if (leader === null) {',
    cases: 'one floods, one lies',
  },
  'each value equals the own fetch': {
    file: checkProposal,
    from: '    if (refusal !== null) return refusal\n  }\n  return null',
    to: '  }\n  return null',
    cases: 'two liars',
  },
  'an approval is recorded and checked in one step': {
    file: consider,
    from: 'const refusal = await approvals.claim(storedProposal(signed), block)',
    to: 'const refusal: Refusal | null = null',
    cases: 'two sign twice',
  },
  'an approval is on disk before it leaves the process': {
    file: approvals,
    from: 'if (refusal === null) rows.insert(transaction)',
    to: `const write = () => file.write(() => rows.insert(transaction))
      if (refusal === null) void new Promise(setImmediate).then(write).catch(() => {})`,
    cases: 'killed often on a new chain',
    runs: 150,
  },
  'a leader makes one proposal for a feed and slot': {
    file: lead,
    from: ' && (end === null || slotOf(end.expiresAt - LIFETIME_MS) !== turn.slot)',
    to: '',
    cases: 'all up, two backfill',
    runs: 60,
  },
  'a proposal is on disk before it is sent': {
    file: consider,
    from: 'const refusal = await approvals.claim(storedProposal(signed), block)',
    to: `const claim = async () => approvals.claim(storedProposal(signed), block)
      const isOwn = known.approvals.size === 0
      if (isOwn) void new Promise(setImmediate).then(claim).catch(() => {})
      const refusal = isOwn ? null : await claim()`,
    cases: 'killed often on a new chain',
    runs: 60,
  },
  'a leader completes a live proposal before it makes one of its own': {
    file: consider,
    from: 'state.known.list().map((known) => consider(state, known))',
    to: 'state.known.list().map(async () => null)',
    cases: 'of 7, all up|of 5, all up|of 3, all up',
  },
  'whoever has enough approvals sends, not only the leader': {
    file: consider,
    from: 'if (known.isDelivered || weight < keys.threshold) return',
    to: 'if (known.isDelivered || weight < keys.threshold || known.leader !== state.notary.keyHash) return',
    cases: 'two withhold',
  },
  'a proposal that cannot be approved yet is reconsidered': {
    file: consider,
    from: 'const isFinal = known.refusal !== null && !isTemporary(known.refusal)',
    to: 'const isFinal = known.refusal !== null',
    cases: 'of 7, all up|of 5, all up|of 3, all up',
  },
  "an approval is live until a block's time is past its expiry": {
    file: member,
    from: 'if (executed === null && block.time <= expiresAt) continue',
    to: 'if (executed === null && state.now() <= expiresAt) continue',
    cases: '2 of 3, one splits|3 of 4, one splits',
    runs: 100,
  },
  'a leader proposes only until its slot ends': {
    file: lead,
    from: 'const isOver = () => state.now() >= slotStart(slot + 1)',
    to: 'const isOver = () => false',
    cases: 'of 7, all up|of 5, all up',
  },
  'evidence of equivocation is forwarded': {
    file: checkProposal,
    from: '  broadcast(state, twin)\n  broadcast(state, known)\n',
    to: '',
    cases: 'equivocates to one member',
  },
  'a member whose newest block is older than half a lifetime signs nothing': {
    file: startRule,
    from: 'if (now() - time > LIFETIME_MS / 2)',
    to: 'if (now() < 0)',
    cases: 'of 5, rough, all up',
  },
  'a late proposal that only its leader has signed is held': {
    file: checkProposal,
    from: 'const isHeld = now < known.heldSince + SLOT_MS',
    to: 'const isHeld = false',
    cases: '4 of 5, one splits',
    runs: 60,
  },
  'an expired proposal is refused': {
    file: checkProposal,
    from: 'time > expiresAt ?',
    to: 'time < 0 ?',
    cases: 'one mistimes',
  },
  'a proposal of a slot that has not begun is refused': {
    file: checkProposal,
    from: 'slotStart(slot) > block.time || ',
    to: '',
    cases: 'of 7, all up|of 5, all up|of 3, all up',
  },
  'a proposal with a timestamp that is still to come is refused': {
    file: checkProposal,
    from: ' || timestamp > Math.max(block.time, state.now())',
    to: '',
    cases: 'one mistimes',
  },
  'each past value equals the own fetch': {
    file: backfill,
    from: '    if (!isSameValue(value, proposed)) return differentValue(feed_id, proposed, value)\n',
    to: '',
    cases: 'two backfill anything',
  },
  'the chain lacks each past value': {
    file: backfill,
    from: 'if (print !== undefined && isSameValue(print, proposed))',
    to: 'if (proposed === print)',
    cases: 'two backfill anything',
  },
  'a backfill ends with the newest value': {
    file: backfill,
    from: '    isSameValue(plan.latest, proposed.at(-1)) &&\n',
    to: '',
    cases: 'two backfill anything',
  },
  'past values are in order, each once': {
    file: backfill,
    from: 'period > (proposed[index - 1]?.period ?? Number.NEGATIVE_INFINITY)',
    to: 'period > index - 1',
    cases: 'two backfill anything',
  },
  'a leader does not propose a feed of its expired transaction together with others again': {
    file: checkProposal,
    from: '    (await checkApart(state, known, view)) ??\n',
    to: '',
    cases: '4 of 5, one tails',
  },
  'no leader proposes a feed of an expired transaction that all have seen together with others': {
    file: apart,
    from: 'of === leader || isSeenBefore(value, proposal)',
    to: 'of === leader',
    cases: '5 of 7, one tails',
    runs: 40,
  },
  'a late proposal that only hostile members have signed is held': {
    file: checkProposal,
    from: 'if (!isLate || hasHonestSigner(state, known, keys)) return null',
    to: 'if (!isLate || known.approvals.size > 1) return null',
    cases: '5 of 7, two pair',
  },
}

/** How often each case runs without a change. simulation.soak.test.ts runs the original. */
const UNCHANGED_RUNS = IS_SOAK ? 20 : 2

/** Runs some cases of the simulation on a copy of the code. Returns whether they pass, and what they print. */
async function simulate(
  mutation: Mutation | null,
  names: string,
): Promise<{ passes: boolean; output: string }> {
  using folder = createFolder()
  for (const path of COPIED) cpSync(join(ROOT, path), join(folder.path, path), { recursive: true })
  for (const path of LINKED) symlinkSync(join(ROOT, path), join(folder.path, path))
  if (mutation !== null) {
    const path = join(folder.path, mutation.file)
    const [before, after, ...others] = (await Bun.file(path).text()).split(mutation.from)
    if (after === undefined || others.length > 0)
      throw new Error(`${mutation.file} must contain once: ${mutation.from}`)
    await Bun.write(path, `${before}${mutation.to}${after}`)
  }
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, 'test', SIMULATION, '-t', names], {
    cwd: folder.path,
    env: {
      ...process.env,
      COMMITTEE_SEED: '1',
      COMMITTEE_SEEDS: String(cases.length * (mutation === null ? UNCHANGED_RUNS : (mutation.runs ?? 20))),
    },
  })
  return { passes: exitCode === 0, output: `${stdout}${stderr}` }
}

describe('without a rule in the code, the simulation fails', () => {
  // Each runs a simulation in a process of its own.
  test.each(sampled(Object.entries(mutations), 14))(
    'behavior: %s',
    async (_, mutation) => {
      const { passes, output } = await simulate(mutation, mutation.cases)
      // A mutation that does not run shows nothing.
      expect(output).toContain('(fail)')
      expect(output).not.toMatch(/SyntaxError|ReferenceError/)
      expect(passes).toBeFalse()
    },
    300_000,
  )

  test('default: the same copy without a change passes', async () => {
    expect(await simulate(null, 'all up')).toMatchObject({ passes: true })
  }, 300_000)
})
