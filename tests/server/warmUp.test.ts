import { expect, test } from 'bun:test'
import { warmUp } from '../../src/server/warmUp.ts'
import { createFakeClient, stateRootHash } from './fakeClient.ts'
import { createTestLog, TestChainError } from './testApp.ts'

test('default: reads the list once', async () => {
  const { log, lines } = createTestLog()
  await warmUp(createFakeClient(), log)
  expect(lines).toEqual([{ level: 'info', fields: { stateRootHash, feeds: 1 }, message: 'warmed up' }])
})

test('error: a failure is logged only', async () => {
  const { log, lines } = createTestLog()
  const err = new TestChainError('all_nodes_failed')
  await warmUp(createFakeClient({ snapshot: () => Promise.reject(err) }), log)
  expect(lines).toEqual([
    { level: 'warn', fields: { err }, message: 'not warmed up: the first requests will try again' },
  ])
})
