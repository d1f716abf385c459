import { useEffect } from 'preact/hooks'
import { feedIdOf, isFeedsPath } from '../site/feedPath.ts'
import { nearestPage } from '../site/nearest.ts'
import { SERIES_PATH, seriesOf } from '../site/seriesPath.ts'
import { address, followLinks } from './address.ts'
import { FeedsPage } from './pages/feeds/feedsPage.tsx'
import { Connection, Footer, Header } from './ui/frame.tsx'
import { later } from './ui/later.tsx'
import { Page } from './ui/page.tsx'
import { Part } from './ui/part.tsx'
import { Empty } from './ui/states.tsx'

const FeedPage = later('Feed', async () => (await import('./pages/feed/feedPage.tsx')).FeedPage)
const DatasetsPage = later(
  'Datasets',
  async () => (await import('./pages/datasets/datasetsPage.tsx')).DatasetsPage,
)
const SeriesPage = later('Series', async () => (await import('./pages/series/seriesPage.tsx')).SeriesPage)
const CalendarPage = later(
  'Release calendar',
  async () => (await import('./pages/calendar/calendarPage.tsx')).CalendarPage,
)
const StatusPage = later('Status', async () => (await import('./pages/status/statusPage.tsx')).StatusPage)
const HowPage = later('How it works', async () => (await import('./pages/how/howPage.tsx')).HowPage)

export function App() {
  const { path } = address.value
  useEffect(followLinks, [])
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header path={path} />
      <Part key={path} name="Page">
        <Routed path={path.length > 1 ? path.replace(/\/$/, '') : path} />
      </Part>
      <Footer />
      <Connection />
    </>
  )
}

function Routed({ path }: { path: string }) {
  const feedId = feedIdOf(path)
  if (feedId !== null) return <FeedPage key={feedId} feedId={feedId} />
  if (isFeedsPath(path)) return <FeedsPage />
  if (path === '/explorer/datasets') return <DatasetsPage />
  if (path === SERIES_PATH) {
    const series = seriesOf(address.value.query)
    return <SeriesPage key={JSON.stringify(series)} series={series} />
  }
  if (path === '/explorer/calendar') return <CalendarPage />
  if (path === '/explorer/status') return <StatusPage />
  if (path === '/explorer/how') return <HowPage />
  return (
    <Page title="No such page">
      <Empty title="There is no page at this address.">
        <NearestPage path={path} />
        <p>
          <a href="/">All feeds</a>
        </p>
      </Empty>
    </Page>
  )
}

function NearestPage({ path }: { path: string }) {
  const meant = nearestPage(path)
  if (meant === null) return null
  const [href, name] = meant
  return (
    <p>
      Did you mean <a href={href}>{name}</a>?
    </p>
  )
}
