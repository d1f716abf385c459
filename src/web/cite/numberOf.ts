/** Returns the double nearest to a value as EIA sent it; null if it is withheld, also by a text such as `w`. */
export const numberOf = (value: string | null): number | null =>
  value !== null &&
  /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value) &&
  Number.isFinite(Number(value))
    ? Number(value)
    : null
