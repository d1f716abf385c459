import { searchWords } from '@wattfeed/eia/catalog'
import { shapeOf } from '../../../../api/shape.ts' with { type: 'macro' }
import { fetchAnswer } from '../../data/answers.ts'
import { type Dataset, searchedText } from './dataset.ts'

const shape = shapeOf('datasetsBody')

/** Searches as `searchDatasets` does, and each word may also be in the description, which only the server searches. @throws {AnswerError} */
export async function searchDescriptions(
  datasets: readonly Dataset[],
  words: string,
  signal: AbortSignal,
): Promise<readonly Dataset[]> {
  let found = datasets
  for (const word of searchWords(words)) {
    if (found.length === 0) break
    const { body } = await fetchAnswer(`/v1/datasets?q=${encodeURIComponent(word)}`, shape, { signal })
    const routes = new Set(body.datasets.map(({ route }) => route))
    found = found.filter((dataset) => routes.has(dataset.route) || searchedText(dataset).includes(word))
  }
  return found
}
