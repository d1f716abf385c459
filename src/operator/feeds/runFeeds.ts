import type { AgentNeeds, AgentSettings } from '../../agent/settings/agentSettings.ts'
import type { CommandResult } from '../../runtime/terminal.ts'
import type { JsonOption, ProgramContext } from '../program.ts'
import { feedsSettings, readRegistrySettings } from '../settings.ts'

export const dryRunOption = ['--dry-run', 'check everything and write nothing'] as const

export const readsOnly: AgentNeeds = { writes: false, fetches: false }

export const runFeeds = (
  context: ProgramContext,
  name: string,
  { json }: JsonOption,
  needs: AgentNeeds,
  work: (settings: AgentSettings) => Promise<CommandResult>,
): Promise<void> =>
  context.terminal.run({ name, json }, () => work(readRegistrySettings(context, needs, feedsSettings)))
