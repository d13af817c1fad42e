export { AtomicOperation } from "./atomic.js";
export { Client, type ClientOptions } from "./client.js";
export { Encoded, KvU64 } from "./codec.js";
export { Collection } from "./collection.js";
export type { WebSocketConstructor, WebSocketLike } from "./connection.js";
export { KvError } from "./error.js";
export { Queue } from "./queue.js";
export type * from "./types.js";
