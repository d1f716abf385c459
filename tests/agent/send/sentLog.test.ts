import { describe, expect, test } from 'bun:test'
import { appendFileSync } from 'node:fs'
import type { AttestPurpose } from '../../../src/agent/send/pendingAttestations.ts'
import { openSentLog } from '../../../src/agent/send/sentLog.ts'
import type { SendStep } from '../../../src/casper/transaction/durableSender.ts'
import { createFolder } from '../../support/folder.ts'
import { attestationOf } from '../run/fakes.ts'

const FEED = 'EIA.A'
const value = attestationOf()

/** A step of a transaction that attests the value. */
function stepOf(step: string, hash: string, outcome?: string): SendStep<AttestPurpose> {
  const { period, amount, source_hash } = value
  const attestations = [{ feed_id: FEED, period, amount: `${amount}`, source_hash }]
  const pending = { transaction_hash: hash, purpose: { kind: 'attest', attestations } }
  return { step, pending, ...(outcome && { settlement: { outcome } }) } as unknown as SendStep<AttestPurpose>
}

async function withLog(use: (path: string) => Promise<void>): Promise<void> {
  using folder = createFolder()
  await use(`${folder.path}/sent.jsonl`)
}

describe('openSentLog', () => {
  test('default: a sent attestation is found once, even after a restart', () =>
    withLog(async (path) => {
      const log = await openSentLog(path)
      await log.note(stepOf('written', 'aa'))
      await log.note(stepOf('settled', 'aa', 'executed'))
      await log.note(stepOf('removed', 'aa'))
      expect(await log.check(FEED, [value], 1)).toEqual([])
      for (const each of [log, await openSentLog(path)]) {
        expect(each.countOf(FEED)).toBe(1)
        expect(await each.check(FEED, [value], 1)).toEqual([value])
      }
    }))

  test.each([
    ['expired', [stepOf('settled', 'aa', 'expired')]],
    ['failed', [stepOf('settled', 'aa', 'failed')]],
  ])('behavior: a transaction that %s put nothing on chain', (_, steps) =>
    withLog(async (path) => {
      const log = await openSentLog(path)
      await log.note(stepOf('written', 'aa'))
      for (const step of steps) await log.note(step)
      expect(await log.check(FEED, [value], 1)).toEqual([value])
    }),
  )

  test('behavior: of two values that are the same, one was sent by another program', () =>
    withLog(async (path) => {
      const log = await openSentLog(path)
      await log.note(stepOf('written', 'aa'))
      const again = { ...value, timestamp: value.timestamp + 1 }
      expect(await log.check(FEED, [value, again], 2)).toEqual([again])
    }))

  test('behavior: attestations of another process on the folder are found, and an incomplete line is skipped', () =>
    withLog(async (path) => {
      const agent = await openSentLog(path)
      await agent.begin(5)
      appendFileSync(path, '{"sent":"b')
      const command = await openSentLog(path)
      expect(command.since()).toBe(5)
      await command.note(stepOf('resumed', 'bb'))
      expect(await agent.check(FEED, [value], 1)).toEqual([])
    }))

  test('behavior: a time that is set stays', () =>
    withLog(async (path) => {
      const log = await openSentLog(path)
      expect(log.since()).toBeNull()
      await log.begin(5)
      await log.begin(9)
      expect((await openSentLog(path)).since()).toBe(5)
    }))
})
