// The JSON of keys and values, as docs/json.md describes it.
import { KvError } from "./error.js";
import type { KvKey, KvKeyPart } from "./types.js";

const MAX_DEPTH = 512; // of the server
const MAX_HOLES = 10_000;
const BASE64_CHUNK = 0x8000; // arguments of one call

/** An unsigned 64-bit integer, as the sums of Deno KV store it. It is a whole value, never a part of one. */
export class KvU64 {
  readonly value: bigint;

  constructor(value: bigint) {
    if (typeof value !== "bigint" || value !== BigInt.asUintN(64, value)) {
      throw new RangeError(`${value} (expected: a bigint from 0 to 2^64 - 1)`);
    }
    this.value = value;
  }
}

/**
 * The JSON of a value, of a part of a value, or of a part of a key that has no equal in this runtime. Passing it back gives
 * the same bytes. Examples are an object that contains itself (`$v8`), and the only part of a key in an unusual encoding
 * (`$key`).
 */
export class Encoded {
  readonly json: unknown;

  constructor(json: unknown) {
    this.json = json;
  }
}

// ---- keys

/** Returns the JSON of a key. Errors: INVALID_KEY. */
export function encodeKey(key: KvKey): unknown {
  if (!Array.isArray(key)) throw invalidKey(`${kindOf(key)} (expected: an array of parts)`);
  const parts = key.map(encodePart);
  const whole = parts.length === 1 && Object.hasOwn(Object(parts[0]), "$key");
  return whole ? parts[0] : parts;
}

function encodePart(part: unknown, index: number): unknown {
  if (typeof part === "string" || typeof part === "boolean") return part;
  if (typeof part === "number") return encodeNumber(part);
  if (typeof part === "bigint") return { $bigint: part.toString() };
  if (part instanceof Uint8Array) return { $bytes: toBase64(part) };
  if (part instanceof Encoded) return part.json;
  throw invalidKey(`part ${index}: ${kindOf(part)} (expected: a string, number, bigint, boolean or Uint8Array)`);
}

/** Returns the key of its JSON. */
export function decodeKey(json: unknown): KvKey {
  const parts = Array.isArray(json) ? json : [json]; // $key
  // NaN with its sign bit is another part than NaN, which JavaScript does not distinguish
  return parts.map(part => (part.$number === "-NaN" || part.$key !== undefined ? new Encoded(part) : decodeValue(part) as KvKeyPart));
}

function invalidKey(detail: string): KvError {
  return KvError.local("INVALID_KEY", detail, false);
}

// ---- values

/** Returns the JSON of a value. Errors: INVALID_VALUE. */
export function encodeValue(value: unknown): unknown {
  return encode(value, 0);
}

function encode(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case "string":
      return encodeString(value);
    case "number":
      return encodeNumber(value);
    case "boolean":
      return value;
    case "bigint":
      return { $bigint: value.toString() };
    case "undefined":
      return { $undefined: true };
    case "object":
      if (value === null) return null;
      if (depth >= MAX_DEPTH) throw invalidValue(`nests more than ${MAX_DEPTH} deep, or contains itself`);
      return encodeObject(value, depth + 1);
    default:
      throw invalidValue(`a ${typeof value} cannot be stored`);
  }
}

function encodeNumber(number: number): unknown {
  return Number.isFinite(number) && !Object.is(number, -0) ? number : { $number: Object.is(number, -0) ? "-0" : `${number}` };
}

/** Returns text, or pieces of it around the surrogates without a partner, which UTF-8 cannot express. */
function encodeString(text: string): unknown {
  if (!/\p{Surrogate}/u.test(text)) return text;
  const pieces = text.split(/(\p{Surrogate})/u).filter(piece => piece !== "");
  return { $string: pieces.map(piece => (/^\p{Surrogate}$/u.test(piece) ? piece.charCodeAt(0) : piece)) };
}

function encodeObject(value: object, depth: number): unknown {
  const inner = (part: unknown) => encode(part, depth);
  if (Array.isArray(value)) return encodeArray(value, inner);
  if (value instanceof Encoded) return value.json;
  if (value instanceof KvU64) return { $u64: value.value.toString() };
  if (value instanceof Date) return { $date: Number.isNaN(value.getTime()) ? null : value.toISOString() };
  if (value instanceof Map) return { $map: Array.from(value, entry => entry.map(inner)) };
  if (value instanceof Set) return { $set: Array.from(value, inner) };
  if (value instanceof Uint8Array) return { $bytes: toBase64(value) };
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return { $typedArray: { type: kindOf(value), bytes: toBase64(bytes) } };
  }
  if (value instanceof ArrayBuffer) return { $arrayBuffer: toBase64(new Uint8Array(value)) };
  if (value instanceof RegExp) return { $regexp: { source: encodeString(value.source), flags: value.flags } };
  if (value instanceof Error) return encodeError(value, inner);
  if (value instanceof String || value instanceof Number || value instanceof Boolean || value instanceof BigInt) {
    return { $boxed: inner(value.valueOf()) };
  }
  if (kindOf(value) !== "Object") throw invalidValue(`a ${kindOf(value)} cannot be stored`);
  const names = Object.keys(value);
  const properties = Object.fromEntries(names.map(name => [name, inner((value as Record<string, unknown>)[name])]));
  return names.some(name => name.startsWith("$")) ? { $object: properties } : properties;
}

function encodeArray(array: unknown[], inner: (part: unknown) => unknown): unknown {
  const names = Object.keys(array);
  const holes = array.length - names.length;
  if (holes > MAX_HOLES) throw invalidValue(`an array with more than ${MAX_HOLES} holes`);
  const json = Array.from(array, (element, index) => (index in array ? inner(element) : { $hole: true }));
  const present = holes === 0 ? json.length : json.filter((_, index) => index in array).length;
  if (names.length !== present || (names.length > 0 && !(Number(names.at(-1)) < array.length))) {
    throw invalidValue("an array with named properties");
  }
  return holes === 0 ? json : { $sparse: json };
}

const ERRORS: Record<string, ErrorConstructor> = {
  Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError,
};

function encodeError(error: Error, inner: (part: unknown) => unknown): unknown {
  return {
    $error: {
      name: Object.hasOwn(ERRORS, error.name) ? error.name : "Error",
      ...(Object.hasOwn(error, "message") ? { message: encodeString(error.message) } : {}),
      ...(error.stack === undefined ? {} : { stack: encodeString(error.stack) }),
      ...(Object.hasOwn(error, "cause") ? { cause: inner(error.cause) } : {}),
    },
  };
}

function decodeError({ name, message, stack, cause }: Record<string, unknown>, hasCause: boolean): Error {
  const create = ERRORS[name as string]!;
  const options = hasCause ? { cause: decodeValue(cause) } : undefined;
  const error = message === undefined ? new create(undefined, options) : new create(decodeValue(message) as string, options);
  const value = stack === undefined ? undefined : decodeValue(stack);
  return Object.defineProperty(error, "stack", { value, writable: true, configurable: true });
}

/** Returns the value of its JSON; `Encoded` if this runtime has no such value. */
export function decodeValue(json: unknown): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return decodeArray(json);
  const names = Object.keys(json);
  if (names.length !== 1 || !names[0]!.startsWith("$")) return decodeProperties(json);
  const form = FORMS.get(names[0]!);
  try {
    return form ? form((json as Record<string, any>)[names[0]!]) : new Encoded(json);
  } catch {
    return new Encoded(json); // such as flags of a regular expression that this runtime does not have
  }
}

const FORMS = new Map<string, (payload: any) => unknown>([
  ["$number", name => (name === "-NaN" ? NaN : Number(name))],
  ["$bigint", digits => BigInt(digits)],
  ["$undefined", () => undefined],
  ["$object", properties => decodeProperties(properties)],
  ["$bytes", text => fromBase64(text)],
  ["$u64", digits => new KvU64(BigInt(digits))],
  ["$date", decodeDate],
  ["$map", entries => new Map(entries.map((entry: unknown[]) => entry.map(decodeValue)))],
  ["$set", members => new Set(members.map(decodeValue))],
  ["$regexp", ({ source, flags }) => new RegExp(decodeValue(source) as string, flags)],
  ["$error", payload => decodeError(payload, "cause" in payload)],
  ["$sparse", elements => decodeArray(elements)],
  ["$typedArray", ({ type, bytes }) => decodeView(type, fromBase64(bytes).buffer)],
  ["$arrayBuffer", text => fromBase64(text).buffer],
  ["$boxed", value => Object(decodeValue(value))],
  ["$string", pieces => pieces.map((piece: unknown) => (typeof piece === "number" ? String.fromCharCode(piece) : piece)).join("")],
]);

function decodeProperties(json: object): object {
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, decodeValue(value)]));
}

function decodeArray(json: unknown[]): unknown[] {
  const array: unknown[] = new Array(json.length);
  json.forEach((element, index) => {
    if ((element as { $hole?: unknown } | null)?.$hole !== true) array[index] = decodeValue(element);
  });
  return array;
}

/** Years beyond 9999 and before 0 have a sign, and in JavaScript six digits. */
function decodeDate(text: string | null): Date {
  const date = new Date(text?.replace(/^([+-])(\d+)/, (_, sign: string, digits: string) => sign + digits.padStart(6, "0")) ?? NaN);
  if (text !== null && Number.isNaN(date.getTime())) throw new RangeError(text);
  return date;
}

function decodeView(type: string, buffer: ArrayBuffer): ArrayBufferView {
  if (!/^(DataView|[A-Z]\w+Array)$/.test(type)) throw new RangeError(type);
  return new (globalThis as any)[type](buffer);
}

function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

function invalidValue(detail: string): KvError {
  return KvError.local("INVALID_VALUE", detail, false);
}

// ---- bytes

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += BASE64_CHUNK) text += String.fromCharCode(...bytes.subarray(i, i + BASE64_CHUNK));
  return btoa(text);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), char => char.charCodeAt(0));
}
