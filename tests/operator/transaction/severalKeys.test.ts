import { describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { memberAt } from '@wattfeed/base'
import { createMemoryStore } from '@wattfeed/casper/testing/memoryStore'
import { clU256 } from '@wattfeed/casper/types'
import { errorOf } from '@wattfeed/testing/errorOf'
import { KeyAlgorithm, PrivateKey, Transaction } from 'casper-js-sdk'
import { openGate } from '../../../src/operator/eligibility/gate.ts'
import { submitRoot } from '../../../src/operator/eligibility/ownerCalls.ts'
import { payOne } from '../../../src/operator/payAll.ts'
import { formatTransaction, reportTransaction } from '../../../src/operator/transaction/report.ts'
import { sendTransactionFile } from '../../../src/operator/transaction/send.ts'
import { signTransactionFile } from '../../../src/operator/transaction/sign.ts'
import { createPerson } from '../feeds/support/person.ts'
import { createSharedAccount, type SharedAccount } from './sharedAccount.ts'
import signedByCasperTypes from './signedByCasperTypes.json'

const TWO_HOURS_MS = 2 * 60 * 60_000
const DAY_MS = 86_400_000

const listRoots = async ({ rpc, gatePackageHash }: SharedAccount): Promise<bigint[]> =>
  (await openGate(rpc, gatePackageHash)).listRoots()

async function send(shared: SharedAccount) {
  const store: Parameters<typeof sendTransactionFile>[1]['store'] = createMemoryStore()
  const terminal = { warn: () => {}, progress: () => {} }
  return sendTransactionFile(await shared.inspect(), { store, terminal, pollMs: 1, wait: async () => {} })
}

describe('an account that needs two of three keys', () => {
  test('default: one key writes and signs, another one signs, and anyone sends', async () => {
    using shared = await createSharedAccount()
    const [, second, third] = shared.keys
    const outcome = await submitRoot(7n, shared.owner(second))
    const written = JSON.parse(readFileSync(shared.path, 'utf8'))
    const { hash, payload, approvals } = written.Version1
    expect(outcome).toEqual({
      state: 'written',
      written: {
        file: shared.path,
        transactionHash: hash,
        expiresAt: Date.parse(payload.timestamp) + TWO_HOURS_MS,
        paymentMotes: 2_500_000_000n,
        isSigned: true,
      },
    })
    expect(payload.ttl).toBe('2h')
    expect(approvals).toMatchObject([{ signer: second.publicKey }])
    expect(await errorOf(send(shared))).toMatchObject({ code: 'weight', weight: { weight: 1, needed: 2 } })
    await signTransactionFile(await shared.inspect(), third, null)
    expect(await send(shared)).toMatchObject({ transactionHash: hash, errorMessage: null })
    expect(await listRoots(shared)).toEqual([7n])
  })

  test('behavior: what was executed is reported again, also after its expiry', async () => {
    using shared = await createSharedAccount()
    const [first, second] = shared.keys
    await submitRoot(7n, shared.owner(first))
    await signTransactionFile(await shared.inspect(), second, null)
    const executed = await send(shared)
    shared.pass(DAY_MS)
    expect(await send(shared)).toEqual(executed)
  })

  test('behavior: once it is executed, the command has nothing to write', async () => {
    using shared = await createSharedAccount()
    const [first, second] = shared.keys
    await submitRoot(7n, shared.owner(first))
    await signTransactionFile(await shared.inspect(), second, null)
    await send(shared)
    expect(await submitRoot(7n, shared.owner(second))).toEqual({ state: 'done' })
  })

  test('behavior: two that sign at the same time keep the signature of the other', async () => {
    using shared = await createSharedAccount()
    const [first, second, third] = shared.keys
    await submitRoot(7n, shared.owner(first))
    const [shownToSecond, shownToThird] = [await shared.inspect(), await shared.inspect()]
    await signTransactionFile(shownToSecond, second, null)
    await signTransactionFile(shownToThird, third, null)
    const { approvals } = await shared.inspect()
    expect(approvals.map(({ signer }) => signer)).toEqual(
      [first, second, third].map(({ publicKey }) => publicKey),
    )
    await signTransactionFile(shownToSecond, second, null)
    expect((await shared.inspect()).approvals).toHaveLength(3)
  })

  test('error: the file is replaced by another transaction after it was shown', async () => {
    using shared = await createSharedAccount()
    const [first, second] = shared.keys
    await submitRoot(7n, shared.owner(first))
    const shown = await shared.inspect()
    rmSync(shared.path)
    await submitRoot(8n, shared.owner(first))
    const replaced = readFileSync(shared.path, 'utf8')
    expect(await errorOf(signTransactionFile(shown, second, null))).toMatchObject({
      code: 'transaction_file',
      message: expect.stringContaining('another transaction since it was shown'),
    })
    expect(readFileSync(shared.path, 'utf8')).toBe(replaced)
  })

  test('behavior: a key that is not associated writes it without a signature', async () => {
    using shared = await createSharedAccount()
    const [first, second, , stranger] = shared.keys
    expect(await submitRoot(7n, shared.owner(stranger))).toMatchObject({ written: { isSigned: false } })
    expect(await shared.inspect()).toMatchObject({ approvals: [] })
    await signTransactionFile(await shared.inspect(), first, null)
    await signTransactionFile(await shared.inspect(), second, null)
    expect(await send(shared)).toMatchObject({ errorMessage: null })
  })

  test('behavior: a lifetime of its own; a dry run writes nothing', async () => {
    using shared = await createSharedAccount()
    const owner = { ...shared.owner(shared.keys[0]), out: { path: shared.path, lifetimeMs: 600_000 } }
    expect(await submitRoot(7n, { ...owner, isDryRun: true })).toMatchObject({ state: 'planned' })
    expect(existsSync(shared.path)).toBeFalse()
    await submitRoot(7n, owner)
    expect(memberAt(JSON.parse(readFileSync(shared.path, 'utf8')), 'Version1', 'payload', 'ttl')).toBe('10m')
  })

  test('error: a file that exists is not overwritten', async () => {
    using shared = await createSharedAccount()
    writeFileSync(shared.path, 'mine')
    expect(await errorOf(submitRoot(7n, shared.owner(shared.keys[0])))).toMatchObject({
      code: 'transaction_file',
      message: `${shared.path} exists, and is not overwritten; name another file, or remove this one`,
    })
    expect(readFileSync(shared.path, 'utf8')).toBe('mine')
  })

  test('error: expired', async () => {
    using shared = await createSharedAccount()
    const [first, second, third] = shared.keys
    await submitRoot(7n, shared.owner(first))
    await signTransactionFile(await shared.inspect(), second, null)
    shared.pass(TWO_HOURS_MS + 60_001)
    const expired = { code: 'transaction_file', message: expect.stringContaining('expired at 20') }
    expect(await errorOf(signTransactionFile(await shared.inspect(), third, null))).toMatchObject(expired)
    expect(await errorOf(send(shared))).toMatchObject(expired)
    expect(await shared.inspect({ open: () => null })).toMatchObject({ isExpired: true, weight: null })
  })
})

describe('signTransactionFile', () => {
  test('default: shows the transaction and asks', async () => {
    using shared = await createSharedAccount()
    const [first, second] = shared.keys
    await submitRoot(7n, shared.owner(first))
    const { terminal, seen } = createPerson(['yes'])
    await signTransactionFile(await shared.inspect(), second, terminal)
    expect(seen()).toContain('calls "set_root" of EligibilityGate')
    expect(seen()).toContain(`your key      ${second.publicKey}\n? sign it, yes or no:`)
    expect(await shared.inspect()).toMatchObject({ weight: { weight: 2, needed: 2 } })
  })

  test('behavior: other key holders can read the file, as before', async () => {
    using shared = await createSharedAccount()
    const [first, second] = shared.keys
    await submitRoot(7n, shared.owner(first))
    chmodSync(shared.path, 0o644)
    await signTransactionFile(await shared.inspect(), second, null)
    expect(statSync(shared.path).mode & 0o444).toBe(0o444 & ~process.umask())
    expect(readdirSync(shared.folder.path)).toEqual(['transaction.json'])
  })

  test('behavior: declined: the file stays as it is', async () => {
    using shared = await createSharedAccount()
    const [first, second] = shared.keys
    await submitRoot(7n, shared.owner(first))
    const before = readFileSync(shared.path, 'utf8')
    const { terminal } = createPerson(['no'])
    const declined = signTransactionFile(await shared.inspect(), second, terminal)
    expect(await errorOf(declined)).toMatchObject({ code: 'signing', reason: 'declined' })
    expect(readFileSync(shared.path, 'utf8')).toBe(before)
  })

  test('behavior: without a node, the keys of the account are not checked', async () => {
    using shared = await createSharedAccount()
    const [first, , , stranger] = shared.keys
    await submitRoot(7n, shared.owner(first))
    await signTransactionFile(await shared.inspect({ open: () => null }), stranger, null)
    expect(await errorOf(send(shared))).toMatchObject({
      message: expect.stringContaining(
        `has a signature of ${stranger.keyHash}, a key that is not associated`,
      ),
    })
  })

  test('error: signed already, and a key that is not associated', async () => {
    using shared = await createSharedAccount()
    const [first, , , stranger] = shared.keys
    await submitRoot(7n, shared.owner(first))
    const sign = async (key: typeof first) => signTransactionFile(await shared.inspect(), key, null)
    expect(await errorOf(sign(first))).toMatchObject({ code: 'signing', reason: 'signed_already' })
    expect(await errorOf(sign(stranger))).toMatchObject({ code: 'not_associated', weight: 0, threshold: 2 })
  })

  test.each(['attest', 'attest_many'])(
    'error: a call of %s, whichever contract it calls',
    async (entryPoint) => {
      using shared = await createSharedAccount()
      const [first, second] = shared.keys
      await payOne(
        {
          isSame: () => false,
          request: async () => ({
            target: { packageHash: 'ab'.repeat(32), entryPoint },
            args: { n: clU256(1n) },
            paymentMotes: 2_500_000_000n,
            purpose: { kind: 'owner_call', entry_point: '', args: {} } as const,
          }),
        },
        shared.owner(first),
      )
      expect(await errorOf(signTransactionFile(await shared.inspect(), second, null))).toMatchObject({
        code: 'signing',
        reason: 'attestation',
      })
    },
  )
})

describe('another tool', () => {
  // casper-types 7.0.0 has read a file of --out, signed it and written it, by the calls of casper-client 5.0.1.
  test('default: a file that casper-types has signed', async () => {
    using shared = await createSharedAccount()
    writeFileSync(shared.path, JSON.stringify(signedByCasperTypes))
    const [first, second] = shared.keys
    const { approvals, weight } = await shared.inspect()
    expect(approvals).toMatchObject([
      { signer: second.publicKey, isValid: true },
      { signer: first.publicKey, isValid: true },
    ])
    expect(weight).toMatchObject({ weight: 2, needed: 2 })
  })

  test('default: casper-js-sdk reads the file and signs it; the result is sent', async () => {
    using shared = await createSharedAccount()
    const [first, second] = shared.keys
    await submitRoot(7n, shared.owner(first))
    const { Version1 } = JSON.parse(readFileSync(shared.path, 'utf8'))
    const transaction = Transaction.fromJSON(Version1)
    expect(transaction.validate()).toBeTrue()
    transaction.sign(PrivateKey.fromPem(shared.secretKeys[1] ?? '', KeyAlgorithm.ED25519))
    writeFileSync(shared.path, JSON.stringify({ Version1: transaction.toJSON() }))
    expect((await shared.inspect()).approvals).toMatchObject([
      { signer: first.publicKey, isValid: true },
      { signer: second.publicKey, isValid: true },
    ])
    expect(await send(shared)).toMatchObject({ errorMessage: null })
  })
})

describe('formatTransaction', () => {
  test('default: what it does, until when, and who must still sign', async () => {
    using shared = await createSharedAccount()
    const [first, second, third] = shared.keys
    await submitRoot(7n, shared.owner(first))
    const inspection = await shared.inspect()
    const text = formatTransaction(inspection)
    expect(text.split('\n').map((line) => line.replace(/ {2,}/g, '  '))).toEqual([
      `file  ${shared.path}`,
      `transaction  ${inspection.transaction.hash}`,
      `does  calls "set_root" of EligibilityGate (package hash-${shared.gatePackageHash}): accepts a group of members from now on`,
      '  root  "7" (U256)',
      `account  ${first.accountHash} (${first.publicKey})`,
      'chain  casper-net-1',
      'made at  2027-01-15T08:00:00.002Z',
      'ends at  2027-01-15T10:00:00.002Z',
      'pays  2.5 CSPR at most',
      `signed by  ${first.publicKey}, verified`,
      'weight  1 of 2 needed; 1 missing',
      ...[second, third]
        .map(({ keyHash }) => `may sign  ${keyHash}, weight 1`)
        .sort((one, other) => (one < other ? -1 : 1)),
    ])
  })

  test('default: the same as JSON', async () => {
    using shared = await createSharedAccount()
    const [first] = shared.keys
    await submitRoot(7n, shared.owner(first))
    const inspection = await shared.inspect({ open: () => null })
    expect<object>(reportTransaction(inspection)).toEqual({
      file: shared.path,
      transaction_hash: inspection.transaction.hash,
      chain_name: 'casper-net-1',
      account: first.accountHash,
      public_key: first.publicKey,
      does: expect.stringContaining('set_root'),
      code: 'EligibilityGate',
      wasm_sha256: null,
      entry_point: 'set_root',
      args: [{ name: 'root', type: 'U256', bytes: '0107', value: '7' }],
      timestamp: '2027-01-15T08:00:00.002Z',
      expires_at: '2027-01-15T10:00:00.002Z',
      is_expired: false,
      payment_motes: '2500000000',
      gas_price_tolerance: 1,
      approvals: [{ signer: first.publicKey, key: first.keyHash, is_valid: true }],
      weight: null,
    })
  })
})
