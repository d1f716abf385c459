import { expect, test } from 'bun:test'
import { defaultIntervals, paceOf, readInterval } from '../../../src/agent/intervals.ts'
import { agentHelp } from '../../../src/agent/settings/agentHelp.ts'
import { agentSecrets, readAgentSettings } from '../../../src/agent/settings/agentSettings.ts'
import { namesRead } from '../../support/namesRead.ts'

test('default: help names every setting that is read, and no other', () => {
  const needs = { writes: false, fetches: true }
  const read = namesRead((environment) => readAgentSettings(environment, needs), { EIA_API_KEY: 'k' })
  const named = [...agentHelp.matchAll(/^ {2}([A-Z_]{2,})/gm)].map(([, name]) => name)
  expect(named.sort()).toEqual(read.sort())
})

test('default: the secrets in the settings', () => {
  const settings = readAgentSettings(
    {
      EIA_API_KEY: 'k3y',
      EIA_BASE_URL: 'http://proxy:pa55@eia.test',
      CASPER_RPC_URL: 'http://node.test/rpc,https://node.test/rpc?token=t0ken',
      CASPER_RPC_AUTHORIZATION: 'node.test=Bearer b4re',
    },
    { writes: false, fetches: true },
  )
  expect(new Set(agentSecrets(settings))).toEqual(
    new Set([
      'k3y',
      'proxy',
      'pa55',
      btoa('proxy:pa55').replaceAll('=', ''),
      't0ken',
      '/rpc?token=t0ken',
      'Bearer b4re',
      'b4re',
    ]),
  )
})

test('default: --interval can be given several times', () => {
  const once = readInterval('daily=30m')
  const set = readInterval('annual=7d', once)
  expect(set).toEqual({ daily: 1_800_000, annual: 604_800_000 })
  expect(paceOf(set)).toEqual({
    intervals: { ...defaultIntervals, daily: 1_800_000, annual: 604_800_000 },
    fixedFrequencies: new Set(['daily', 'annual']),
  })
  expect(() => readInterval('daily=1y')).toThrow(
    'It must be one of hourly, local-hourly, daily, weekly, four-week-average, monthly, quarterly, annual, then = and a number of s, m, h or d, at most a week.',
  )
})
