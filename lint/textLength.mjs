// A textlint rule (https://textlint.org/docs/rule.html): sentences and paragraphs that can be skimmed.
import { splitAST, SentenceSplitterSyntax } from 'sentence-splitter'
import { StringSource } from 'textlint-util-to-string'

// Inline code, numbers and URLs are quoted, not read: each run of them counts as one word at most.
const countWords = (text) => text.match(/[\p{L}\p{N}][\p{L}\p{N}’'./:_-]*/gu)?.length ?? 0

const wordsIn = (node) =>
  countWords(new StringSource(node, { replacer: ({ node: child, maskValue }) =>
    child.type === 'Code' || child.type === 'Link' && /^https?:/.test(child.raw) ? maskValue('c') : undefined }).toString())

export default function textLength({ Syntax, RuleError, report, locator }, { sentence, paragraph }) {
  return {
    [Syntax.Paragraph](node) {
      if (node.parent?.type === Syntax.BlockQuote) return
      const words = wordsIn(node)
      if (paragraph && words > paragraph) report(node, new RuleError(`paragraph of ${words} words; at most ${paragraph}`))
      for (const part of splitAST(node).children) {
        if (part.type !== SentenceSplitterSyntax.Sentence) continue
        const length = wordsIn(part)
        if (length > sentence) {
          report(node, new RuleError(`sentence of ${length} words; at most ${sentence}`, { padding: locator.at(part.range[0] - node.range[0]) }))
        }
      }
    },
  }
}
