import type { CalendarBody } from '../../../../api/schemas.ts'
import { calendar } from '../../data/calendar.ts'
import { readings } from '../../data/readings.ts'
import { Page } from '../../ui/page.tsx'
import { Fault, Loading, Stale } from '../../ui/states.tsx'
import { Past } from './past.tsx'
import { Planned } from './planned.tsx'

export function CalendarPage() {
  const { answer, fault, heardAt } = calendar.state.value
  const titles = readings.value
  // Shown together, so that nothing moves when the titles arrive.
  const isWaiting = titles.heardAt === null && titles.fault === null
  return (
    <Page title="Release calendar">
      <p class="lead">
        When EIA releases new values, by its rules, and when past ones came on chain. Times are in your time
        zone. <a href="/docs/status#follow-releases">How the calendar is made</a>
      </p>
      {answer !== null && fault !== null && heardAt !== null && <Stale fault={fault} heardAt={heardAt} />}
      {answer === null && fault !== null && <Fault fault={fault} retry={calendar.reload} />}
      {(answer === null || isWaiting) && fault === null && <Loading what="the calendar" lines={16} />}
      {answer !== null && !isWaiting && <Loaded answer={answer} />}
    </Page>
  )
}

const Loaded = ({ answer }: { answer: CalendarBody }) => (
  <>
    {answer.notice !== null && (
      <div class="notice">
        <p>{answer.notice}</p>
      </div>
    )}
    <Subscribe answer={answer} />
    <section class="part">
      <h2>Planned releases</h2>
      <Planned calendar={answer} />
    </section>
    <section class="part">
      <h2>Planned and attested</h2>
      <Past calendar={answer} />
    </section>
  </>
)

function Subscribe({ answer: { icalendar, atom } }: { answer: CalendarBody }) {
  return (
    <ul class="subscribe">
      <li>
        <a href={`webcal://${location.host}${icalendar}`}>Subscribe in a calendar program</a>
      </li>
      <li>
        <a href={icalendar} download="wattfeed.ics">
          Download the calendar
        </a>
      </li>
      {atom !== null && (
        <li>
          <a href={atom}>Follow new values (Atom)</a>
        </li>
      )}
    </ul>
  )
}
