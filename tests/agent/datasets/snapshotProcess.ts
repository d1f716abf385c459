/** Takes a snapshot of spot prices, as a process that may be killed. Arguments: the URL of EIA's API, and the folder. */
import { takeFrom } from './datasetApi.ts'

const [, , url = '', out = ''] = process.argv
const { manifest } = await takeFrom({ url }, out, { keep: 2 })
console.log(manifest.root)
