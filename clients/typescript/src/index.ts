export { Client, type ClientOptions } from "./client.js";
export { Collection } from "./collection.js";
export type { WebSocketConstructor, WebSocketLike } from "./connection.js";
export { KvError } from "./error.js";
export type * from "./types.js";
