import { render } from 'preact'
import { isFeedsPath } from '../site/feedPath.ts'
import { App } from './app.tsx'
import { reloadReadings } from './data/readings.ts'

/** How long the first page waits for its values, because drawing a placeholder for less time is wasted work. */
const PATIENCE_MS = 100

function show(): void {
  const root = document.getElementById('explorer')
  if (root !== null) render(<App />, root)
}

const patience = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE_MS))
if (isFeedsPath(location.pathname)) void Promise.race([reloadReadings(), patience]).then(show)
else show()
