/** Ends when whatever else waits for the event loop has had its turn; a microtask would not let it. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve)
    else postToSelf(resolve)
  })
}

/** What browsers have in its place: their timers wait for 4 ms. */
function postToSelf(done: () => void): void {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    port1.close()
    done()
  }
  port2.postMessage(null)
}
