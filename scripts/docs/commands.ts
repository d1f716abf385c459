import type { Command } from 'commander'
import { linkSection, linkShared, type SettingsOf, sharedSettings } from './settings.ts'

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
const EVERYWHERE = /-h, --help|-V, --version/

/** The list of inner commands. Each has a heading here. */
const INNER = /^Commands:\n(?: {2}.*\n?)+\n?/m

/** The block of examples. The pages about a subject have them too. */
const EXAMPLES = /^Examples?:\n(?: {2}.*\n?|\n(?= {2}))+\n?/m

/** The block of options. Each begins a line, perhaps over several lines. */
const OPTIONS = /^Options:\n((?: {2}.*\n?)+)/m

/** Splits the block of options at each. */
const splitOptions = (help: string): string[] => OPTIONS.exec(help)?.[1]?.split(/(?=^ {2}-)/m) ?? []

const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ')

/** Returns the text of each option that several commands have, by its flag: the most frequent text, on one line. */
function findCommon(helps: readonly string[]): Map<string, string> {
  const uses = new Map<string, number>()
  for (const option of helps.flatMap(splitOptions)) {
    const text = oneLine(option)
    uses.set(text, (uses.get(text) ?? 0) + 1)
  }
  const byUse = [...uses]
    .filter(([text, count]) => count > 2 && !EVERYWHERE.test(text))
    .sort(([, a], [, b]) => a - b)
  return new Map(byUse.map(([text]) => [flagOf(text), text]))
}

const flagOf = (option: string): string => /^-\S+(?: <[^>]+>)?/.exec(oneLine(option))?.[0] ?? ''

interface Known {
  /** The settings that earlier commands printed. */
  printed: Set<string>
  common: ReadonlyMap<string, string>
  programs: readonly SettingsOf[]
}

/** Links to the programs' sections of the page of settings, each with the names of some of its settings. */
function linkPrograms(names: readonly string[], programs: readonly SettingsOf[]): string[] {
  const titleOf = (name: string) => programs.find(({ settings }) => name in settings.properties)?.title ?? ''
  return Object.entries(Object.groupBy(names, titleOf)).map(
    ([title, own = []]) => `${own.map((name) => `\`${name}\``).join(', ')} (${linkSection(title)})`,
  )
}

/** Formats a command. Settings that an earlier one printed, or that several programs have, are links. */
function formatHelp(help: string, { printed, common, programs }: Known): string {
  const isCommon = (option: string): boolean => common.get(flagOf(option)) === oneLine(option)
  const options = splitOptions(help)
  const taken = options.filter(isCommon)
  const ownOptions = options.filter((option) => !isCommon(option) && !EVERYWHERE.test(option))
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
    .replace(EXAMPLES, '')
    .replace(OPTIONS, () => `Options:\n${ownOptions.join('')}`)
    // What is left without a line below it.
    .replaceAll(/^Options:\n(?=\n|$)/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trimEnd()
  const links = [...linkPrograms(known, programs), ...linkShared(names, 'settings.md')]
  const more = [
    ...(taken.length > 0 ? [`takes ${taken.map((option) => `\`${flagOf(option)}\``).join(', ')}`] : []),
    ...(links.length > 0 ? [`reads ${links.join(', ')}`] : []),
  ].join('; ')
  return `\`\`\`text\n${text}\n\`\`\`${more === '' ? '' : `\n\nAlso ${more}.`}`
}

function innerOf(command: Command): Command[] {
  const visible = command.createHelp().visibleCommands(command)
  return command.commands.filter((each) => visible.includes(each))
}

const withInner = (command: Command): Command[] => [command, ...innerOf(command).flatMap(withInner)]

function formatCommand(command: Command, parents: readonly string[], known: Known): string[] {
  const names = [...parents, command.name()]
  const level = '#'.repeat(Math.min(names.length + 1, 4))
  const own = `${level} ${names.join(' ')}\n\n${formatHelp(helpOf(command), known)}`
  return [own, ...innerOf(command).flatMap((each) => formatCommand(each, names, known))]
}

/** Writes the page of all commands: the help text of each, with what several commands have once. */
export function formatCommands(commands: readonly Command[], programs: readonly SettingsOf[]): string {
  const common = findCommon(commands.flatMap(withInner).map(helpOf))
  const known = { printed: new Set<string>(), common, programs }
  return `# Commands

From source, \`bun run agent\` is \`wattfeed agent\`, and \`bun run start\` is \`wattfeed serve\`. Every command has \`--help\`, which also
prints examples, and the settings and options that are links here.

Exit code 0 is success. For a command that sends transactions, 1 means that nothing was sent. 2 means that something failed, was rejected or
is pending, or that the chain differs from a file.

Several commands take these options:

${[...common]
  .toSorted()
  .map(([flag, text]) => `- \`${flag}\`: ${text.slice(flag.length).trim()}`)
  .join('\n')}

${commands.flatMap((command) => formatCommand(command, [], known)).join('\n\n')}
`
}
