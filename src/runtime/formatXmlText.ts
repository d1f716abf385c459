import { printable } from './printable.ts'

const REPLACEMENT = '\u{fffd}'

/** Characters that XML does not allow, even escaped. */
const illegal = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu

/** Formats an untrusted text for SVG, XML and HTML: escaped, with visible control characters. */
export const formatXmlText = (text: string): string =>
  Bun.escapeHTML(printable(text).replace(illegal, REPLACEMENT))
