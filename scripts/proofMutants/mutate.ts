/** Changes proofs at random, as `docs/verify-spec.md` defines it. A verifier in another language makes the same mutants. */

type Json = unknown
type Container = Record<string | number, Json>

/** A value below the root of a document. */
interface Place {
  parent: Container
  name: string | number
  /** The name of the member that holds the value, or the list that it is in. */
  member: string
}

/** Returns a generator of 32-bit numbers below a limit: xorshift32. */
function createDraws(mutant: number): (limit: number) => number {
  let state = Math.imul(mutant + 1, 2_654_435_761) >>> 0
  return (limit) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state % limit
  }
}

type Draw = ReturnType<typeof createDraws>

/** Lists all values below the root: members and items in order, each before what it contains. */
function placesOf(json: Json, member = ''): Place[] {
  if (typeof json !== 'object' || json === null) return []
  const parent = json as Container
  return Object.entries(json).flatMap(([key, value]) => {
    const isList = Array.isArray(json)
    const place = { parent, name: isList ? Number(key) : key, member: isList ? member : key }
    return [place, ...placesOf(value, place.member)]
  })
}

const valueIn = ({ parent, name }: Place): Json => parent[name]

function pick<T>(candidates: readonly T[], draw: Draw): T {
  const picked = candidates[draw(candidates.length)]
  if (picked === undefined) throw new Error('a document has no such value')
  return picked
}

const isHex = (value: Json, minDigits: number): value is string =>
  typeof value === 'string' && value.length >= minDigits && /^(?:[0-9a-f]{2})+$/.test(value)

function changeBytes(places: readonly Place[], draw: Draw, minDigits: number): void {
  const place = pick(
    places.filter((each) => isHex(valueIn(each), minDigits)),
    draw,
  )
  const bytes = [...Uint8Array.fromHex(String(valueIn(place)))]
  const how = draw(4)
  if (how === 0) {
    const at = draw(bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 + draw(255))
  } else if (how === 1) bytes.splice(draw(bytes.length), 1)
  else if (how === 2) {
    const at = draw(bytes.length + 1)
    bytes.splice(at, 0, draw(256))
  } else {
    const [one, other] = [draw(bytes.length), draw(bytes.length)]
    const kept = bytes[one] ?? 0
    bytes[one] = bytes[other] ?? 0
    bytes[other] = kept
  }
  place.parent[place.name] = Uint8Array.from(bytes).toHex()
}

function changeCharacter(places: readonly Place[], draw: Draw): void {
  const place = pick(
    places.filter((each) => typeof valueIn(each) === 'string' && valueIn(each) !== ''),
    draw,
  )
  const text = String(valueIn(place))
  const at = draw(text.length)
  place.parent[place.name] = text.slice(0, at) + String.fromCharCode(32 + draw(95)) + text.slice(at + 1)
}

function remove(places: readonly Place[], draw: Draw): void {
  const { parent, name } = pick(places, draw)
  if (Array.isArray(parent)) parent.splice(Number(name), 1)
  else delete parent[name]
}

/** The values that replace others. */
const replacements = [
  null,
  true,
  false,
  0,
  -1,
  1,
  2,
  1.5,
  9_007_199_254_740_992,
  '',
  'x',
  '00',
  [],
  {},
  [[]],
  { hash: '' },
]

function replace(places: readonly Place[], draw: Draw): void {
  const { parent, name } = pick(places, draw)
  parent[name] = structuredClone(replacements[draw(replacements.length)])
}

function copy(places: readonly Place[], draw: Draw): void {
  const from = pick(places, draw)
  const to = pick(
    places.filter(({ member }) => member === from.member),
    draw,
  )
  to.parent[to.name] = structuredClone(valueIn(from))
}

function rearrange(places: readonly Place[], draw: Draw): void {
  const lists = places.map(valueIn).filter((value) => Array.isArray(value) && value.length > 0) as Json[][]
  const list = pick(lists, draw)
  const how = draw(3)
  if (how === 0) {
    const at = draw(list.length)
    list.splice(at, 0, structuredClone(list[at]))
  } else if (how === 1) list.reverse()
  else list.push(list.shift())
}

function tweak(places: readonly Place[], draw: Draw): void {
  const place = pick(
    places.filter((each) => ['number', 'boolean', 'string'].includes(typeof valueIn(each))),
    draw,
  )
  const isFirst = draw(2) === 0
  const value = valueIn(place)
  if (typeof value === 'number') place.parent[place.name] = value + (isFirst ? 1 : -1)
  else if (typeof value === 'boolean') place.parent[place.name] = !value
  else place.parent[place.name] = isFirst ? String(value).toUpperCase() : String(value).toLowerCase()
}

/** The least number of digits of a Merkle proof. */
const LONG_DIGITS = 200

/** Makes a mutant by its number: picks one of the documents, and changes a copy of it once. */
export function mutate<T extends { document: Json }>(documents: readonly T[], mutant: number): T {
  const draw = createDraws(mutant)
  const base = pick(documents, draw)
  const document = structuredClone(base.document)
  const places = placesOf(document)
  const kind = draw(10)
  if (kind < 2) changeBytes(places, draw, LONG_DIGITS)
  else if (kind < 4) changeBytes(places, draw, 2)
  else if (kind === 4) changeCharacter(places, draw)
  else if (kind === 5) remove(places, draw)
  else if (kind === 6) replace(places, draw)
  else if (kind === 7) copy(places, draw)
  else if (kind === 8) rearrange(places, draw)
  else tweak(places, draw)
  return { ...base, document }
}
