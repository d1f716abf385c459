import { type CommandNeeds, neededFor } from '../../runtime/settings/payerSettings.ts'
import type { CommandResult } from '../../runtime/terminal.ts'
import type { JsonOption, ProgramContext } from '../program.ts'
import { type FeedsSettings, feedsSettings, readSettings } from '../settings.ts'

export const dryRunOption = ['--dry-run', 'check everything and write nothing'] as const

export const readsOnly: CommandNeeds = { writes: false, fetches: false }

export const runFeeds = (
  context: ProgramContext,
  name: string,
  { json }: JsonOption,
  needs: CommandNeeds,
  work: (settings: FeedsSettings) => Promise<CommandResult>,
): Promise<void> =>
  context.terminal.run({ name, json }, () => work(readSettings(context, feedsSettings, neededFor(needs))))
