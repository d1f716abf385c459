import { editDistance } from '@wattfeed/base'
import { places } from './places.ts'

/** Two texts are alike if less than half of the letters differ. */
const MAX_UNLIKENESS = 0.5

/** Returns the share of letters that differ: 0 for equal texts, 1 for texts without a common letter. */
const unlikeness = (one: string, other: string): number =>
  editDistance(one, other) / Math.max(one.length, other.length, 1)

/** A page of the navigation: path and name. */
export type Place = (typeof places)[number]

/** More letters than a path of these pages has. */
const MAX_PATH = 40

/** Returns the page that an unknown path most likely means, by the whole path or its first part; null if none is alike. */
export function nearestPage(path: string): Place | null {
  const asked = path
    .toLowerCase()
    .replace(/^\/explorer\/+|^\/+/, '')
    .replace(/\/+$/, '')
    .slice(0, MAX_PATH)
  const [first = ''] = asked.split('/')
  const ranked = places.map((place) => {
    const [href] = place
    const name = href === '/' ? 'feeds' : href.replace(/^\/(explorer\/)?/, '')
    return { place, distance: Math.min(unlikeness(asked, name), unlikeness(first, name)) }
  })
  const [best] = ranked.sort((one, other) => one.distance - other.distance)
  return best !== undefined && best.distance < MAX_UNLIKENESS ? best.place : null
}

const MAX_FOUND = 3
/** In UTF-16 units. Ids may be longer, but comparing those would take long. */
const MAX_ID = 100
/** How many ids are compared letter by letter. The others differ more between their first and their last letters. */
const MAX_COMPARED = 50

/** Returns the ids that an unknown one most likely means, the nearest first: those that contain it, then those that are alike. */
export function nearestIds(id: string, ids: readonly string[]): string[] {
  const asked = folded(id)
  return ids
    .map((each) => ({ id: each, text: folded(each), isLonger: contains(folded(each), asked) }))
    .map((each) => ({ ...each, middle: each.isLonger ? 0 : middleOf(asked, each.text) }))
    .sort((one, other) => one.middle - other.middle)
    .slice(0, MAX_COMPARED)
    .map(({ id, text, isLonger }) => ({ id, distance: isLonger ? 0 : unlikeness(asked, text) }))
    .filter(({ distance }) => distance < MAX_UNLIKENESS)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, MAX_FOUND)
    .map(({ id }) => id)
}

const folded = (id: string): string => id.slice(0, MAX_ID).toLowerCase()

/** Shorter parts are in too many ids. */
const MIN_PART = 3

const contains = (text: string, part: string): boolean => part.length >= MIN_PART && text.includes(part)

/** Returns the length of what differs between the common start and the common end of two texts. */
function middleOf(one: string, other: string): number {
  const [short, long] = [Math.min(one.length, other.length), Math.max(one.length, other.length)]
  let start = 0
  while (start < short && one[start] === other[start]) start++
  let end = 0
  while (end < short - start && one.at(-1 - end) === other.at(-1 - end)) end++
  return long - start - end
}
