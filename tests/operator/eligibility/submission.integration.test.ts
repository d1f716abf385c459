import { describe, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import { acquireLock } from '@wattfeed/base/disk'
import { createSqliteStore } from '@wattfeed/casper/sqlite'
import { keyMaterial, pemOf } from '@wattfeed/casper/testing/keys'
import { type AnswerRpc, startDevnet } from '@wattfeed/casper-devnet'
import { getExecution } from '@wattfeed/casper-devnet/testing/sender'
import { flipLast } from '@wattfeed/testing/flipLast'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import hiddenTree from '../../../fixtures/eligibility/hiddenTree.json'
import { openState } from '../../../src/agent/state/openState.ts'
import recorded from '../../../src/demo/claim.json'
import { OwnerPurpose, submitRevocation } from '../../../src/operator/eligibility/ownerCalls.ts'
import { binary } from '../../support/binary.ts'
import { runToEnd } from '../../support/program.ts'
import { pendingHashes } from '../../support/state.ts'
import { describeProver } from './describeProver.ts'
import { createGateChain, type GateChain, type GateChainOptions } from './gateChain.ts'

/** The binary has no prover; that of the repository is here. */
const prover = fileURLToPath(new URL('../../../src/operator/eligibility/prover', import.meta.url))
const group = fileURLToPath(new URL('../../../fixtures/eligibility/group.json', import.meta.url))
const account = recorded.message

interface Bench extends GateChain {
  folder: Folder
  gate: string
  run(...args: string[]): ReturnType<typeof runToEnd>
}

interface GateOptions extends GateChainOptions {
  keyMode?: number
  /** A hook between the program and the chain. */
  between?: (gate: GateChain) => AnswerRpc
}

/** Runs the program against a gate on loopback, outside the package's folder. */
async function withGate<T>(options: GateOptions, use: (bench: Bench) => Promise<T>): Promise<T> {
  const { keyMode = 0o600, between = ({ answer }) => answer, ...chainOptions } = options
  using folder = createFolder()
  const chain = await createGateChain({ time: Date.now, ...chainOptions })
  await using endpoint = await startDevnet({ call: between(chain) })
  const settings = {
    CASPER_RPC_URL: endpoint.url,
    CASPER_CHAIN_NAME: chain.chainName,
    ATTESTER_KEY_PATH: folder.write('key.pem', chain.pem, keyMode),
    PROVER_DIR: prover,
  }
  const run = (...args: string[]) => runToEnd([binary, 'eligibility', ...args], settings, folder.path)
  return await use({ ...chain, folder, gate: `hash-${chain.packageHash}`, run })
}

/** What `--json` prints, byte for byte. */
const line = (report: object): string => `${JSON.stringify(report)}\n`

/** What the chain says of a transaction. */
async function executed({ chain }: GateChain, transactionHash: string | undefined) {
  const { blockHeight, consumedMotes, chargedMotes } = await getExecution(chain.answer, transactionHash ?? '')
  return {
    transaction_hash: transactionHash,
    block_height: blockHeight,
    consumed_motes: `${consumedMotes}`,
    charged_motes: `${chargedMotes}`,
  }
}

describe('remove-root', () => {
  test('default: plans, sends, and reports the cost', () =>
    withGate({ roots: [258n, 3n] }, async (bench) => {
      const { run, gate, chain, calls } = bench
      const told = (state: string) => ({ command: 'remove-root', state, gate, root: '258' })
      const planned = await run('remove-root', '0x102', '--gate', gate, '--dry-run', '--json')
      expect([planned.exitCode, planned.stderr, planned.stdout, chain.sent]).toEqual([
        0,
        '',
        line({ ...told('planned'), payment_motes: '2500000000' }),
        [],
      ])
      const sent = await run('remove-root', '258', '--gate', gate, '--json')
      expect([sent.exitCode, sent.stdout]).toEqual([
        0,
        line({ ...told('executed'), ...(await executed(bench, chain.sent[0])) }),
      ])
      expect(await calls()).toEqual([{ what: 'EligibilityGate.remove_root', args: { root: '020201' } }])
      expect(planned.stdout + sent.stdout + sent.stderr).not.toMatch(keyMaterial)
    }))

  test('behavior: a root that does not count: nothing to do', () =>
    withGate({}, async ({ run, gate, chain }) => {
      const { exitCode, stdout } = await run('remove-root', '258', '--gate', gate)
      expect([exitCode, stdout, chain.sent]).toEqual([
        0,
        `state            done\ngate             ${gate}\nroot             258\n`,
        [],
      ])
    }))

  test('error: a root that is none', () =>
    withGate({}, async ({ run, gate, chain }) => {
      for (const root of ['0', 'x', '0x', '-1', '2'.repeat(77)]) {
        const { exitCode, stderr } = await run('remove-root', '--gate', gate, '--', root)
        expect([exitCode, stderr, chain.sent]).toEqual([
          1,
          `eligibility: ${root} is not a root: give a positive number below the field’s order, in decimal or in hex with 0x\n`,
          [],
        ])
      }
    }))
})

describe('revoke', () => {
  test('behavior: a transaction of an interrupted run is followed, and its row removed', () =>
    withGate(
      { isEligible: true },
      async ({ run, gate, chain, calls, chainName, owner, folder, packageHash }) => {
        const stateDir = `${folder.path}/.wattfeed`
        const destination = { chainName, contract: packageHash, account: owner.signer.accountHash }
        const stop = new AbortController()
        const onStep = ({ step }: { step: string }) => {
          if (step === 'accepted') stop.abort()
        }
        {
          using state = openState(stateDir, { purpose: 'revoke' })
          const store = createSqliteStore({ state, destination, purpose: OwnerPurpose })
          const interrupted = { ...owner, store, onStep, signal: stop.signal }
          await submitRevocation(account.replace('account-hash-', ''), {
            ...interrupted,
            gatePackageHash: packageHash,
            now: Date.now,
          }).catch(() => null)
        }
        const planned = await run('revoke', account, '--gate', gate, '--dry-run', '--json')
        const sent = await run('revoke', account, '--gate', gate, '--json')
        expect([JSON.parse(planned.stdout).state, JSON.parse(sent.stdout).state]).toEqual([
          'pending',
          'executed',
        ])
        expect([new Set(chain.sent).size, (await calls()).length, pendingHashes(stateDir)]).toEqual([
          1,
          1,
          [],
        ])
      },
    ))

  test('default: sends the account; nothing to send if it is not eligible', () =>
    withGate({ isEligible: true }, async (bench) => {
      const { run, gate, chain, calls } = bench
      const told = (state: string) => ({ command: 'revoke', state, gate, account })
      const sent = await run('revoke', account, '--gate', gate, '--json')
      expect([sent.exitCode, sent.stdout]).toEqual([
        0,
        line({ ...told('executed'), ...(await executed(bench, chain.sent[0])) }),
      ])
      const done = await run('revoke', account, '--gate', gate, '--json')
      expect([done.exitCode, done.stdout]).toEqual([0, line(told('done'))])
      expect([await calls(), chain.sent.length]).toMatchObject([[{ what: 'EligibilityGate.revoke' }], 1])
    }))

  test('error: not the owner: exit code 1; invalid arguments', () =>
    withGate({}, async ({ run, gate, chain, signer, folder }) => {
      folder.write('key.pem', pemOf('ed25519'))
      const { exitCode, stderr } = await run('revoke', account, '--gate', gate)
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringContaining(`the gate belongs to ${signer.accountHash}`),
      ])
      expect((await run('revoke', 'alice', '--gate', gate)).stderr).toContain('the account must be')
      expect((await run('revoke', account, '--gate', 'alice')).stderr).toContain('the gate must be')
      expect(chain.sent).toEqual([])
    }))

  test('error: settings that are missing are all named', async () => {
    const program = [binary, 'eligibility', 'revoke', account, '--gate', `hash-${'12'.repeat(32)}`]
    const { exitCode, stderr } = await runToEnd(program, {})
    expect([exitCode, stderr.match(/\w+ is not set/g)]).toEqual([
      1,
      ['CASPER_RPC_URL is not set', 'CASPER_CHAIN_NAME is not set', 'ATTESTER_KEY_PATH is not set'],
    ])
  })
})

/** The account's balance is zero once a transaction was executed. */
const poorOnceSent =
  ({ chain }: GateChain): AnswerRpc =>
  (method, params) =>
    method === 'query_balance' && chain.executed.length > 0
      ? { result: { balance: '0' } }
      : chain.answer(method, params)

describeProver('set-root', () => {
  test('default: sends the root of the group file’s members', () =>
    withGate({}, async (bench) => {
      const { run, gate, chain, calls } = bench
      const planned = await run('set-root', group, '--gate', gate, '--dry-run', '--json')
      const { root, state } = JSON.parse(planned.stdout)
      expect([state, chain.sent]).toEqual(['planned', []])
      const sent = await run('set-root', group, '--gate', gate, '--json')
      expect([sent.exitCode, sent.stdout]).toEqual([
        0,
        line({
          command: 'set-root',
          state: 'executed',
          gate,
          root,
          ...(await executed(bench, chain.sent[0])),
        }),
      ])
      expect(await calls()).toMatchObject([{ what: 'EligibilityGate.set_root' }])
      expect(JSON.parse((await run('set-root', group, '--gate', gate, '--json')).stdout).state).toBe('done')
    }))

  test('behavior: --only reports its payment, sets the root, and removes the others one by one', () =>
    withGate({ roots: [258n, 3n] }, async ({ run, gate, chain, calls, listRoots }) => {
      const planned = await run('set-root', group, '--gate', gate, '--only', '--dry-run', '--json')
      const { root } = JSON.parse(planned.stdout)
      expect([planned.exitCode, planned.stderr, planned.stdout, chain.sent]).toEqual([
        0,
        'eligibility: set-root --only sets the root and removes 2: 3 transactions for 7.5 CSPR in total\n',
        line({
          command: 'set-root',
          state: 'planned',
          gate,
          root,
          removed_roots: ['258', '3'],
          payment_motes: '7500000000',
        }),
        [],
      ])
      const sent = await run('set-root', group, '--gate', gate, '--only', '--json')
      const charged = await Promise.all(chain.sent.map((hash) => getExecution(chain.answer, hash)))
      expect([sent.exitCode, sent.stderr, sent.stdout]).toEqual([
        0,
        planned.stderr,
        line({
          command: 'set-root',
          state: 'executed',
          gate,
          root,
          removed_roots: ['258', '3'],
          transactions: chain.sent,
          charged_motes: `${charged.reduce((sum, { chargedMotes }) => sum + chargedMotes, 0n)}`,
        }),
      ])
      expect(await listRoots()).toEqual([BigInt(root)])
      expect((await calls()).map(({ what }) => what)).toEqual([
        'EligibilityGate.set_root',
        'EligibilityGate.remove_root',
        'EligibilityGate.remove_root',
      ])
    }))

  test('behavior: --only at a gate without other roots sets the root only', () =>
    withGate({}, async ({ run, gate }) => {
      const { stderr } = await run('set-root', group, '--gate', gate, '--only', '--dry-run')
      expect(stderr).toBe('eligibility: set-root --only sets the root: 1 transaction for 2.5 CSPR in total\n')
    }))

  test('error: --only that fails after something was sent: exit code 2', () =>
    withGate({ roots: [258n], between: poorOnceSent }, async ({ run, gate, chain }) => {
      const { exitCode, stdout } = await run('set-root', group, '--gate', gate, '--only', '--json')
      expect([exitCode, JSON.parse(stdout).error.code, chain.sent.length]).toEqual([2, 'preflight', 1])
    }))

  test('behavior: group --gate lists the roots that the gate accepts', () =>
    withGate({}, async ({ run, gate, setRoots }) => {
      const [one = '', two = ''] = hiddenTree.public_keys
      const rootOf = async (...args: string[]) =>
        JSON.parse((await run('group', 'group.json', ...args, '--json')).stdout).root
      const first = await rootOf(one, two)
      const second = await rootOf('--remove', two)
      await setRoots(258n, BigInt(first), BigInt(second))
      const { exitCode, stdout, stderr } = await run('group', 'group.json', '--gate', gate, '--json')
      expect([exitCode, JSON.parse(stdout)]).toEqual([
        0,
        {
          command: 'group',
          file: 'group.json',
          members: 1,
          removed: 1,
          root: second,
          open_to_removed: [first],
          accepted_roots: ['258', first, second],
          unknown_roots: ['258'],
        },
      ])
      expect(stderr).toContain(`which the gate accepts; "set-root --only" removes them: ${first}\n`)
      expect(stderr).toContain('the gate accepts roots that are not in this file')
      const plain = await run('set-root', 'group.json', '--gate', gate, '--dry-run')
      expect(plain.stderr).toContain(
        'removed members can still prove with older roots of this group; --only removes those roots',
      )
      await setRoots(BigInt(second))
      const clean = await run('group', 'group.json', '--gate', gate, '--json')
      expect([JSON.parse(clean.stdout).open_to_removed, clean.stderr]).toEqual([[], ''])
    }))
})

describe('claim', () => {
  const roots = [BigInt(recorded.merkle_root)]
  const proofOf = ({ folder }: Bench, changes: object = {}): string =>
    folder.write(
      'proof.json',
      JSON.stringify({
        ...recorded,
        ...changes,
      }),
    )

  test('default: sends the proof, and keeps nothing once it is executed', () =>
    withGate({ roots }, async (bench) => {
      const { run, chain, gate, signer, folder } = bench
      const told = (state: string) => ({ command: 'claim', state, account: signer.accountHash, gate })
      const planned = await run('claim', proofOf(bench), '--dry-run', '--json')
      expect(planned.stdout).toBe(line({ ...told('planned'), payment_motes: '33000000000' }))
      const sent = await run('claim', proofOf(bench), '--json')
      expect([sent.exitCode, sent.stdout]).toEqual([
        0,
        line({ ...told('executed'), ...(await executed(bench, chain.sent[0])) }),
      ])
      expect(pendingHashes(`${folder.path}/.wattfeed`)).toEqual([])
    }))

  test('error: a root that the gate does not know: nothing is sent', () =>
    withGate({}, async (bench) => {
      const { exitCode, stderr } = await bench.run('claim', proofOf(bench))
      expect([exitCode, stderr, bench.chain.sent]).toEqual([
        1,
        expect.stringContaining(`has not set the root ${recorded.merkle_root} of this group`),
        [],
      ])
    }))

  test('error: a proof that the gate would reject: nothing is sent, in a dry run either', () =>
    withGate({ roots }, async (bench) => {
      const wrong = proofOf(bench, { proof: flipLast(recorded.proof) })
      for (const dryRun of [[], ['--dry-run']]) {
        const { exitCode, stderr } = await bench.run('claim', wrong, ...dryRun)
        expect([exitCode, stderr, bench.chain.sent]).toEqual([
          1,
          expect.stringContaining('the proof is not valid for'),
          [],
        ])
      }
    }))

  test('behavior: an eligible account is reported, and nothing is sent', () =>
    withGate({ isEligible: true }, async (bench) => {
      const { run, chain, gate, signer } = bench
      const { exitCode, stdout, stderr } = await run('claim', proofOf(bench), '--json')
      expect([exitCode, JSON.parse(stdout), stderr, chain.sent]).toEqual([
        0,
        { command: 'claim', state: 'eligible', account: signer.accountHash, gate },
        `eligibility: ${signer.accountHash} is already eligible at ${gate}; nothing was sent\n`,
        [],
      ])
    }))

  test('error: another process claims at the same gate: nothing is sent', () =>
    withGate({ roots }, async (bench) => {
      const proof = proofOf(bench)
      using _ = acquireLock(`${bench.folder.path}/.wattfeed/claim.lock`)
      const { exitCode, stderr } = await bench.run('claim', proof)
      expect([exitCode, stderr, bench.chain.sent]).toEqual([
        1,
        expect.stringContaining('claim.lock is locked by'),
        [],
      ])
    }))

  test('behavior: a key that others can read is a warning', () =>
    withGate({ roots, keyMode: 0o644 }, async (bench) => {
      const { exitCode, stderr } = await bench.run('claim', proofOf(bench), '--dry-run')
      expect([exitCode, stderr]).toEqual([
        0,
        expect.stringContaining('is readable by others; run chmod 600 on it'),
      ])
    }))
})
