import { Page } from '../../ui/page.tsx'

/** To be built. */
export function StatusPage() {
  return <Page title="Status">{null}</Page>
}
