import type { Command } from 'commander'
import { linkShared, sharedSettings } from './settings.ts'

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

/** The block of settings in a help text: a title that ends with a colon, then the settings, each perhaps over several lines. */
const SETTINGS = /^Settings.*:\n((?: {2}.*\n?)+)\n?/m

const isName = /^ {2}([A-Z_]+) {2}/

/** Splits the block of settings at each name. */
function splitSettings(block: string): { name: string; text: string }[] {
  const starts = block.split(/(?=^ {2}[A-Z_]+ {2})/m)
  return starts.map((text) => ({ name: isName.exec(text)?.[1] ?? '', text }))
}

/** What no command lacks. */
const EVERYWHERE = /^ {2}(?:-h, --help|-V, --version) .*\n?/gm

/** The list of inner commands. Each has a heading here. */
const INNER = /^Commands:\n(?: {2}.*\n?)+\n?/m

/** Formats a command. `printed` has the settings that earlier commands printed; others link to the page of settings. */
function formatHelp(help: string, printed: Set<string>): string {
  const settings = splitSettings(SETTINGS.exec(help)?.[1] ?? '')
  const names = settings.map(({ name }) => name).filter((name) => name !== '')
  const shared = new Set(Object.values(sharedSettings).flat())
  const own = settings.filter(({ name }) => name !== '' && !shared.has(name) && !printed.has(name))
  const known = names.filter((name) => !shared.has(name) && printed.has(name))
  for (const { name } of own) printed.add(name)
  const ownText = own.map(({ text }) => text).join('')
  const text = help
    .replace(SETTINGS, () => (own.length > 0 ? `Settings, from the environment:\n${ownText}\n` : ''))
    .replace(INNER, '')
    .replaceAll(EVERYWHERE, '')
    // What is left without a line below it.
    .replaceAll(/^Options:\n(?=\n|$)/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trimEnd()
  const links = [
    ...known.map((name) => `[\`${name}\`](settings.md#${name})`),
    ...linkShared(names, 'settings.md'),
  ]
  const more = own.length > 0 ? 'Also reads' : 'Reads'
  return `\`\`\`text\n${text}\n\`\`\`${links.length > 0 ? `\n\n${more} ${links.join(', ')}.` : ''}`
}

function formatCommand(command: Command, parents: readonly string[], printed: Set<string>): string[] {
  const names = [...parents, command.name()]
  const level = '#'.repeat(Math.min(names.length + 1, 4))
  const own = `${level} ${names.join(' ')}\n\n${formatHelp(helpOf(command), printed)}`
  const visible = command.createHelp().visibleCommands(command)
  const inner = command.commands.filter((each) => visible.includes(each))
  return [own, ...inner.flatMap((each) => formatCommand(each, names, printed))]
}

/** Writes the page of all commands: the help text of each, with settings that others have too as links. */
export function formatCommands(commands: readonly Command[]): string {
  const printed = new Set<string>()
  return `# Commands

From source, \`bun run agent\` is \`wattfeed agent\`, and \`bun run start\` is \`wattfeed serve\`. Every command has \`--help\`, which also
prints the settings that are links here.

Exit code 0 is success. For a command that sends transactions, 1 means that nothing was sent. 2 means that something failed, was rejected or
is pending, or that the chain differs from a file.

${commands.flatMap((command) => formatCommand(command, [], printed)).join('\n\n')}
`
}
