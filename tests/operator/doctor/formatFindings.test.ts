import { expect, test } from 'bun:test'
import { failed, passed, skipped, warned } from '../../../src/operator/doctor/finding.ts'
import { formatFindings } from '../../../src/operator/doctor/formatFindings.ts'

test('default: a line for each finding, its cure below it, and what follows from the worst', () => {
  const found = [
    passed('clock', 'agrees'),
    failed('balance', 'too low', 'send more'),
    skipped('feeds', 'later'),
  ]
  expect(formatFindings(found)).toBe(
    `ok       clock    agrees
FAILED   balance  too low
                  → send more
skipped  feeds    later
1 to mend before the agent can run; 1 check had to wait for that`,
  )
  expect(formatFindings([warned('key', 'others can read it', 'run chmod')])).toEndWith(
    'look at what is marked',
  )
  expect(formatFindings([passed('clock', 'agrees')])).toContain('the agent can run: "')
})

test('behavior: what a node says cannot control the terminal', () => {
  const [line] = formatFindings([passed('node a', 'protocol \u001b[2J\u009b1m\n2')]).split('\n')
  expect(line).toBe('ok  node a  protocol \\u{1b}[2J\\u{9b}1m\\u{a}2')
})
