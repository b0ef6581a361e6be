// The WebAssembly module in a thread of its own, so that the page stays alive while a tree is built.
//
// A message is {id, request, bytes}: a request of web/module/requests.h and, for `load`, the bytes of a file. The reply
// is {id, answer, data}, with copies of pixels or boxes that the answer points to.

importScripts("copse-web.js");

/// Unpacks what gzip packed. The module has no zlib; browsers have.
async function unpacked(bytes) {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/// Returns the module. Its file is packed too, because not every server packs what it sends.
async function start() {
  const reply = await fetch("copse-web.wasm.gz");
  if (!reply.ok) throw new Error(`copse-web.wasm.gz: the server says ${reply.status}`);
  return copseModule({ wasmBinary: await unpacked(new Uint8Array(await reply.arrayBuffer())) });
}
const starting = start();

/// Returns the answer of the module to a request.
function ask(module, request) {
  const text = JSON.stringify(request);
  const room = module.lengthBytesUTF8(text) + 1;
  const at = module._malloc(room);
  if (at === 0) throw new Error("the memory of the page is full; a smaller mesh may fit");
  module.stringToUTF8(text, at, room);
  const answer = module.UTF8ToString(module._copse_page_answer(at));
  module._free(at);
  return JSON.parse(answer);
}

async function load(module, request, packed) {
  const bytes = await unpacked(packed);
  const at = module._malloc(Math.max(bytes.length, 1));
  if (at === 0) throw new Error(`the memory of the page has no room for ${bytes.length} bytes`);
  module.HEAPU8.set(bytes, at);
  const answer = ask(module, { ...request, bytes: at >>> 0, size: bytes.length });
  module._free(at);
  return answer;
}

/// Returns a copy of what an answer points to, or nothing.
function dataOf(module, request, answer) {
  if (answer.pixels !== undefined) {
    return new Uint8ClampedArray(module.HEAPU8.buffer, answer.pixels, 4 * request.width * request.height).slice();
  }
  if (answer.floats !== undefined) return new Float32Array(module.HEAPU8.buffer, answer.floats, 6 * answer.shown).slice();
  return undefined;
}

async function answerTo({ request, bytes }) {
  try {
    const module = await starting;
    const answer = bytes ? await load(module, request, bytes) : ask(module, request);
    return { answer, data: answer.error ? undefined : dataOf(module, request, answer) };
  } catch (error) {
    return { answer: { error: error.message ?? String(error) } };
  }
}

let last = Promise.resolve();
onmessage = ({ data: message }) => {
  last = last.then(async () => {
    const reply = await answerTo(message);
    postMessage({ id: message.id, ...reply }, reply.data ? [reply.data.buffer] : []);
  });
};
