import type { Command } from 'commander'
import { agentSecrets, agentSettings, readAgentSettings } from '../../agent/settings/agentSettings.ts'
import { createCommand } from '../../runtime/createCommand.ts'
import { formatSettings } from '../../runtime/settings/formatSettings.ts'
import { type Environment, SettingsError } from '../../runtime/settings/settings.ts'
import { type CommandResult, createTerminal, type Terminal } from '../../runtime/terminal.ts'
import type { JsonOption } from '../program.ts'
import { type Finding, failed } from './finding.ts'
import { formatFindings } from './formatFindings.ts'
import { runDoctor } from './runDoctor.ts'

const help = `
Checks what an agent needs before its first run. On this machine: settings, folders, disk, ports, and clock. Elsewhere: EIA's
key, nodes and the protocol that they run, package hashes, the key's rights, balance, feeds, and eligibility. Each fault has
its cure. The command sends no transaction, and leaves nothing on disk.

Settings, those of the agent, from the environment:
${formatSettings(agentSettings)}

Exit codes:
  0  the agent can run
  1  the agent can run, but something is worth a look
  2  the agent cannot run, or not for every feed

Examples:
  $ bun run doctor
  $ bun run doctor --json | jq '.findings[] | select(.state == "failed")'`

export const createDoctorCommand = (environment: Environment): Command =>
  createCommand('doctor')
    .description('Checks that an agent can run, and says what to do if it cannot.')
    .option('--json', 'print one JSON object on standard output')
    .addHelpText('after', help)
    .action(({ json }: JsonOption) => {
      const terminal = createTerminal('doctor')
      return terminal.run({ name: 'doctor', json, leaves: 'nothing was changed' }, () =>
        examine(environment, terminal),
      )
    })

async function examine(environment: Environment, terminal: Terminal): Promise<CommandResult> {
  const findings = await findAll(environment, terminal)
  return {
    report: { command: 'doctor', findings },
    text: formatFindings(findings),
    exitCode: exitCodeOf(findings),
  }
}

async function findAll(environment: Environment, terminal: Terminal): Promise<Finding[]> {
  try {
    const settings = readAgentSettings(environment, { writes: true, fetches: true })
    terminal.hide(agentSecrets(settings))
    return await runDoctor(settings, {
      fetch: (url, init) => fetch(url, init),
      now: Date.now,
      onCheck: (what) => terminal.progress(`looking at ${what} …`),
    })
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return error.faults.map((fault) => failed('settings', fault, 'set it; --help lists every setting'))
  }
}

const exitCodeOf = (findings: readonly Finding[]): number =>
  Math.max(0, ...findings.map(({ state }) => ({ passed: 0, skipped: 0, warned: 1, failed: 2 })[state]))
