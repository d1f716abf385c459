import { editDistance } from '@wattfeed/base'

/** Returns whether a name is that of a setting with a letter or two wrong, missing, added or swapped. */
export function isTypo(name: string, setting: string): boolean {
  // Keys of other programs differ at their start: BEA_API_KEY, EPA_API_KEY.
  if (name.slice(0, 2) !== setting.slice(0, 2)) return false
  // One per six letters, at most two: none in PORT and HOST, which are close to PATH, POST and HOME.
  const maxEdits = Math.min(2, Math.floor(setting.length / 6))
  const edits = editDistance(name, setting)
  // Two letters swapped count as two edits.
  return edits <= maxEdits || (maxEdits === 1 && edits === 2 && sortLetters(name) === sortLetters(setting))
}

const sortLetters = (text: string): string => [...text].sort().join('')
