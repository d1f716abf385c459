/** Whether a signed LEB128 that ends with these two bytes means the same without the last. */
export function isSignedPadding(before: number | undefined, last: number): boolean {
  if (before === undefined) return false
  return (last === 0 && (before & 0x40) === 0) || (last === 0x7f && (before & 0x40) !== 0)
}
