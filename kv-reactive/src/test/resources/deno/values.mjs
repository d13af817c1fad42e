// Shared by the scripts of DenoFileInteropTest: a seeded generator, and the canonical dump of a value
// that ValueDump.java produces too. Object identity shows as #n.

export function random(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const int = (n) => Math.floor(next() * n);
  return { int, of: (list) => list[int(list.length)] };
}

const bits = (n) => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Number.isNaN(n) ? NaN : n);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
};

export const text = (s) => {
  let out = '"';
  for (let i = 0; i < s.length; i++) {
    const c = s.charCodeAt(i);
    out += c >= 32 && c < 127 && c !== 34 && c !== 92 ? s[i] : "\\u" + c.toString(16).padStart(4, "0");
  }
  return out + '"';
};

export const hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");

const ERRORS = ["EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"];

export function dump(root) {
  const seen = new Map();
  const object = (v, show) => {
    if (seen.has(v)) return "#" + seen.get(v);
    const id = seen.size;
    seen.set(v, id);
    return "#" + id + "=" + show();
  };
  const names = (v, keys) => keys.sort().map((k) => text(k) + ":" + walk(v[k])).join(",");
  const isIndex = (k) => String(k >>> 0) === k && k >>> 0 !== 4294967295;
  const walk = (v) => {
    if (v === undefined) return "u";
    if (v === null) return "n";
    if (typeof v === "boolean") return v ? "t" : "f";
    if (typeof v === "number") return "N" + bits(v);
    if (typeof v === "bigint") return "Z" + v;
    if (typeof v === "string") return text(v);
    if (v instanceof Deno.KvU64) return "U" + v.value;
    return object(v, () => {
      if (Array.isArray(v)) {
        const keys = Object.keys(v);
        const elements = keys.filter(isIndex).map((k) => k + ":" + walk(v[k])).join(",");
        return "A" + v.length + "[" + elements + "|" + names(v, keys.filter((k) => !isIndex(k))) + "]";
      }
      if (v instanceof Map) return "M[" + [...v].map(([k, x]) => walk(k) + ">" + walk(x)).join(",") + "]";
      if (v instanceof Set) return "S[" + [...v].map(walk).join(",") + "]";
      if (v instanceof Date) return "D" + bits(v.getTime());
      if (v instanceof RegExp) return "R" + text(v.source) + v.flags;
      if (v instanceof DOMException) return "H" + text(v.name) + text(v.message);
      if (v instanceof Error) {
        const kind = ERRORS.find((n) => Object.getPrototypeOf(v) === globalThis[n].prototype) ?? "Error";
        const own = (n) => (Object.hasOwn(v, n) && v[n] !== undefined ? text(v[n]) : "-");
        return "E" + kind + own("message") + own("stack") + (Object.hasOwn(v, "cause") ? walk(v.cause) : "-");
      }
      if (v instanceof ArrayBuffer) {
        return "B" + hex(new Uint8Array(v)) + (v.resizable ? "/" + v.maxByteLength : "");
      }
      if (ArrayBuffer.isView(v)) {
        return "V" + v.constructor.name + "(" + v.byteOffset + "," + v.byteLength + "," + walk(v.buffer) + ")";
      }
      if (v instanceof Boolean || v instanceof Number || v instanceof String || v instanceof BigInt) {
        return "O" + walk(v.valueOf());
      }
      return "{" + names(v, Object.keys(v)) + "}";
    });
  };
  return walk(root);
}

const UNITS = [0, 1, 9, 34, 65, 92, 122, 127, 128, 233, 255];
const WIDE = [256, 0x20ac, 0xd83d, 0xde2e, 0xd800, 0xdfff, 0xffff];

export function randomString(r, wellFormed = false) {
  const units = r.int(2) ? UNITS : UNITS.concat(WIDE);
  let s = "";
  for (let n = r.int(r.int(8) ? 8 : 300); n > 0; n--) s += String.fromCharCode(r.of(units));
  return wellFormed ? s.toWellFormed() : s;
}

export function randomNumber(r) {
  return r.of([
    0, -0, 1, -1, NaN, Infinity, -Infinity, 0.1, 5e-324, Number.MAX_VALUE, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1,
    2 ** 30, 2 ** 32 - 1, 2 ** 53, r.int(100000), -r.int(100000), r.int(1000) / 7,
  ]);
}

export function randomBigInt(r) {
  const n = r.of([0n, 1n, 255n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n, 3n ** 200n, BigInt(r.int(1e9))]);
  return r.int(2) ? n : -n;
}

export const randomBytes = (r, n) => Uint8Array.from({ length: n }, () => r.of([0, 1, 2, 127, 128, 254, 255]));

const VIEWS = [
  Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float16Array,
  Float32Array, Float64Array, BigInt64Array, BigUint64Array, DataView,
];

function randomBuffer(r) {
  const bytes = randomBytes(r, r.of([0, 3, 8, 16, 32]));
  if (r.int(3)) return bytes.buffer;
  const buffer = new ArrayBuffer(bytes.length, { maxByteLength: bytes.length + r.int(50) });
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

function randomView(r, buffer) {
  const View = r.of(VIEWS);
  const size = View.BYTES_PER_ELEMENT ?? 1;
  const slots = Math.floor(buffer.byteLength / size);
  const skip = r.int(slots + 1);
  if (!r.int(3) && (buffer.byteLength - skip * size) % size === 0) return new View(buffer, skip * size);
  return new View(buffer, skip * size, r.int(slots - skip + 1));
}

function randomError(r, pool, fill) {
  const Kind = r.of([Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]);
  const error = new Kind(randomString(r));
  pool.push(error);
  if (!r.int(4)) delete error.message;
  if (!r.int(4)) delete error.stack;
  if (!r.int(4)) error.stack = randomString(r);
  if (!r.int(2)) error.cause = fill();
  return error;
}

export function randomKey(r) {
  return r.of(["a", "b", "", "0", "7", "01", "-1", "1.5", "4294967294", "4294967295", "2147483648", "__proto__", "\u20ac", randomString(r)]);
}

/** A value of any kind; pool holds the objects of the same graph, to share them and to close cycles. */
export function randomValue(r, depth = 4, pool = []) {
  const fill = () => randomValue(r, depth - 1, pool);
  const put = (v) => (pool.push(v), v);
  const times = (f) => { for (let n = r.int(5); n > 0; n--) f(); };
  const scalars = [
    () => undefined, () => null, () => true, () => false, () => randomNumber(r), () => randomNumber(r),
    () => randomString(r), () => randomString(r), () => randomBigInt(r),
  ];
  const objects = [
    () => put(new Date(r.of([0, 1e12, -1.5e12, NaN, 8.64e15]))),
    () => put(new RegExp(r.of(["a", "[^a]+", "", "\\d{2,}", "\u20ac"]), r.of(["", "g", "gim", "y", "su", "dv"]))),
    () => put(Object(r.of([true, false, 5, -0, "s", "\u20ac", 5n, -(2n ** 70n)]))),
    () => put(randomBuffer(r)),
    () => put(randomBytes(r, r.int(20))),
    () => {
      const known = pool.filter((v) => v instanceof ArrayBuffer);
      return put(randomView(r, known.length && r.int(2) ? r.of(known) : randomBuffer(r)));
    },
    () => { const known = pool.filter((v) => ArrayBuffer.isView(v)); return known.length ? put(r.of(known).buffer) : fill(); },
    () => put(new DOMException(randomString(r), r.of(["AbortError", "Whatever"]))),
  ];
  const containers = [
    () => { const o = put({}); times(() => { Object.defineProperty(o, randomKey(r), { value: fill(), enumerable: true, configurable: true, writable: true }); }); return o; },
    () => { const o = put({}); times(() => { o["p" + r.int(9)] = fill(); }); return o; },
    () => { const a = put([]); times(() => a.push(fill())); return a; },
    () => { const a = put([]); times(() => a.push(randomNumber(r))); return a; },
    () => { const a = put([]); times(() => { a[r.of([0, 1, 2, 50, 4294967294])] = fill(); }); if (r.int(2)) a.note = fill(); return a; },
    () => { const a = put([]); times(() => a.push(fill())); a.index = fill(); a["\u20ac"] = 1; return a; },
    () => put(new Array(r.of([0, 3, 1000, 4294967295]))),
    () => { const m = put(new Map()); times(() => m.set(fill(), fill())); return m; },
    () => { const s = put(new Set()); times(() => s.add(fill())); return s; },
    () => randomError(r, pool, fill),
  ];
  if (pool.length && !r.int(6)) return r.of(pool);
  const kinds = depth <= 0 ? scalars : r.int(3) ? containers : r.int(2) ? objects : scalars;
  return r.of(kinds)();
}
