/** Yields to the event loop, unlike a microtask. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve)
    else postToSelf(resolve)
  })
}

/** For browsers, whose timers wait at least 4 ms. */
function postToSelf(done: () => void): void {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    port1.close()
    done()
  }
  port2.postMessage(null)
}
