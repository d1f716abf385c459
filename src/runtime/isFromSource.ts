/** Whether this program runs from source. A bundle, in the binary or in the package, cannot write to its own files. */
export const isFromSource = import.meta.path.endsWith('isFromSource.ts')
