import { describe, expect, test } from 'bun:test'
import { truncateSync, writeFileSync } from 'node:fs'
import { memberAt } from '@wattfeed/base'
import type { TransactionV1 } from '@wattfeed/casper/types'
import { errorOf } from '@wattfeed/testing/errorOf'
import fc from 'fast-check'
import { submitRoot } from '../../../src/operator/eligibility/ownerCalls.ts'
import { reportTransaction } from '../../../src/operator/transaction/report.ts'
import { signTransactionFile } from '../../../src/operator/transaction/sign.ts'
import { readTransactionFile } from '../../../src/operator/transaction/transactionFile.ts'
import { createSharedAccount } from './sharedAccount.ts'

/** A valid file with two signatures. */
async function validFile() {
  const shared = await createSharedAccount()
  const [first, second] = shared.keys
  await submitRoot(7n, shared.owner(first))
  await signTransactionFile(await shared.inspect(), second, null)
  return shared
}

type Change = (json: object) => unknown

/** Sets a member, by its path. */
const set =
  (path: string, value: unknown): Change =>
  (json) => {
    const names = path.split('.')
    Object(memberAt(json, ...names.slice(0, -1)))[names.at(-1) ?? ''] = value
  }

/** Appends the first item of a list to it. */
const repeat =
  (...path: string[]): Change =>
  (json) => {
    const list = memberAt(json, ...path)
    if (Array.isArray(list)) list.push(list[0])
  }

const ARGUMENTS = ['Version1', 'payload', 'fields', 'args', 'Named']
const cases: [string, Change, string][] = [
  ['another hash', set('Version1.hash', '00'.repeat(32)), 'the content was changed'],
  [
    'another argument under the old hash',
    set('Version1.payload.fields.args.Named', [['root', { cl_type: 'U256', bytes: '0108' }]]),
    'the content was changed',
  ],
  [
    'the same approval twice',
    repeat('Version1', 'approvals'),
    'cannot decode approvals: duplicate approval of key 01',
  ],
  ['an argument twice', repeat(...ARGUMENTS), 'cannot decode args: duplicate argument "root"'],
  ['an unknown field', set('Version1.note', 'harmless'), 'unknown field "note"'],
  [
    'an unknown field with control characters',
    set('Version1.payload.\u202e\u001b[2J', 1),
    'unknown field "\\u{202e}\\u001b[2J"',
  ],
  ['a missing field', set('Version1.payload.ttl', undefined), 'missing field "ttl"'],
  ['a deploy', (json) => ({ Deploy: memberAt(json, 'Version1') }), 'unknown kind "Deploy"'],
  ['an EVM transaction', (json) => ({ Evm: memberAt(json, 'Version1') }), 'unknown kind "Evm"'],
  ['two kinds', (json) => ({ ...json, Deploy: {} }), 'expected exactly one kind'],
  ['another pricing mode', set('Version1.payload.pricing_mode', { Fixed: {} }), '"Fixed" is not supported'],
  [
    'another runtime',
    set('Version1.payload.fields.target.Stored.runtime', 'VmCasperV2'),
    'expected VmCasperV1',
  ],
  ['a text', () => 'transaction', 'unknown kind "transaction"'],
  ['an empty list', () => [], 'expected an object'],
]

test.each(cases)('error: %s', async (_, change, rule) => {
  using shared = await validFile()
  const json = JSON.parse(await Bun.file(shared.path).text())
  writeFileSync(shared.path, JSON.stringify(change(json) ?? json))
  expect(await errorOf(shared.inspect())).toMatchObject({
    code: 'transaction_file',
    message: expect.stringContaining(rule),
  })
})

test('error: another chain', async () => {
  using shared = await validFile()
  const settings = { ...shared.settings, casperChainName: 'casper' }
  expect(await errorOf(shared.inspect({ settings }))).toMatchObject({
    message: expect.stringContaining(
      'is a transaction of the chain "casper-net-1", and CASPER_CHAIN_NAME is casper',
    ),
  })
})

test('error: a huge file, a deep file, one that is no JSON, and none', async () => {
  using shared = await validFile()
  const read = () => errorOf(readTransactionFile(shared.path))
  truncateSync(shared.path, 5 * 1024 * 1024)
  expect((await read()).message).toContain('it has 5242880 bytes, more than 4194304')
  writeFileSync(shared.path, '['.repeat(1_000))
  expect((await read()).message).toContain('nested deeper')
  writeFileSync(shared.path, '{')
  expect((await read()).message).toContain('it is not JSON')
  expect((await errorOf(readTransactionFile(`${shared.path}.none`))).message).toContain(
    'cannot be read (ENOENT); name a file that exists',
  )
})

test('error: an invalid signature is shown as such, and nothing is added to it', async () => {
  using shared = await validFile()
  const json = JSON.parse(await Bun.file(shared.path).text())
  const [{ signature }] = json.Version1.approvals
  json.Version1.approvals[1].signature = signature
  writeFileSync(shared.path, JSON.stringify(json))
  const inspection = await shared.inspect()
  expect(inspection.approvals.map(({ isValid }) => isValid)).toEqual([true, false])
  expect(inspection.weight).toMatchObject({ weight: 1 })
  expect(await errorOf(signTransactionFile(inspection, shared.keys[2], null))).toMatchObject({
    message: expect.stringContaining('has an invalid signature of the key 01'),
  })
})

test('behavior: "parsed" is ignored: the value is decoded from its bytes', async () => {
  using shared = await validFile()
  const json = JSON.parse(await Bun.file(shared.path).text())
  json.Version1.payload.fields.args.Named[0][1].parsed = '1000000'
  writeFileSync(shared.path, JSON.stringify(json))
  expect((await shared.inspect()).action.args).toEqual([
    { name: 'root', type: 'U256', bytes: '0107', value: '7' },
  ])
})

describe('a file with changed bytes', () => {
  const meaningOf = ({ approvals: _, ...meaning }: TransactionV1): object => meaning

  test('behavior: is refused, or means the same and has no other valid signature', async () => {
    using shared = await validFile()
    const open = () => null
    const bytes = new Uint8Array(await Bun.file(shared.path).arrayBuffer())
    const original = await shared.inspect({ open })
    const valid = new Set(original.approvals.map(({ signer }) => signer))
    const change = fc.record({ at: fc.nat(bytes.length - 1), to: fc.integer({ min: 0x20, max: 0x7e }) })
    let shown = 0
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const changed = bytes.slice()
        for (const { at, to } of changes) changed[at] = to
        writeFileSync(shared.path, changed)
        const found = await shared.inspect({ open }).catch((error) => {
          expect(error).toMatchObject({ code: 'transaction_file' })
          return null
        })
        if (found === null) return
        shown += 1
        expect(meaningOf(found.transaction)).toEqual(meaningOf(original.transaction))
        const { approvals, ...report } = reportTransaction(found)
        expect(report).toEqual(
          expect.objectContaining({ does: original.action.does, args: original.action.args }),
        )
        for (const { signer, is_valid } of approvals) if (is_valid) expect(valid.has(signer)).toBeTrue()
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 500) },
    )
    // Bytes of white space and of signatures.
    expect(shown).toBeGreaterThan(0)
  })
})
