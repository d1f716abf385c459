import { Page } from '../../ui/page.tsx'

/** To be built. */
export function HowPage() {
  return <Page title="How it works">{null}</Page>
}
