// Reads a request and its fields, and builds answers as JSON.

// @ts-ignore: decorator
@external("koi", "read")
declare function read(place: usize): void;

/** Return the request, a JSON object. Call it first. */
export function readRequest(length: i32): string {
  const bytes = new ArrayBuffer(length);
  read(changetype<usize>(bytes));
  return String.UTF8.decode(bytes);
}

/** Return the string field of this name, at any depth of the request; empty if there is none. */
export function textOf(request: string, name: string): string {
  const mark = '"' + name + '":"';
  const start = request.indexOf(mark);
  return start < 0 ? "" : unescape(request, start + mark.length);
}

/** Answer with a text. */
export function answer(text: string): i64 {
  return pack('{"ok":"' + escape(text) + '"}');
}

/** Answer with your own JSON. */
export function answerJson(json: string): i64 {
  return pack('{"ok":' + json + "}");
}

/** Say why the request cannot be answered. */
export function fail(reason: string): i64 {
  return pack('{"error":"' + escape(reason) + '"}');
}

/** Return a string as it is written in JSON, without the quotation marks. */
export function escape(text: string): string {
  let out = "";
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code == 0x22 || code == 0x5c) out += "\\" + text.charAt(i);
    else if (code < 0x20) out += "\\u00" + (code < 16 ? "0" : "1") + (code & 15).toString(16);
    else out += text.charAt(i);
  }
  return out;
}

function unescape(json: string, start: i32): string {
  let out = "";
  for (let i = start; i < json.length; i++) {
    const sign = json.charAt(i);
    if (sign == '"') return out;
    if (sign != "\\") out += sign;
    else {
      const next = json.charAt(++i);
      if (next == "n") out += "\n";
      else if (next == "t") out += "\t";
      else if (next == "r") out += "\r";
      else if (next == "b") out += "\b";
      else if (next == "f") out += "\f";
      else if (next == "u") {
        out += String.fromCharCode(<i32>parseInt(json.substr(i + 1, 4), 16));
        i += 4;
      } else out += next;
    }
  }
  return out;
}

function pack(json: string): i64 {
  const bytes = String.UTF8.encode(json);
  return ((<i64>changetype<usize>(bytes)) << 32) | <i64>bytes.byteLength;
}
