// The same program on Node, on Deno and in a browser: a live query and a change feed across a restart of the server.
import { Client, KvError } from "../dist/index.js";

interface Task {
  id: string;
  n: number;
}

/**
 * Follows a collection across a restart.
 *
 * @param next waits until the server is down, and then until it is up
 */
export async function restart(
  url: string, token: string, webSocket: typeof WebSocket, next: () => Promise<unknown>, log: (line: string) => void,
): Promise<void> {
  const client = new Client(url, { token, WebSocket: webSocket });
  const tasks = client.collection<Task>("tasks");
  await tasks.define();

  const changes = tasks.changes({ since: (await tasks.upsert({ id: "a", n: 0 }))._etag, mode: "all" });
  const live = tasks.watch("SELECT * FROM c");
  const feed: string[] = [];
  const rows = new Map<string, number>();
  const follow = async (count: number) => {
    while (feed.length < count) {
      for (const change of (await changes.next()).value!.changes) feed.push(`${change.type} ${change.id}`);
    }
  };
  const listed = async () => {
    for (;;) {
      const event = (await live.next()).value!;
      if (event.type === "reset") rows.clear();
      else if (event.type === "insert" || event.type === "update") rows.set(event.id, event.row.n);
      else if (event.type === "listed") return;
    }
  };
  await listed();
  await tasks.upsert({ id: "b", n: 1 });
  await follow(1);
  log("watching");

  await next(); // down
  const failure = await tasks.read("a").catch(thrown => thrown);
  if (!(failure instanceof KvError) || failure.code !== "UNREACHABLE") throw failure;
  log("waiting");

  await next(); // up
  await tasks.upsert({ id: "c", n: 2 });
  await Promise.all([follow(2), listed()]);
  const found = JSON.stringify([feed, [...rows].sort()]);
  if (found !== '[["upsert b","upsert c"],[["a",0],["b",1],["c",2]]]') throw new Error(found);
  log("resumed");
  client.close();
}
