// node restart-main.js URL TOKEN: lines of stdin tell that the server is down, and that it is up.
import { restart } from "./restart.js";
import { args, webSocket } from "./runtime.js";

declare const process: { stdin: AsyncIterable<unknown>; exit(): void };

const input = process.stdin[Symbol.asyncIterator]();
await restart(args[0]!, args[1]!, webSocket, () => input.next(), line => console.log(line));
process.exit(); // an open stdin keeps Deno running
