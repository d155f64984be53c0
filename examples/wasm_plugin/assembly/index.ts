import { answer, fail, readRequest, textOf } from "./koi";

/** The only function that OpenKoi calls: reads a request of `length` bytes, and returns where the answer is. */
export function koi_call(length: i32): i64 {
  const request = readRequest(length);
  if (textOf(request, "tool") != "count") return fail("There is no such tool.");
  return answer(countWords(textOf(request, "text")).toString() + " words");
}

function countWords(text: string): i32 {
  let count = 0;
  let inside = false;
  for (let i = 0; i < text.length; i++) {
    const space = text.charCodeAt(i) <= 0x20;
    if (inside && space) count++;
    inside = !space;
  }
  return inside ? count + 1 : count;
}
