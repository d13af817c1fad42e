// The same program on Node, on Deno and in a browser: a live query, a watch and change feeds across a restart of the server.
import { Client, KvError } from "../dist/index.js";

interface Task {
  id: string;
  n: number;
}

/**
 * Follows a collection and some keys across a restart.
 *
 * @param next waits until the server is down, and then until it is up
 */
export async function restart(
  url: string, token: string, webSocket: typeof WebSocket, next: () => Promise<unknown>, log: (line: string) => void,
): Promise<void> {
  const client = new Client(url, { token, WebSocket: webSocket });
  const tasks = client.collection<Task>("tasks");
  await tasks.define();

  const keys = client.changes({ prefix: ["key"] });
  const told: string[] = [];
  const follow = async (count: number) => {
    while (told.length < count) {
      for (const change of (await keys.next()).value!.changes) {
        if (change.type !== "deleteRange") told.push(`${change.type} ${change.key[1]}`);
      }
    }
  };
  await keys.next();
  const watch = client.watch<[number]>([["key", "a"]]);
  const state = async () => (await watch.next()).value![0].value;
  await client.set(["key", "a"], 1);
  await follow(1);
  if (await state() !== 1) throw new Error("state");

  const changes = tasks.changes({ since: (await tasks.upsert({ id: "a", n: 0 }))._etag, mode: "all" });
  const live = tasks.watch("SELECT * FROM c");
  const feed: string[] = [];
  const rows = new Map<string, number>();
  const followItems = async (count: number) => {
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
  await followItems(1);
  log("watching");

  await next(); // down
  const failure = await tasks.read("a").catch(thrown => thrown);
  if (!(failure instanceof KvError) || failure.code !== "UNREACHABLE") throw failure;
  log("waiting");

  await next(); // up
  await tasks.upsert({ id: "c", n: 2 });
  await Promise.all([followItems(2), listed()]);
  await client.set(["key", "a"], 2);
  await client.delete(["key", "a"]);
  await follow(3);
  while (await state() !== null);
  if (told.join() !== "set a,set a,delete a") throw new Error(told.join());
  const found = JSON.stringify([feed, [...rows].sort()]);
  if (found !== '[["upsert b","upsert c"],[["a",0],["b",1],["c",2]]]') throw new Error(found);
  log("resumed");
  client.close();
}
