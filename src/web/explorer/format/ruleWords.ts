/** Returns a rule's name in words: 'natural gas storage'. */
export const ruleWords = (rule: string): string =>
  rule.startsWith('by-frequency-')
    ? `${rule.slice('by-frequency-'.length)} series`
    : rule.replaceAll('-', ' ')
