/** A key of EIA's API with its name, as sent or percent-encoded. It ends before the next parameter. */
const KEY = /(api(?:_|%(?:25)*5f)key(?:=|%(?:25)*3d))[^&]*/gi

/** Redacts the key of EIA's API in a text of a request. A malformed URL may have it in the path, or in another parameter. */
export const redactEiaKey = (text: string): string => text.replace(KEY, '$1[redacted]')
