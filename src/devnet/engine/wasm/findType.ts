import type { FunctionType } from './wasmModule.ts'

/** The index of a type in a list that it is added to where it is not there. */
export function findType(types: FunctionType[], wanted: FunctionType): number {
  const index = types.findIndex(
    ({ params, results }) => isSame(params, wanted.params) && isSame(results, wanted.results),
  )
  return index === -1 ? types.push(wanted) - 1 : index
}

const isSame = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((type, index) => type === b[index])
