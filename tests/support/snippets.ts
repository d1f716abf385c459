import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const pathOf = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url))

/** The pages for users. */
export const pages: readonly string[] = [
  'README.md',
  ...readdirSync(pathOf('docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

export const readPage = (page: string): string => readFileSync(pathOf(page), 'utf8')

/** Returns a part of a page: what is below a heading of the second level. */
function readSection(page: string, title: string): string {
  const [, section] = readPage(page).split(`\n## ${title}\n`)
  if (section === undefined) throw new Error(`${page} has no section ${title}`)
  return section.split('\n## ', 1)[0] ?? ''
}

/** Returns the fenced blocks of a page, or of a section of it, in a language. */
export function snippetsOf(page: string, language: string, section?: string): string[] {
  const text = section === undefined ? readPage(page) : readSection(page, section)
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, name]) => name === language)
    .map(([, , block = '']) => block)
}

/** A command on a page, with its settings and its printed output. */
export interface Shown {
  words: readonly string[]
  output: string
}

/** Returns the commands of a page's `sh` blocks and `console` blocks. A `console` block has `$` before each command, and its output. */
export function shownCommands(page: string): Shown[] {
  const inShell = snippetsOf(page, 'sh').flatMap((block) =>
    block
      .replace(/\\\n\s*/g, '')
      .split('\n')
      .map(withoutOutput),
  )
  const inConsole = snippetsOf(page, 'console').flatMap((block) =>
    `\n${block.replace(/\\\n\s*/g, '')}`.split('\n$ ').slice(1).map(withOutput),
  )
  return [...inShell, ...inConsole].flatMap(({ line, output }) =>
    simpleCommands(line).map((words) => ({ words, output })),
  )
}

const withoutOutput = (line: string) => ({ line, output: '' })

function withOutput(text: string) {
  const [line = '', ...output] = text.split('\n')
  return { line, output: output.join('\n') }
}

/** Splits a line into commands and their words. A placeholder such as `<block hash>` is one word. */
export function simpleCommands(line: string): string[][] {
  const words = line
    .replace(/<[^<>]+>|\$\([^)]*\)/g, 'placeholder')
    .replace(/(^|\s)#.*$/, '')
    .match(/'[^']*'|"[^"]*"|&&|[|;()]|[^\s;()|]+/g)
  const commands: string[][] = [[]]
  for (const word of words ?? [])
    if (/^(&&|[|;()])$/.test(word)) commands.push([])
    else commands.at(-1)?.push(word.replace(/^(['"])(.*)\1$/, '$2'))
  return commands.map(withoutRedirection).filter((command) => command.length > 0)
}

const withoutRedirection = (words: readonly string[]): string[] =>
  words.includes('>') ? words.slice(0, words.indexOf('>')) : [...words]
