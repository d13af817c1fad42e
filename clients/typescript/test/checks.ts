// Checks of the programs.
import { Encoded, KvError, KvU64, type WebSocketConstructor } from "../dist/index.js";

/** A socket that counts the rows and entries, and the bytes, that it received. */
type Observed = WebSocket & { rows: number; bytes: number };

export function equal(actual: unknown, expected: unknown, what: string): void {
  const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== e) throw new Error(`${what}: ${a} (expected: ${e})`);
}

export async function failure(work: Promise<unknown> | AsyncGenerator<unknown>): Promise<KvError> {
  const steps = Symbol.asyncIterator in work ? (async () => { for await (const _ of work); })() : work;
  const reason = await steps.then(() => undefined, (thrown: unknown) => thrown);
  if (!(reason instanceof KvError)) throw new Error(`no KvError but ${String(reason)}`);
  return reason;
}

export async function take<E>(events: AsyncGenerator<E>, until: (event: E) => boolean): Promise<E[]> {
  const taken: E[] = [];
  for (;;) {
    const { done, value } = await events.next();
    if (done) throw new Error(`ended after ${JSON.stringify(taken)}`);
    taken.push(value);
    if (until(value)) return taken;
  }
}

/** Returns a constructor of WebSockets, and the sockets that it has constructed. */
export function observing(webSocket: typeof WebSocket): { sockets: Observed[]; Observing: WebSocketConstructor } {
  const sockets: Observed[] = [];
  const Observing = class extends webSocket {
    rows = 0;
    bytes = 0;
    constructor(address: string, protocols: string[]) {
      super(address, protocols);
      sockets.push(this);
      this.addEventListener("message", ({ data }) => {
        const frame = JSON.parse(data);
        this.rows += (frame.rows ?? frame.entries)?.length ?? 0;
        this.bytes += new TextEncoder().encode(data).length;
      });
    }
  } as unknown as WebSocketConstructor;
  return { sockets, Observing };
}

/** Compares keys and values by what JavaScript tells apart. */
export function same(actual: unknown, expected: unknown, what: string): void {
  equal(describe(actual), describe(expected), what);
}

function describe(value: unknown): string {
  const all = (parts: Iterable<unknown>) => Array.from(parts, describe).join();
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "string") return JSON.stringify(value);
  if (Object.is(value, -0)) return "-0";
  if (typeof value !== "object" || value === null) return String(value);
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  if (value instanceof KvU64) return `KvU64(${value.value})`;
  if (value instanceof Encoded) return `Encoded(${JSON.stringify(value.json)})`;
  if (value instanceof Date) return `Date(${value.getTime()})`;
  if (value instanceof RegExp) return JSON.stringify(String(value));
  if (value instanceof Map || value instanceof Set) return `${kind}(${all(value)})`;
  if (value instanceof ArrayBuffer) return `ArrayBuffer(${new Uint8Array(value).join()})`;
  if (ArrayBuffer.isView(value)) return `${kind}(${new Uint8Array(value.buffer, value.byteOffset, value.byteLength).join()})`;
  if (value instanceof Error) return `${value.name}(${all([value.message, value.stack, value.cause])})`;
  if (kind !== "Array" && kind !== "Object") return `${kind}(${describe(value.valueOf())})`;
  const parts = Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}:${describe(part)}`).join();
  return `${kind}(${Array.isArray(value) ? `${value.length},` : ""}${parts})`;
}
