import { expect, test } from 'bun:test'
import { isPublicNetwork } from '../../../src/agent/loop/decisionInput.ts'
import { casperTest } from '../../../src/client/networks.ts'

test('default: Casper’s main and test network, and no other', () => {
  expect(
    ['casper', casperTest.chainName, 'casper-net-1', 'casper-dev', 'Casper'].map(isPublicNetwork),
  ).toEqual([true, true, false, false, false])
})
