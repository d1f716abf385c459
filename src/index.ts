import type { Command } from 'commander'
import { createCommand } from './runtime/createCommand.ts'

/** The commands, each loaded on demand. */
const commands: Record<string, Record<string, { does: string; load: () => Promise<Command> }>> = {
  'Reading:': {
    serve: {
      does: 'serve feeds over HTTP (what happens without a command)',
      load: async () => (await import('./serve.ts')).serveCommand,
    },
    health: {
      does: 'ask the server on this machine whether it is healthy',
      load: async () => (await import('./serve.ts')).healthCommand,
    },
    verify: {
      does: 'check the proof of a reading, offline',
      load: async () => (await import('./verify.ts')).verifyCommand,
    },
    provenance: {
      does: 'recheck with EIA what was attested',
      load: async () => (await import('./provenance.ts')).provenanceCommand,
    },
    export: {
      does: 'write every value ever attested to Parquet or CSV files',
      load: async () => (await import('./export.ts')).exportCommand,
    },
    forward: {
      does: 'forward events to a webhook or to NATS, as they come',
      load: async () => (await import('./forward.ts')).forwardCommand,
    },
  },
  'Attesting:': {
    agent: {
      does: 'attest what the EIA publishes, as soon as it is new',
      load: async () => (await import('./agent.ts')).agentCommand,
    },
    feeds: {
      does: 'list, check, register, attest and add feeds',
      load: async () => (await import('./feeds.ts')).feedsCommand,
    },
    eligibility: {
      does: 'prove to the gate that an account may register feeds',
      load: async () => (await import('./eligibility.ts')).eligibilityCommand,
    },
  },
  'Contracts and chain:': {
    contracts: {
      does: 'install, upgrade, wire and inspect the contracts on a chain',
      load: async () => (await import('./contracts.ts')).contractsCommand,
    },
    devnet: {
      does: 'run a Casper chain on this machine, for development',
      load: async () => (await import('./devnet.ts')).devnetCommand,
    },
  },
}

const help = `
Every command has --help, which tells its settings, exit codes and examples. Settings come from the environment;
the defaults of those that read are the public test network.

From source, "bun run <command>" is the same ("bun run start" is serve).`

const program = createCommand('wattfeed')
  .description('Attested US energy statistics on the Casper blockchain.')
  .usage('[command] [options]')
  .enablePositionalOptions()
  .helpCommand(false)
  .configureHelp({ subcommandTerm: (command) => command.name() })
  .addHelpText('after', help)

for (const [group, members] of Object.entries(commands))
  for (const [name, { does, load }] of Object.entries(members))
    program
      .command(name)
      .helpGroup(group)
      .summary(does)
      // The loaded command parses its own arguments.
      .helpOption(false)
      .allowUnknownOption()
      .allowExcessArguments()
      .passThroughOptions()
      .action(async (_, self: Command) => {
        const command = (await load()).name(`wattfeed ${name}`)
        prepareOutput(command)
        await command.parseAsync(self.args, { from: 'user' })
      })

/** Replaces `bun run` in help texts by the binary's name. */
function prepareOutput(command: Command): void {
  command.configureOutput({
    writeOut: (text) => process.stdout.write(text.replaceAll('bun run ', 'wattfeed ')),
  })
  for (const inner of command.commands) prepareOutput(inner)
}

const [first = 'serve', ...others] = process.argv.slice(2)
await program.parseAsync(first === 'help' ? [...others, '--help'] : [first, ...others], { from: 'user' })
