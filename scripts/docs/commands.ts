import type { Command } from 'commander'

/** Columns of a help text. */
const WIDTH = 100

function helpOf(command: Command): string {
  let text = ''
  command
    .configureOutput({
      writeOut: (part) => (text += part),
      getOutHelpWidth: () => WIDTH,
      getOutHasColors: () => false,
    })
    .outputHelp()
  return text.trimEnd()
}

function formatCommand(command: Command, parents: readonly string[]): string[] {
  const names = [...parents, command.name()]
  const level = '#'.repeat(Math.min(names.length + 1, 4))
  const own = `${level} ${names.join(' ')}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\``
  const visible = command.createHelp().visibleCommands(command)
  const inner = command.commands.filter((each) => visible.includes(each))
  return [own, ...inner.flatMap((each) => formatCommand(each, names))]
}

/** Writes the page of all commands, each with its help text. */
export function formatCommands(commands: readonly Command[]): string {
  return `# Commands

The help text of every command. From source, \`bun run agent\` is \`wattfeed agent\`, and \`bun run start\` is \`wattfeed serve\`.

Exit code 0 is success. For a command that sends transactions, 1 means that nothing was sent. 2 means that something failed, was rejected or
is pending, or that the chain differs from a file. The help of each command has the details.

${commands.flatMap((command) => formatCommand(command, [])).join('\n\n')}
`
}
