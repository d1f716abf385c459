import { useEffect, useState } from 'preact/hooks'
import type { ApiIndexBody } from '../../../api/schemas.ts'
import { shapeOf } from '../../../api/shape.ts' with { type: 'macro' }
import { fetchAnswer, type ServerAnswer } from './answers.ts'

/** Returns the server's description of itself; null until it is known. */
export function useServerIndex(): ApiIndexBody | null {
  const [index, setIndex] = useState<ApiIndexBody | null>(null)
  useEffect(() => {
    fetchIndex().then(setIndex, () => {})
  }, [])
  return index
}

/** Returns whether the server has snapshots of datasets, and so answers about their series. */
export const hasDatasets = ({ endpoints }: ApiIndexBody): boolean => '/v1/series/proof' in endpoints

const shape = shapeOf('apiIndexBody')
let requested: Promise<ServerAnswer<ApiIndexBody>> | null = null

/** Requests the description once, and again after a failure. @throws {AnswerError} */
async function fetchIndex(): Promise<ApiIndexBody> {
  requested ??= fetchAnswer('/', shape)
  try {
    return (await requested).body
  } catch (error) {
    requested = null
    throw error
  }
}
