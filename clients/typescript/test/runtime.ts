// Differences between Node and Deno.
declare const process: { argv: string[] } | undefined;
declare const Deno: { args: string[] } | undefined;

/** The arguments of the program. */
export const args = typeof Deno === "undefined" ? process!.argv.slice(2) : Deno.args;

const ws = "ws"; // of the package of this name, for Node before 22

/** The constructor of WebSockets. */
export const webSocket = (globalThis.WebSocket ?? (await import(ws)).WebSocket) as typeof WebSocket;
