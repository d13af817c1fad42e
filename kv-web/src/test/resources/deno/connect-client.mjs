// Opens a database by the client of the runtime: Deno's own, or @deno/kv in Node.
// Node finds the package by the environment variable DENO_KV_PACKAGE, a folder.

export const isDeno = typeof Deno !== "undefined";

const npm = isDeno
  ? null
  : (await import("node:module")).createRequire(process.env.DENO_KV_PACKAGE + "/")("@deno/kv");

export const args = isDeno ? Deno.args : process.argv.slice(2);
export const KvU64 = isDeno ? Deno.KvU64 : npm.KvU64;

export const open = (url, options = {}) => (isDeno ? Deno.openKv(url) : npm.openKv(url, options));

export const exit = (code) => (isDeno ? Deno.exit(code) : process.exit(code));

export const readLine = (() => {
  let lines;
  return async () => {
    if (!lines) {
      const input = isDeno
        ? Deno.stdin.readable.pipeThrough(new TextDecoderStream())
        : process.stdin.setEncoding("utf8");
      lines = (async function* () {
        let rest = "";
        for await (const chunk of input) {
          rest += chunk;
          const parts = rest.split("\n");
          rest = parts.pop();
          yield* parts;
        }
      })();
    }
    return (await lines.next()).value;
  };
})();

// Equality of everything that can be stored.
export function same(a, b) {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (a.constructor?.name !== b.constructor?.name) return false;
  if (a instanceof Date) return Object.is(a.getTime(), b.getTime());
  if (a instanceof RegExp) return a.source === b.source && a.flags === b.flags;
  if (a instanceof Error) return a.message === b.message;
  if (a instanceof Map) return same([...a], [...b]);
  if (a instanceof Set) return same([...a], [...b]);
  if (a instanceof ArrayBuffer) return same(new Uint8Array(a), new Uint8Array(b));
  if (ArrayBuffer.isView(a)) {
    const bytes = (v) => new Uint8Array(v.buffer, v.byteOffset, v.byteLength);
    const other = bytes(b);
    return a.byteLength === b.byteLength && bytes(a).every((byte, i) => byte === other[i]);
  }
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length &&
    keys.every((k) => Object.hasOwn(b, k) && same(a[k], b[k]));
}

export const show = (value) =>
  JSON.stringify(value, (_, v) =>
    typeof v === "bigint" ? v + "n" : v instanceof Uint8Array ? "bytes " + [...v] : v === undefined ? "undefined" : v);

export function check(condition, message) {
  if (!condition) throw new Error(message);
}

export function equal(actual, expected, what = "") {
  check(same(actual, expected), `${what} was ${show(actual)}, expected ${show(expected)}`);
}

export async function fails(action, part) {
  let result;
  try {
    result = await action();
  } catch (error) {
    check(String(error.message).includes(part), `failed with "${error.message}", expected "${part}"`);
    return;
  }
  throw new Error(`did not fail but gave ${show(result)}, expected "${part}"`);
}
