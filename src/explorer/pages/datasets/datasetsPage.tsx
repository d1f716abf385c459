import { Page } from '../../ui/page.tsx'

/** To be built. */
export function DatasetsPage() {
  return <Page title="Datasets">{null}</Page>
}
