import { expect, test } from 'bun:test'
import { describeEnd, snapshotsFolders } from '../../src/demo/demoAgents.ts'

test.each([
  [4, '4 still run and attest, as 4 must sign'],
  [3, '3 still run, which attest nothing: 4 must sign'],
])(
  'behavior: the end of an agent of a committee is printed with its effect, when %d still run',
  (running, effect) => {
    expect(describeEnd('north', 137, running)).toBe(
      `  north's agent has ended (exit code 137). ${effect}. To start it again: kill -USR2 ${process.pid}`,
    )
  },
)

test('behavior: the server reads the snapshots of the past, and those of every member', () => {
  expect(snapshotsFolders('/demo', null)).toEqual(['/demo/datasets'])
  const members = ['north', 'south'].map((name) => ({ name, publicKey: '', keyPath: '', port: 0 }))
  expect(snapshotsFolders('/demo', { members })).toEqual([
    '/demo/datasets',
    '/demo/north/datasets',
    '/demo/south/datasets',
  ])
})
