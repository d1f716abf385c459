// A textlint plugin (https://textlint.org/docs/plugin.html): reads comments, string literals and template
// literals of TypeScript files as prose, so that the rules for words hold in code, too.
import { parseSync, Visitor } from 'oxc-parser'

/** Strings without a space are names, codes and paths; those with a closing tag are HTML. */
const isProse = (text) => /[a-z,.;:)] [a-z(]/i.test(text) && !/<\/[a-z]+>/.test(text)

/** Drops the marks of a comment (`//`, `*`, `/**`) and keeps every offset. */
const blankMarks = (text) => text.replace(/^\s*\*+ ?|^\s*\/\/+ ?/gm, (mark) => ' '.repeat(mark.length))

/** Code in a comment: fences, inline code and `@example` blocks. */
const blankCode = (text) =>
  text
    .replace(/```[\s\S]*?(```|$)/g, (code) => code.replace(/[^\n]/g, ' '))
    .replace(/`[^`\n]*`/g, (code) => '`'.padEnd(code.length, 'x'))

/** Indented lines of a help text are tables and examples. */
const blankTables = (text) => text.replace(/(?<=\n) {2,}.*/g, (line) => ' '.repeat(line.length))

/** Splits a text at blank lines and before tags such as `@throws`. */
function splitParagraphs(whole) {
  let at = 0
  return whole
    .split(/(?<=\n)(?=[ \t]*(?:\n|@))/)
    .map((value) => ({ at: (at += value.length) - value.length, value }))
    .filter(({ value }) => value.trim() !== '')
}

function listTexts(text, file) {
  const { program, comments } = parseSync(file, text)
  const texts = comments.flatMap(({ start, end }) =>
    splitParagraphs(blankCode(blankMarks(text.slice(start + 2, end)))).map(({ at, value }) => ({
      range: [start + 2 + at, start + 2 + at + value.length],
      value,
    })),
  )
  const add = ({ start, end, value }) => {
    if (!isProse(value)) return
    for (const part of splitParagraphs(blankTables(text.slice(start, end))))
      texts.push({ range: [start + part.at, start + part.at + part.value.length], value: part.value })
  }
  new Visitor({
    Literal: (node) => {
      if (typeof node.value === 'string') add({ ...node, value: node.value })
    },
    TemplateElement: (node) => add({ ...node, value: node.value.raw }),
    JSXText: (node) => add({ ...node, value: node.value }),
  }).visit(program)
  return texts.sort((a, b) => a.range[0] - b.range[0])
}

function createLocator(text) {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let line = starts.findLastIndex((start) => start <= offset)
    return { line: line + 1, column: offset - starts[line] }
  }
}

class SourceProcessor {
  availableExtensions() {
    return ['.ts', '.tsx']
  }

  processor() {
    return {
      preProcess(text, file) {
        const locate = createLocator(text)
        const node = (type, [start, end], rest) => ({
          type,
          range: [start, end],
          loc: { start: locate(start), end: locate(end) },
          raw: text.slice(start, end),
          ...rest,
        })
        const paragraphs = listTexts(text, file).map(({ range, value }) =>
          node('Paragraph', range, { children: [node('Str', range, { value })] }),
        )
        return node('Document', [0, text.length], { children: paragraphs })
      },
      postProcess: (messages, filePath) => ({ messages, filePath: filePath ?? '<source>' }),
    }
  }
}

export default { Processor: SourceProcessor }
