/** A group of pages in reading order. */
export interface ContentsGroup {
  title: string
  pages: { title: string; address: string }[]
}

/**
 * Reads the order of pages from the first page of the documentation. Each second-level heading is that of a group. Each item of the
 * list below it starts with a link to a page.
 *
 * @param addressOf returns the address of a page by its file below `docs/`
 * @throws {Error} when a link does not lead to a page
 */
export function listContents(readme: string, addressOf: (file: string) => string | null): ContentsGroup[] {
  const [, ...parts] = readme.split(/^## /m)
  return parts.map((part) => {
    const title = part.slice(0, part.indexOf('\n'))
    const pages = [...part.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)/gm)].map(([, name = '', file = '']) => {
      const address = addressOf(file)
      if (address === null) throw new Error(`docs/README.md links to ${file}, which is not a page`)
      return { title: name, address }
    })
    return { title, pages }
  })
}
