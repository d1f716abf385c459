import { Type } from '@sinclair/typebox'
import { type AgentNeeds, type AgentSettings, agentSettings } from '../../agent/settings/agentSettings.ts'
import { formatSettings } from '../../runtime/formatSettings.ts'
import { withOptions } from '../../runtime/settings.ts'
import type { CommandResult } from '../../runtime/terminal.ts'
import { type JsonOption, type ProgramContext, readSettings } from '../program.ts'

// The feeds commands do not listen or log.
const { AGENT_HOST: _host, AGENT_PORT: _port, LOG_LEVEL: _logLevel, ...shared } = agentSettings.properties

export const feedsSettings = Type.Object({
  ...shared,
  EIA_API_KEY: withOptions(shared.EIA_API_KEY, {
    needed: {
      ...shared.EIA_API_KEY.needed,
      when: 'to attest, to list facet values, and for check --write; optional for check and new',
    },
  }),
  ATTESTER_KEY_PATH: withOptions(shared.ATTESTER_KEY_PATH, {
    description: 'PEM file with the secret key of the account that registers, attests and pays',
  }),
  PAYMENT_MOTES: withOptions(shared.PAYMENT_MOTES, { defaultText: 'as much as needed' }),
})

export const feedsHelp = `
Settings, all optional unless said otherwise, from the environment:
${formatSettings(feedsSettings)}

list, history and claimant read the public test network by default and need no key; datasets, costs and the facets of
a dataset need no network. register, attest and backfill have no default for node, chain, registries and key, because
they pay.

Exit codes:
  0  done (with --dry-run: it can be done)
  1  not run: a setting, a file, the node, the key or the balance is the cause, or everything was rejected before
     anything was sent; also "check" without EIA_API_KEY, which only compares with the catalog
  2  some feeds differ, failed or were rejected. "list": a configured feed is missing or different on chain. "check":
     a feed is wrong. "register", "attest", "backfill": a transaction failed or is pending; run the command again
     to resume

A transaction that fails loses its whole payment, so everything that can be checked is checked before it is sent.`

export const dryRunOption = ['--dry-run', 'check everything and write nothing'] as const

export const readsOnly: AgentNeeds = { writes: false, fetches: false }

export const runFeeds = (
  context: ProgramContext,
  name: string,
  { json }: JsonOption,
  needs: AgentNeeds,
  work: (settings: AgentSettings) => Promise<CommandResult>,
): Promise<void> =>
  context.terminal.run({ name, json }, () => work(readSettings(context, needs, feedsSettings)))
