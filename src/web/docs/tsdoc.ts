/** A TSDoc comment, in Markdown. */
export interface Doc {
  text: string
  params: ReadonlyMap<string, string>
  returns: string
  throws: readonly string[]
  examples: readonly string[]
  see: readonly string[]
  default: string
  rpc: string
  isInternal: boolean
}

/** Returns the address of a name of the library, or of a member of one (`Client.snapshot`); null for others. */
export type LinkTo = (name: string) => string | null

/** @param comment - what is between the comment's marks */
export function parseDoc(comment: string): Doc {
  const lines = comment.replace(/^\s*\* ?/gm, '').trim()
  // A tag begins a line, but not within code.
  const [text = '', ...blocks] = lines.split(/^@(?=[a-z]+\b)/m)
  const tags = blocks.map((block) => {
    const [, tag = '', body = ''] = /^([a-z]+)\s*([\s\S]*)$/i.exec(block) ?? []
    return { tag, body: body.trim() }
  })
  const all = (tag: string): string[] => tags.filter((each) => each.tag === tag).map(({ body }) => body)
  const params = all('param').map((body) => {
    const [, name = '', meaning = ''] = /^(\S+)\s*(?:- )?([\s\S]*)$/.exec(body) ?? []
    return [name, meaning] as const
  })
  return {
    text: [text.trim(), ...all('remarks')].join('\n\n').trim(),
    params: new Map(params),
    returns: all('returns').join(' '),
    throws: all('throws'),
    examples: all('example'),
    see: all('see'),
    default: all('default').join(' '),
    rpc: all('rpc').join(', '),
    isInternal: tags.some(({ tag }) => tag === 'internal'),
  }
}

/** Makes links of `{@link Name}`. */
export const linkInline = (text: string, to: LinkTo): string =>
  text.replaceAll(/\{@link ([^\s}|]+)(?:\s*\|\s*([^}]+))?\}/g, (_, target: string, label = target) => {
    const address = /^https?:/.test(target) ? target : to(target)
    return address === null ? `\`${label}\`` : `[${label}](${address})`
  })

export const firstParagraph = (text: string): string => text.split('\n\n', 1)[0] ?? ''
