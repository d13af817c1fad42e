// The same program on Node, on Deno and in a browser: every operation of the client against a real server.
import { collections } from "./collections.js";
import { keys } from "./keys.js";

/** Runs all checks, and reports each group that has passed. */
export async function run(
  url: string, token: string, webSocket: typeof WebSocket, log: (line: string) => void,
): Promise<void> {
  await collections(url, token, webSocket, log);
  await keys(url, token, webSocket, log);
}
