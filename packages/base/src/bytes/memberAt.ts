/** Returns the member of a JSON value at a path of names, or undefined if it is missing. */
export function memberAt(value: unknown, ...names: readonly string[]): unknown {
  let found = value
  for (const name of names) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = Reflect.get(found, name)
  }
  return found
}
