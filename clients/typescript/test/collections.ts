// Every operation of collections against a real server.
import { Client, type BatchOperation, type ItemChange, type LiveEvent, type PartitionKey } from "../dist/index.js";
import { equal, failure, observing, take } from "./checks.js";

interface Person {
  id?: string;
  country: string;
  name: string;
  age: number;
}

interface Place {
  id: string;
  land?: string;
  city: string | null;
  street?: number;
  name?: string;
  title?: string;
}

/** Runs all checks of collections, and reports each group that has passed. */
export async function collections(
  url: string, token: string, webSocket: typeof WebSocket, log: (line: string) => void,
): Promise<void> {
  const { sockets, Observing } = observing(webSocket);
  const client = new Client(url, { token: async () => token, WebSocket: Observing });
  const people = client.collection<Person>("people");
  const norway = { partitionKey: "no" };

  const defined = await people.define({ partitionKey: { paths: ["/country"] } }, { createOnly: true });
  equal([defined.name, defined.partitionKey?.paths], ["people", ["/country"]], "definition");
  equal((await failure(people.define({}, { createOnly: true }))).code, "CHECK_FAILED", "second creation");
  equal((await failure(people.define({ partitionKey: { paths: ["/city"] } }))).code, "NOT_CHANGEABLE", "other key");
  equal((await client.collections()).map(({ name }) => name), ["people"], "collections");
  equal((await people.describe({ sizes: true })).sizes?.items, 0, "sizes");
  for await (const { percent } of people.transformation()) equal(percent, 100, "transformation");
  log("ok definitions");

  const ada = await people.create({ id: "ada", country: "no", name: "Ada", age: 36 });
  const exists = await failure(people.create({ id: "ada", country: "no", name: "Ada", age: 36 }));
  equal([exists.code, exists.status, exists.retryable], ["ITEM_EXISTS", 409, false], "second item");
  equal(await people.read("ada", norway), ada, "read");
  const older = await people.replace({ ...ada, age: 37 }, ada._etag);
  equal((await failure(people.replace({ ...ada, age: 38 }, ada._etag))).code, "ETAG_MISMATCH", "replaced version");
  const patched = await people.patch("ada", [{ op: "incr", path: "/age", value: 1 }], { ...norway, filter: "c.age < 99" });
  equal(patched.age, 38, "patch");
  const unmet = people.patch("ada", [{ op: "incr", path: "/age", value: 1 }], { ...norway, filter: "c.age > 99" });
  equal((await failure(unmet)).code, "CONDITION_NOT_MET", "filter");
  equal((await failure(people.delete("ada", { ...norway, ifMatch: older._etag }))).code, "ETAG_MISMATCH", "delete");
  equal((await people.delete("ada", norway)) > patched._etag, true, "version of the deletion");
  equal((await failure(people.read("ada", norway))).code, "ITEM_NOT_FOUND", "deleted item");
  for (const id of ["a?b c#d%&", "..", "ø\ud800"]) {
    await people.upsert({ id, country: "no", name: id, age: 1 });
    equal((await people.read(id, norway)).id, id, "id");
    await people.delete(id, norway);
  }
  await people.create({ id: "hidden", country: "no", name: "Hidden", age: 500 }, { indexing: "exclude" });
  const oldest = async () => {
    const ids: string[] = [];
    for await (const { id } of people.query("SELECT c.id FROM c WHERE c.age = 500")) ids.push(id);
    return ids;
  };
  equal(await oldest(), [], "excluded item");
  await people.patch("hidden", [{ op: "set", path: "/name", value: "Seen" }], { ...norway, indexing: "include" });
  equal(await oldest(), ["hidden"], "included item");
  await people.delete("hidden", norway);
  const put = async () => (await people.put({ id: "put", country: "no", name: "Put", age: 1 })).created;
  equal([await put(), await put()], [true, false], "created and replaced");
  await people.delete("put", norway);
  log("ok items");

  const batch = await people.batch([
    { op: "create", item: { id: "bob", country: "no", name: "Bob", age: 7 } },
    { op: "patch", id: "bob", operations: [{ op: "set", path: "/age", value: 8 }] },
    { op: "read", id: "bob" },
    { op: "delete", id: "bob" },
  ], norway);
  equal(batch.results.map(({ status, item }) => [status, item?.age]), [[201, 7], [200, 8], [200, 8], [204, null]], "batch");
  const failed = await failure(people.batch([{ op: "upsert", item: { ...ada } }, { op: "read", id: "nobody" }], norway));
  equal([failed.code, failed.problem.failedOperation], ["ITEM_NOT_FOUND", 1], "failed operation");
  const unlikely = { op: "create", item: ada, ifMatch: ada._etag } as unknown as BatchOperation<Person>;
  const malformed = await failure(people.batch([{ op: "read", id: "nobody" }, unlikely], norway));
  equal([malformed.code, malformed.problem.failedOperation], ["BAD_REQUEST", 1], "malformed operation");
  log("ok batches");

  function* crowd(count: number): Generator<Person> {
    for (let i = 0; i < count; i++) {
      yield { id: `p${i}`, country: i % 2 ? "it" : "no", name: "x".repeat(300), age: i };
    }
  }
  const progress: number[] = [];
  equal(await people.load(crowd(4000), { onProgress: items => progress.push(items) }), 4000, "load");
  equal([progress.length > 1, progress.at(-1)], [true, 4000], "progress");
  const invalid = [{ id: "q", country: "no", name: "", age: 1 }, { id: 7 } as unknown as Person];
  equal((await failure(people.load(invalid))).code, "INVALID_ITEM", "invalid line");
  await people.delete("q", norway).catch(() => undefined); // lines before the invalid one may be stored
  log("ok load");

  for (let i = 0; i < 5; i++) await people.create({ id: `s${i}`, country: "se", name: `S${i}`, age: i });
  const ids: string[] = [];
  for await (const { id } of people.list("se", { limit: 2 })) ids.push(id);
  equal(ids, ["s0", "s1", "s2", "s3", "s4"], "list");
  const steps: number[] = [];
  const young = { parameters: { age: 3 }, partitionKey: "se" };
  const gone = await people.deleteMany("SELECT * FROM c WHERE c.age < @age", {
    ...young, onProgress: ({ deleted }) => steps.push(deleted),
  });
  equal([gone, steps.at(-1)], [{ deleted: 3, changed: 0 }, 3], "delete by query");
  equal((await failure(people.deleteMany("SELECT c.age FROM c"))).code, "INVALID_ARGUMENT", "rows that are no items");
  equal([await people.deleteAll("se"), await people.deleteAll("se")], [2, 0], "delete a partition");
  log("ok partitions");

  const places = client.collection<Place>("places");
  const described = await places.define({
    partitionKey: { paths: ["/land", "/city", "/street"] },
    computedProperties: [{ name: "cp_lower", query: "SELECT VALUE LOWER(c.name) FROM c" }],
    indexingPolicy: { includedPaths: [{ path: "/cp_lower/?" }], excludedPaths: [{ path: "/*" }] },
  });
  equal(described.computedProperties?.map(({ name }) => name), ["cp_lower"], "computed properties");
  for (const [land, city] of [["no", "Oslo"], ["no", "Oslo"], ["no", "Bergen"], ["se", "Oslo"]] as const) {
    const street = city === "Oslo" ? 7 : 8;
    await places.upsert({ id: `${land}-${street}`, land, city, street, name: `${city.toUpperCase()} ${land}` });
  }
  await places.create({ id: "nowhere", city: null, name: "Nowhere" }).then(async ({ id }) => {
    equal((await places.read(id, { partitionKey: [null, null, null] })).name, "Nowhere", "a key without values");
  });
  const listedIn = async (partitionKey: (string | number)[]) => {
    const found: string[] = [];
    for await (const { id } of places.list(partitionKey)) found.push(id);
    return found;
  };
  equal(await listedIn(["no"]), ["no-7", "no-8"], "first value of a key");
  equal(await listedIn(["no", "Bergen"]), ["no-8"], "first two values of a key");
  equal((await failure(places.list(["no", "Oslo", 7, 1]))).code, "INVALID_ARGUMENT", "more values than paths");
  const lower = "SELECT VALUE c.cp_lower FROM c WHERE c.cp_lower >= @from ORDER BY c.cp_lower";
  const named: string[] = [];
  for await (const name of places.query<string>(lower, { parameters: { from: "o" }, enableScan: false })) named.push(name);
  equal(named, ["oslo no", "oslo se"], "rows by a computed property");
  const streamed: string[] = [];
  for await (const name of places.stream<string>(lower, { parameters: { from: "b" }, partitionKey: ["no"] })) streamed.push(name);
  equal(streamed, ["bergen no", "oslo no"], "streamed rows of the first value of a key");
  const oslo: { partitionKey: PartitionKey } = { partitionKey: ["no", "Oslo", 7] };
  const moved = await places.patch("no-7", [{ op: "move", from: "/name", path: "/title" }], { ...oslo, filter: "c.cp_lower = 'oslo no'" });
  equal([moved.name, moved.title], [undefined, "OSLO no"], "moved member");
  equal((await failure(places.patch("no-7", [{ op: "move", from: "/name", path: "/title" }], oslo))).code, "INVALID_PATCH", "absent member");
  const back = await places.batch([{ op: "patch", id: "no-7", operations: [{ op: "move", from: "/title", path: "/name" }] }], oslo);
  equal(back.results.map(({ item }) => item?.name), ["OSLO no"], "moved in a batch");
  const inNorway = await places.changePage({ mode: "all", partitionKey: ["no"] });
  equal(inNorway.changes.map(({ id }) => id), ["no-7", "no-7", "no-8", "no-7", "no-7"], "changes of the first value of a key");
  equal(await places.deleteAll(["no"]), 2, "deletion by the first value of a key");
  equal((await places.read("se-7", { partitionKey: ["se", "Oslo", 7] })).name, "OSLO se", "item of another key");
  await places.drop();
  log("ok hierarchical keys and computed properties");

  const sizes: number[] = [];
  const old = "SELECT VALUE c.age FROM c WHERE c.age >= @age ORDER BY c.age";
  for await (const page of people.pages<number>(old, { parameters: { age: 3750 }, maxItemCount: 100 })) {
    sizes.push(page.items.length);
  }
  equal(sizes.filter(size => size > 0), [100, 100, 50], "pages");
  const ages: number[] = [];
  for await (const age of people.query<number>(old, { parameters: { age: 3990 }, partitionKey: "it", maxItemCount: 2 })) {
    ages.push(age);
  }
  equal(ages, [3991, 3993, 3995, 3997, 3999], "rows of a partition");
  const syntax = await failure(people.query("SELECT * FROM c WHERE"));
  equal([syntax.code, syntax.problem.errors?.length], ["INVALID_QUERY", 1], "error in a query");
  equal("access" in (await people.explain("SELECT * FROM c WHERE c.age = 1")).plan, true, "plan");
  log("ok queries");

  let rows = 0;
  for await (const { id } of people.stream("SELECT * FROM c", { credit: 10 })) {
    rows++;
    equal([typeof id, sockets[0]!.rows <= rows + 10], ["string", true], "rows ahead of the consumer");
  }
  equal(rows, 4000, "streamed rows");
  const connections = sockets.length;
  for await (const _ of people.stream("SELECT * FROM c", { credit: 1 })) break;
  equal([sockets.length, sockets.at(-1)!.rows <= 2], [connections + 1, true], "rows of a loop that was left");
  equal((await failure(people.stream("SELECT"))).code, "INVALID_QUERY", "error in a streamed query");
  const long = "x".repeat(500_000);
  for (let i = 0; i < 30; i++) await people.upsert({ id: `long${i}`, country: "is", name: long, age: i });
  let taken = 0;
  for await (const { name } of people.stream<Person>("SELECT * FROM c", { partitionKey: "is" })) {
    taken++;
    await people.read("long0", { partitionKey: "is" });
    equal([name === long, sockets.at(-1)!.bytes < taken * 501_000 + 5_000_000], [true, true], "bytes ahead of the consumer");
  }
  equal([taken, await people.deleteAll("is")], [30, 30], "long rows");
  log("ok streams");

  const live = people.watch<{ id: string; age: number }>(
    "SELECT c.id, c.age FROM c WHERE c.age > 9000", { partitionKey: "no", credit: 2 });
  const seen = (events: LiveEvent<{ age: number }>[]) =>
    events.map(event => [event.type, "id" in event ? event.id : null, "row" in event ? event.row.age : null]);
  const one = () => take(live, () => true).then(seen);
  const listed = () => take(live, ({ type }) => type === "listed").then(seen);
  await people.upsert({ id: "v1", country: "no", name: "", age: 9001 });
  equal(await listed(), [["insert", "v1", 9001], ["listed", null, null]], "current rows");
  await people.upsert({ id: "v2", country: "no", name: "", age: 9002 });
  equal(await one(), [["insert", "v2", 9002]], "new row");
  await people.patch("v2", [{ op: "incr", path: "/age", value: 1 }], norway);
  equal(await one(), [["update", "v2", 9003]], "changed row");
  await people.delete("v1", norway);
  equal(await one(), [["remove", "v1", null]], "removed row");
  sockets.at(-1)!.close(); // the connection is lost
  equal(await listed(), [["reset", null, null], ["insert", "v2", 9003], ["listed", null, null]], "rows after a loss");
  await people.delete("v2", norway);
  equal(await one(), [["remove", "v2", null]], "change after a loss");
  await live.return();
  log("ok live queries");

  const { _etag: since } = await people.upsert({ id: "c0", country: "no", name: "", age: 0 });
  const feed = people.changes({ since, mode: "all", partitionKey: "no", credit: 3 });
  const changed: string[] = [];
  let position = since;
  const follow = async (count: number) => {
    while (changed.length < count) {
      const [commit] = await take(feed, () => true);
      if (commit!.versionstamp < position) throw new Error("the feed went back");
      position = commit!.versionstamp;
      changed.push(...commit!.changes.map(({ type, id }: ItemChange<Person>) => `${type} ${id}`));
    }
  };
  for (let i = 1; i <= 10; i++) await people.upsert({ id: `c${i}`, country: "no", name: "", age: i });
  await follow(4);
  sockets.at(-1)!.close();
  await people.delete("c1", norway);
  await people.upsert({ id: "elsewhere", country: "it", name: "", age: 1 });
  await people.upsert({ id: "c11", country: "no", name: "", age: 11 });
  await follow(12);
  const expected = [...Array.from({ length: 10 }, (_, i) => `upsert c${i + 1}`), "delete c1", "upsert c11"];
  equal(changed, expected, "changes without gaps and repetitions");
  await feed.return();
  const paged: string[] = [];
  for (let from = since; ;) {
    const page = await people.changePage({ since: from, mode: "all", partitionKey: "no", limit: 5 });
    if (page.changes.length === 0) break;
    paged.push(...page.changes.map(({ type, id }) => `${type} ${id}`));
    from = page.continuation;
  }
  equal(paged, expected, "pages of changes");
  const [created, deleted] = (await people.changePage({ since, mode: "all", partitionKey: "no" })).changes.filter(({ id }) => id === "c1");
  equal(created!.previous, undefined, "previous version of a new item");
  equal(deleted!.previous, created!.type === "upsert" ? created!.item : null, "previous version of a deleted item");
  const kept = people.changes({ since, mode: "all", partitionKey: "no" });
  const removal = (await take(kept, ({ changes }) => changes.some(({ type }) => type === "delete"))).at(-1)!;
  await kept.return();
  equal(removal.changes, [deleted], "previous version of a streamed delete");
  const [dated] = (await people.changePage({ since, mode: "all", limit: 1, details: true })).changes;
  const timed = people.changes({ since, mode: "all" });
  const [commit] = await take(timed, () => true);
  await timed.return();
  equal([dated!.millis! > 1.6e12, commit!.millis], [true, dated!.millis], "time of a commit");
  const [north, south] = await Promise.all((["0/2", "1/2"] as const).map(async range => {
    const { changes } = await people.changePage({ since, mode: "all", range });
    const streamed = people.changes({ since, mode: "all", range });
    for (const change of changes) equal((await take(streamed, commit => commit.changes.length > 0)).at(-1)!.changes, [change], range);
    await streamed.return();
    return changes.map(({ type, id }) => `${type} ${id}`);
  }));
  equal([north!, south!].map(half => half.length).sort((a, b) => a - b), [1, 12], "changes of ranges"); // "it" and "no"
  for (const range of ["2/2", "0/1025"] as const) {
    equal((await failure(people.changePage({ range }))).code, "INVALID_ARGUMENT", `page of ${range}`);
    equal((await failure(people.changes({ range }))).code, "INVALID_ARGUMENT", `feed of ${range}`);
  }
  equal((await failure(people.changes({ range: "0/2", partitionKey: "no" }))).code, "INVALID_ARGUMENT", "both");
  log("ok changes");

  equal(await people.changeLeases("team"), [], "leases of no group");
  const [lease, other] = await people.createChangeGroup("team", { ranges: 2, since });
  equal([lease!.range, lease!.owner, lease!.continuation, other!.range], [0, null, since, 1], "free leases");
  const mine = await people.replaceChangeLease("team", { ...lease!, owner: "me" });
  const { changes: work, continuation } = await people.changePage({ since: mine.continuation, mode: "all", range: "0/2" });
  equal(work.map(({ type, id }) => `${type} ${id}`), expected, "changes of a lease");
  const handled = await people.replaceChangeLease("team", { ...mine, continuation });
  equal(await people.changeLeases("team"), [handled, other], "stored position");
  equal(await people.createChangeGroup("team", { ranges: 5 }), [handled, other], "existing group");
  const lost = people.replaceChangeLease("team", { ...mine, owner: "you" });
  equal((await failure(lost)).code, "ETAG_MISMATCH", "lease of another version");
  log("ok groups");

  const reason = new Error("enough");
  const controller = new AbortController();
  const { signal } = controller;
  const waiting = people.watch("SELECT * FROM c WHERE c.age = -1", { signal });
  await take(waiting, ({ type }) => type === "listed");
  const aborted = [
    (async () => { for await (const _ of waiting); })(),
    (async () => { for await (const _ of people.changes({ signal })); })(),
    (async () => { for await (const _ of people.query("SELECT * FROM c", { maxItemCount: 1, signal })); })(),
  ].map(work => work.then(() => "no failure", (thrown: unknown) => thrown));
  controller.abort(reason);
  for (const thrown of await Promise.all(aborted)) equal(thrown === reason, true, `reason ${String(thrown)}`);
  equal(await people.read("c2", { ...norway, signal }).catch(thrown => thrown === reason), true, "call");
  const open = (async () => { for await (const _ of people.changes()); })();
  const ended = failure(open);
  client.close();
  equal([(await ended).code, (await failure(client.collections())).code], ["CLOSED", "CLOSED"], "closed client");
  const stranger = new Client(url, { token: "a-token-that-is-not-valid", WebSocket: Observing });
  equal((await failure(stranger.collections())).status, 401, "invalid token");
  equal((await failure(stranger.collection("people").changes())).code, "UNAUTHENTICATED", "refused WebSocket");
  const nobody = new Client("http://127.0.0.1:9", { token, WebSocket: Observing });
  const unreachable = await failure(nobody.collections());
  equal([unreachable.code, unreachable.retryable], ["UNREACHABLE", true], "no server");
  log("ok ends");
}

/** Mistakes that the compiler finds; never called. */
export async function mistakes(client: Client): Promise<void> {
  const people = client.collection<Person>("people");
  // @ts-expect-error a member is missing
  await people.create({ id: "ada", country: "no", name: "Ada" });
  // @ts-expect-error a replacement has an item
  await people.batch([{ op: "replace", id: "ada" }]);
  // @ts-expect-error a creation has no etag to match
  await people.batch([{ op: "create", item: { country: "no", name: "Ada", age: 36 }, ifMatch: "" }]);
  // @ts-expect-error the status is one of three numbers
  (await people.batch([])).results[0]!.status === 202;
  // @ts-expect-error no such metric
  for await (const { metrics } of people.pages("SELECT * FROM c")) metrics.entriesRead!.length;
  // @ts-expect-error a page has no cursor
  (await people.changePage()).cursor;
  // @ts-expect-error no such operation
  await people.patch("ada", [{ op: "increment", path: "/age", value: 1 }]);
  // @ts-expect-error a delete has no item
  for await (const { changes } of people.changes()) for (const change of changes) if (change.type === "delete") change.item;
  // @ts-expect-error no such data type
  await people.define({ vectorEmbeddingPolicy: { vectorEmbeddings: [{ path: "/v", dataType: "float64" }] } });
  // @ts-expect-error a range has two numbers
  await people.changePage({ range: "first" });
  // @ts-expect-error the age is a number
  (await people.read("ada")).age.length;
}
