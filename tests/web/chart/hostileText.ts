import { anyCharacter } from '@wattfeed/testing/anyCharacter'
import fc from 'fast-check'

/** Pieces that end a text, an attribute, an element, a field or a command in one of the formats. */
const pieces = [
  '</title>',
  '</style><script>alert(1)</script>',
  ']]>',
  '<!--',
  '-->',
  '&amp;',
  '&#0;',
  '"',
  "'",
  '`',
  '<',
  '>',
  '&',
  '{',
  '}',
  '\\',
  '\\end{document}',
  '%',
  '$',
  '_',
  '^',
  '~',
  '@misc{',
  ',\n',
  '\u0000',
  '\u001b[2J',
  '\u202e',
  '\u2028',
  '\ud800',
  '\uffff',
  '$&',
  'onload=alert(1)',
  'javascript:alert(1)',
]

/** Texts that anyone can write on the chain. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: anyCharacter, maxLength: 12 })), {
    maxLength: 8,
  })
  .map((parts) => parts.join(''))
