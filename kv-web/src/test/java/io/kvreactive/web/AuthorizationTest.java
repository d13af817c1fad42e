package io.kvreactive.web;

import static io.kvreactive.web.internal.auth.Operation.Reach.KEYS;
import static io.kvreactive.web.internal.auth.Operation.Reach.PARTS;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.kvreactive.KvKey;
import io.kvreactive.connect.wire.AtomicWrite;
import io.kvreactive.connect.wire.Check;
import io.kvreactive.connect.wire.Enqueue;
import io.kvreactive.connect.wire.Mutation;
import io.kvreactive.connect.wire.MutationType;
import io.kvreactive.connect.wire.ReadRange;
import io.kvreactive.connect.wire.SnapshotRead;
import io.kvreactive.connect.wire.Watch;
import io.kvreactive.connect.wire.WatchKey;
import io.kvreactive.web.internal.auth.AccessRight;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.auth.TokenFile;
import io.kvreactive.web.internal.auth.TokenScope;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each operation of the table with each kind of token is allowed or rejected according to its row.
 * Rejected operations change nothing. Operations without write access make no commit. Answers to
 * tokens without READ access have no stored content.
 */
@ExtendWith(VertxExtension.class)
class AuthorizationTest {
  private static final String SECRET = "S3CRET";
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @TempDir static Path directory;
  private static TestServer server;
  private static String databaseId;
  private static final List<Caller> CALLERS = new ArrayList<>();

  /**
   * A kind of token.
   *
   * @param known false if the server does not know the token, or if the token has ended
   * @param prefix null for all keys
   * @param database null for all databases
   */
  private record Caller(
      String name,
      String secret,
      boolean known,
      Set<AccessRight> access,
      String prefix,
      String database) {}

  /**
   * A sample request of an operation.
   *
   * @param root the first part of the named keys; null if none is named
   * @param parts further required rows
   * @param path the path, with {@code {n}} for a number, {@code #check} for a condition and {@code
   *     #id} for a commit id
   * @param body {@code byte[]} for KV Connect
   */
  private record Sample(
      Operation row, String path, Object body, String root, Set<Operation> parts, boolean endless) {
    Sample with(Operation... others) {
      return new Sample(row, path, body, root, Set.of(others), endless);
    }

    Sample withoutEnd() {
      return new Sample(row, path, body, root, parts, true);
    }

    @Override
    public String toString() {
      return row + " " + path + (root == null ? "" : " in " + root) + " " + parts;
    }
  }

  @BeforeAll
  static void start(Vertx vertx) throws Exception {
    TokenFile tokens = new TokenFile(directory.resolve(ServerOptions.TOKENS_FILE));
    CALLERS.add(new Caller("none", null, false, Set.of(), null, null));
    CALLERS.add(new Caller("unknown", "x".repeat(43), false, Set.of(), null, null));
    for (String name :
        List.of("READ", "WRITE", "READ+WRITE", "ADMIN", "METRICS", "READ+WRITE+ADMIN")) {
      add(tokens, name, null, null);
      if (!name.contains("ADMIN") && !name.contains("METRICS")) {
        add(tokens, name, "p", null);
        add(tokens, name, "kvi", null);
      }
    }
    add(tokens, "READ+WRITE+ADMIN", null, "other");
    Instant past = Instant.now().minusSeconds(1);
    String ended =
        tokens
            .create(
                "expired", new TokenScope(Set.of(AccessRight.values()), List.of(), Set.of(), past))
            .secret();
    CALLERS.add(new Caller("expired", ended, false, Set.of(), null, null));
    String revoked = tokens.create("revoked", TokenScope.all()).secret();
    ServerOptions options = ServerOptions.at(directory);
    server =
        TestServer.start(
            vertx,
            options
                .withOperations(options.operations().withMetrics(TestServer.metrics()))
                .withLimits(LimitOptions.DEFAULT.withFailuresPerMinute(0))
                .withRoutes(
                    RoutesOptions.DEFAULT.withBackupDirectory(directory.resolve("backups"))));
    databaseId = new JsonObject(server.get("/api/v1/info").body()).getString("databaseId");
    assertThat(ask("GET", "/api/v1/info", null, revoked).status()).isEqualTo(200);
    assertThat(admin("DELETE", "/api/v1/tokens/revoked", null).status()).isEqualTo(204);
    CALLERS.add(new Caller("revoked", revoked, false, Set.of(), null, null));
    seed();
  }

  private static void add(TokenFile tokens, String accesses, String prefix, String database)
      throws Exception {
    Set<AccessRight> access = EnumSet.noneOf(AccessRight.class);
    for (String each : accesses.split("\\+")) {
      access.add(AccessRight.valueOf(each));
    }
    String name = accesses + (prefix == null ? "" : "@" + prefix) + (database == null ? "" : "#");
    TokenScope scope =
        new TokenScope(
            access,
            prefix == null ? List.of() : List.of(KvKey.of(prefix)),
            database == null ? Set.of() : Set.of(database),
            null);
    String secret = tokens.create("t" + NUMBER.incrementAndGet(), scope).secret();
    CALLERS.add(new Caller(name, secret, true, access, prefix, database));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private record Reply(int status, String body) {}

  private static Reply admin(String method, String path, Object body) throws Exception {
    return ask(method, path, body, TestServer.TOKEN);
  }

  private static Reply ask(String method, String path, Object body, String secret)
      throws Exception {
    return ask(method, path, body, secret, false);
  }

  private static Reply ask(String method, String path, Object body, String secret, boolean endless)
      throws Exception {
    String plain = path.replace("#check", "").replace("#id", "");
    String encoded = plain.replace("\"", "%22").replace("[", "%5B").replace("]", "%5D");
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.uri(encoded))
            .timeout(TestServer.TIMEOUT)
            .setHeader("X-Forwarded-For", "192.0.2.1") // not a local caller
            .setHeader("x-denokv-version", "3")
            .setHeader("x-denokv-database-id", databaseId);
    if (secret != null) {
      request.setHeader("Authorization", "Bearer " + secret);
    }
    boolean lines = path.endsWith("/import") || path.endsWith("/load");
    request.setHeader("Content-Type", lines ? "application/x-ndjson" : "application/json");
    if (endless && path.contains("/changes")) {
      request.setHeader("Accept", "text/event-stream");
    }
    if (path.contains("#check")) {
      request.setHeader("If-Match", "\"00000000000000010000\"");
    }
    if (path.contains("#id")) {
      request.setHeader("Idempotency-Key", "id-" + NUMBER.incrementAndGet());
    }
    request.method(
        method,
        body == null
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofByteArray(
                body instanceof byte[] bytes
                    ? bytes
                    : ((String) body).getBytes(StandardCharsets.UTF_8)));
    HttpResponse<InputStream> response =
        CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    try (InputStream in = response.body()) {
      boolean whole = !endless || response.statusCode() != 200;
      String text = whole ? new String(in.readAllBytes(), StandardCharsets.UTF_8) : "";
      return new Reply(response.statusCode(), response.headers().map() + text);
    }
  }

  /** Creates all entries and collections that operations read and write. */
  private static void seed() throws Exception {
    for (String root : List.of("p", "x")) {
      admin("PUT", "/api/v1/entry?key=[\"" + root + "\",\"a\"]", "\"" + SECRET + "\"");
      admin("PUT", "/api/v1/entry?key=[\"" + root + "\",\"n\"]", "\"" + SECRET + "\"");
    }
    if (admin("GET", "/api/v1/collections/c", null).status() == 404) {
      assertThat(admin("PUT", "/api/v1/collections/c", "{}").status()).isEqualTo(201);
    }
    String item = "{\"secret\":\"" + SECRET + "\"}";
    admin("PUT", "/api/v1/collections/c/items/i", item);
    admin("POST", "/api/v1/enqueue", "{\"queue\":\"q\",\"value\":\"" + SECRET + "\"}");
  }

  private static byte[] key(String root) {
    return KvKey.of(root, "a").bytes();
  }

  private static ByteString bytes(byte[] bytes) {
    return ByteString.copyFrom(bytes);
  }

  private static Sample of(Operation row, String path, Object body) {
    return new Sample(row, path, body, null, Set.of(), false);
  }

  private static Map<Operation, List<Sample>> samples() {
    Map<Operation, List<Sample>> samples = new EnumMap<>(Operation.class);
    for (Operation row : Operation.values()) {
      List<Sample> of = new ArrayList<>();
      if (row.reach() == KEYS) {
        for (String root : List.of("p", "x", "kvi")) {
          for (Sample each : byKey(row, root)) {
            of.add(new Sample(each.row, each.path, each.body, root, each.parts, each.endless));
          }
        }
      } else {
        of.addAll(others(row));
      }
      samples.put(row, of);
    }
    return samples;
  }

  private static List<Sample> byKey(Operation row, String root) {
    String key = "[\"" + root + "\",\"a\"]";
    String prefix = "?prefix=[\"" + root + "\"]";
    String path = row.isRoute() ? row.path() : "";
    return switch (row) {
      case GET_ENTRY, DELETE_ENTRY -> List.of(of(row, path + "?key=" + key, null));
      case SET_ENTRY -> List.of(of(row, path + "?key=" + key, "1"));
      case TOUCH_ENTRY -> List.of(of(row, path + "?expireIn=9999999&key=" + key, null));
      case GET_ENTRIES -> List.of(of(row, path, "{\"keys\":[" + key + "]}"));
      case LIST_ENTRIES, COUNT, TREE, EXPORT, DELETE_ENTRIES ->
          List.of(of(row, path + prefix, null));
      case CHANGES ->
          List.of(
              of(row, path + prefix + "&since=00000000000000000000&waitMs=0", null),
              of(row, path + prefix, null).withoutEnd());
      case CHECK ->
          List.of(
              of(
                      Operation.ATOMIC,
                      "/api/v1/atomic",
                      "{\"checks\":[{\"key\":%s,\"versionstamp\":null}]}".formatted(key))
                  .with(row),
              of(
                      Operation.ATOMIC,
                      "/api/v1/atomic",
                      "{\"checks\":[{\"prefix\":%s,\"unchangedSince\":\"%020d\"}]}"
                          .formatted(key, 0))
                  .with(row),
              of(Operation.SET_ENTRY, "/api/v1/entry#check?key=" + key, "1").with(row),
              of(
                      Operation.CONNECT_COMMIT,
                      "/v2/atomic_write",
                      AtomicWrite.newBuilder()
                          .addChecks(Check.newBuilder().setKey(bytes(key(root))))
                          .build()
                          .toByteArray())
                  .with(row));
      case CHANGE, CHANGE_COLLECTION_KEY -> {
        if (root.equals("kvi") != (row == Operation.CHANGE_COLLECTION_KEY)) {
          yield List.of();
        }
        String change = "{\"mutations\":[{\"type\":\"%s\",\"key\":%s%s}]}";
        yield List.of(
            of(Operation.ATOMIC, "/api/v1/atomic", change.formatted("set", key, ",\"value\":1"))
                .with(row),
            of(
                    Operation.ATOMIC,
                    "/api/v1/atomic",
                    change.formatted(
                        "sum", "[\"" + root + "\",\"n\"]", ",\"value\":{\"$u64\":\"1\"}"))
                .with(row),
            of(
                    Operation.ATOMIC,
                    "/api/v1/atomic",
                    change.formatted("setSuffixed", key, ",\"value\":1"))
                .with(row),
            of(
                    Operation.ATOMIC,
                    "/api/v1/atomic",
                    "{\"mutations\":[{\"type\":\"deleteRange\",\"prefix\":[\"%s\",\"none\"]}]}"
                        .formatted(root))
                .with(row),
            of(
                    Operation.CONNECT_COMMIT,
                    "/v2/atomic_write",
                    AtomicWrite.newBuilder()
                        .addMutations(
                            Mutation.newBuilder()
                                .setKey(bytes(key(root)))
                                .setMutationType(MutationType.M_DELETE))
                        .build()
                        .toByteArray())
                .with(row));
      }
      case LIST_FRAME ->
          List.of(of(row, "", "{\"op\":\"list\",\"id\":1,\"prefix\":[\"" + root + "\"]}"));
      case CHANGES_FRAME ->
          List.of(of(row, "", "{\"op\":\"changes\",\"id\":1,\"prefix\":[\"" + root + "\"]}"));
      case WATCH_FRAME ->
          List.of(of(row, "", "{\"op\":\"watch\",\"id\":1,\"keys\":[" + key + "]}"));
      case CONNECT_READ ->
          List.of(
              of(
                  row,
                  path,
                  SnapshotRead.newBuilder()
                      .addRanges(
                          ReadRange.newBuilder()
                              .setStart(bytes(key(root)))
                              .setEnd(bytes(Arrays.copyOf(key(root), key(root).length + 1)))
                              .setLimit(1))
                      .build()
                      .toByteArray()));
      case CONNECT_WATCH ->
          List.of(
              of(
                      row,
                      path,
                      Watch.newBuilder()
                          .addKeys(WatchKey.newBuilder().setKey(bytes(key(root))))
                          .build()
                          .toByteArray())
                  .withoutEnd());
      default -> List.of();
    };
  }

  private static List<Sample> others(Operation row) {
    String path =
        !row.isRoute()
            ? ""
            : row.path()
                .replace(":collection", "c")
                .replace(":id", "i")
                .replace(":group", "g")
                .replace(":range", "0");
    return switch (row) {
      case EXPLORER, OPENAPI, LIVE, READY, METRICS, LIST_TOKENS, INFO, DATABASES, STATS ->
          List.of(of(row, path, null));
      case QUEUES, COMPACT, VERIFY, LIST_COLLECTIONS, GET_COLLECTION, FOLLOW_TRANSFORMATION ->
          List.of(of(row, path, null));
      case GET_ITEM, DELETE_ITEM, OPEN_STREAM -> List.of(of(row, path, null));
      case GET_ITEM_BY_ID, DELETE_ITEM_BY_ID -> List.of(of(row, path + "?id=\"i\"", null));
      case PUT_ITEM_BY_ID -> List.of(of(row, path + "?id=\"i\"", "{}"));
      case PATCH_ITEM_BY_ID ->
          List.of(
              of(
                  row,
                  path + "?id=\"i\"",
                  "{\"operations\":[{\"op\":\"set\",\"path\":\"/x\",\"value\":1}]}"));
      case EXPLORER_FILE -> List.of(of(row, "/explorer/app.js", null));
      case EXPLORER_OF_DATABASE -> List.of(of(row, "/db/default/", null));
      case CREATE_TOKEN -> List.of(of(row, path, "{\"name\":\"made-{n}\",\"access\":[\"READ\"]}"));
      case REVOKE_TOKEN -> List.of(of(row, "/api/v1/tokens/none", null));
      case ROTATE_TOKEN -> List.of(of(row, "/api/v1/tokens/none/rotate", null));
      case CREATE_DATABASE ->
          List.of(
              of(Operation.SET_ENTRY, "/db/made-{n}/api/v1/entry?key=[\"p\",\"a\"]", "1").with(row),
              of(Operation.CONNECT_METADATA, "/db/made-{n}", "{\"supportedVersions\":[3]}")
                  .with(row),
              of(Operation.DEFINE_COLLECTION, "/db/made-{n}/api/v1/collections/c", "{}").with(row),
              of(Operation.ENQUEUE, "/db/made-{n}/api/v1/enqueue", "{\"value\":1}").with(row));
      case BACKUP -> List.of(of(row, path, "{\"path\":\"b{n}\"}"));
      case IMPORT -> List.of(of(row, path, "{\"key\":[\"p\",\"i\"],\"value\":1}"));
      case ATOMIC, CONNECT_COMMIT -> List.of(); // with its parts
      case SEND_MESSAGE ->
          List.of(
              of(Operation.ATOMIC, "/api/v1/atomic", "{\"enqueues\":[{\"value\":1}]}").with(row),
              of(
                      Operation.CONNECT_COMMIT,
                      "/v2/atomic_write",
                      AtomicWrite.newBuilder()
                          .addEnqueues(
                              Enqueue.newBuilder()
                                  .setPayload(bytes(new byte[] {(byte) 0xFF, 0x0F, 0x30})))
                          .build()
                          .toByteArray())
                  .with(row));
      case COMMIT_ID -> // an id of a commit with only a check is ignored without the right
          List.of(of(Operation.ATOMIC, "/api/v1/atomic#id", "{\"mutations\":[]}").with(row));
      case EMPTY_COMMIT ->
          List.of(
              of(Operation.ATOMIC, "/api/v1/atomic", "{}").with(row),
              of(Operation.CONNECT_COMMIT, "/v2/atomic_write", new byte[0]).with(row));
      case ENQUEUE -> List.of(of(row, path, "{\"value\":1}"));
      case CLAIM -> List.of(of(row, path, "{\"queue\":\"q\"}"));
      case ACK, NACK, EXTEND -> List.of(of(row, path, "{\"token\":\"none\"}"));
      case DEFINE_COLLECTION -> List.of(of(row, path, "{}"));
      case DROP_COLLECTION -> List.of(of(row, path, null));
      case CREATE_ITEM ->
          List.of(of(row, path, "{\"id\":\"i\"}"), of(row, path, "{\"id\":\"i{n}\"}"));
      case PUT_ITEM -> List.of(of(row, path, "{}"), of(row, path + "#check", "{}"));
      case PATCH_ITEM ->
          List.of(
              of(row, path, "{\"operations\":[{\"op\":\"set\",\"path\":\"/x\",\"value\":1}]}"),
              of(
                  row,
                  path,
                  "{\"operations\":[{\"op\":\"move\",\"from\":\"/secret\",\"path\":\"/id\"}]}"));
      case EXECUTE_BATCH ->
          List.of(of(row, path, "{\"operations\":[{\"op\":\"upsert\",\"item\":{\"id\":\"i\"}}]}"));
      case LIST_PARTITION, DELETE_PARTITION -> List.of(of(row, path + "?partitionKey=1", null));
      case LOAD_ITEMS -> List.of(of(row, path, "{\"id\":\"i\"}"));
      case QUERY_ITEMS -> List.of(of(row, path, "{\"query\":\"SELECT * FROM c\"}"));
      case DELETE_MANY_ITEMS ->
          List.of(of(row, path, "{\"query\":\"SELECT * FROM c WHERE c.id = 'none'\"}"));
      case ITEM_CHANGES ->
          List.of(of(row, path + "?mode=all", null), of(row, path, null).withoutEnd());
      case GET_CHANGE_GROUP -> List.of(of(row, path, null));
      case CREATE_CHANGE_GROUP -> List.of(of(row, path, "{}"));
      case PUT_CHANGE_LEASE ->
          List.of(of(row, path, "{\"continuation\":\"00000000000000000000\"}"));
      case ITEM_CHANGES_FRAME ->
          List.of(of(row, "", "{\"op\":\"itemChanges\",\"id\":1,\"collection\":\"c\"}"));
      case QUERY_FRAME ->
          List.of(
              of(
                  row,
                  "",
                  "{\"op\":\"query\",\"id\":1,\"collection\":\"c\",\"query\":\"SELECT * FROM"
                      + " c\"}"));
      case BATCH_FRAME ->
          List.of(
              of(
                  row,
                  "",
                  "{\"op\":\"batch\",\"id\":1,\"collection\":\"c\",\"operations\":"
                      + "[{\"op\":\"upsert\",\"item\":{\"id\":\"i\"}}]}"));
      case DELETE_ITEMS_FRAME ->
          List.of(
              of(
                  row,
                  "",
                  "{\"op\":\"deleteItems\",\"id\":1,\"collection\":\"c\",\"query\":"
                      + "\"SELECT * FROM c WHERE c.id = 'none'\"}"));
      case DELETE_PARTITION_FRAME ->
          List.of(
              of(
                  row,
                  "",
                  "{\"op\":\"deletePartition\",\"id\":1,\"collection\":\"c\","
                      + "\"partitionKey\":1}"));
      case CREDIT_FRAME -> List.of(of(row, "", "{\"op\":\"credit\",\"id\":1,\"n\":1}"));
      case CANCEL_FRAME -> List.of(of(row, "", "{\"op\":\"cancel\",\"id\":1}"));
      case PING_FRAME -> List.of(of(row, "", "{\"op\":\"ping\"}"));
      case CONNECT_METADATA -> List.of(of(row, path, "{\"supportedVersions\":[3]}"));
      default -> List.of();
    };
  }

  /** Returns the status of the rejection by the rows of a sample; 0 if the sample is allowed. */
  private static int refusal(Sample sample, Caller caller) {
    if (sample.row().rights() == Operation.Rights.NO_TOKEN) {
      return 0;
    }
    if (!caller.known()) {
      return 401;
    }
    boolean ofServer = sample.row().home() == Operation.Home.SERVER;
    if (!ofServer && caller.database() != null) {
      return 403;
    }
    boolean allowed = allows(sample.row(), sample.root(), caller);
    for (Operation part : sample.parts()) {
      allowed &= allows(part, sample.root(), caller);
    }
    boolean frame = sample.row().call().startsWith("frame");
    return allowed && (!frame || allows(Operation.OPEN_STREAM, null, caller)) ? 0 : 403;
  }

  private static boolean allows(Operation row, String root, Caller caller) {
    boolean read = caller.access().contains(AccessRight.READ);
    boolean write = caller.access().contains(AccessRight.WRITE);
    boolean admin = caller.access().contains(AccessRight.ADMIN);
    boolean rights =
        switch (row.rights()) {
          case NO_TOKEN -> true;
          case READ_WRITE_OR_ADMIN -> read || write || admin;
          case READ -> read;
          case WRITE -> write;
          case READ_AND_WRITE -> read && write;
          case READ_OR_WRITE -> read || write;
          case METRICS_READ_OR_ADMIN ->
              read || admin || caller.access().contains(AccessRight.METRICS);
          case WRITE_AND_ADMIN -> write && admin;
          case ADMIN -> admin;
        };
    boolean reach =
        switch (row.reach()) {
          case NOTHING, PARTS -> true;
          case KEYS -> caller.prefix() == null || caller.prefix().equals(root);
          case ALL_KEYS -> caller.prefix() == null;
          case COLLECTIONS -> caller.prefix() == null || caller.prefix().equals("kvi");
          case ALL_DATABASES -> caller.prefix() == null && caller.database() == null;
        };
    boolean directWrite =
        row.reach() == KEYS
            && "kvi".equals(root)
            && Set.of(Operation.Rights.WRITE, Operation.Rights.READ_AND_WRITE)
                .contains(row.rights());
    return rights && reach && (!directWrite || admin);
  }

  private static Reply ask(Sample sample, Caller caller) throws Exception {
    if (sample.row().call().startsWith("frame")) {
      return frame((String) sample.body(), caller);
    }
    String number = String.valueOf(NUMBER.incrementAndGet());
    Object body =
        sample.body() instanceof String text ? text.replace("{n}", number) : sample.body();
    return ask(
        sample.row().method(),
        sample.path().replace("{n}", number),
        body,
        caller.secret(),
        sample.endless());
  }

  /** Returns the answer to a frame, and to a ping after it. */
  private static Reply frame(String text, Caller caller) throws Exception {
    CompletableFuture<String> answered = new CompletableFuture<>();
    StringBuilder said = new StringBuilder();
    WebSocket.Builder builder = CLIENT.newWebSocketBuilder();
    if (caller.secret() != null) {
      builder.header("Authorization", "Bearer " + caller.secret());
    }
    URI uri = URI.create(server.uri("/api/v1/stream").toString().replace("http:", "ws:"));
    WebSocket.Listener listener =
        new WebSocket.Listener() {
          @Override
          public CompletionStage<?> onText(WebSocket ws, CharSequence data, boolean last) {
            said.append(data);
            if (said.indexOf("\"pong\"") >= 0) {
              answered.complete(said.toString());
            }
            ws.request(1);
            return null;
          }

          @Override
          public void onError(WebSocket ws, Throwable error) {
            answered.completeExceptionally(error);
          }
        };
    WebSocket ws;
    try {
      ws = builder.buildAsync(uri, listener).get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      return new Reply(((WebSocketHandshakeException) e.getCause()).getResponse().statusCode(), "");
    }
    ws.sendText(text, true).get(60, TimeUnit.SECONDS);
    ws.sendText("{\"op\":\"ping\"}", true).get(60, TimeUnit.SECONDS);
    String answer = answered.get(60, TimeUnit.SECONDS);
    ws.abort();
    return new Reply(answer.contains("\"FORBIDDEN\"") ? 403 : 200, answer);
  }

  /** All stored entries, and the version of the newest commit. */
  private static String state() throws Exception {
    String databases = "";
    Path folder = directory.resolve("databases");
    if (Files.exists(folder)) {
      try (var names = Files.list(folder)) {
        databases = names.sorted().toList().toString();
      }
    }
    return version() + databases + Files.readString(directory.resolve(ServerOptions.TOKENS_FILE));
  }

  private static String version() throws Exception {
    HttpResponse<String> stats = server.get("/api/v1/stats");
    return stats.headers().firstValue("X-Kv-Versionstamp").orElseThrow();
  }

  @TestFactory
  List<DynamicTest> allowsOrRefusesEachOperationForEachToken() {
    List<DynamicTest> tests = new ArrayList<>();
    Set<Operation> sampled = EnumSet.noneOf(Operation.class);
    for (List<Sample> each : samples().values()) {
      for (Sample sample : each) {
        sampled.add(sample.row());
        sampled.addAll(sample.parts());
        tests.add(DynamicTest.dynamicTest(sample.toString(), () -> answersAsTheTableSays(sample)));
      }
    }
    tests.add(
        DynamicTest.dynamicTest(
            "each row has a request",
            () -> assertThat(sampled).containsExactlyInAnyOrder(Operation.values())));
    return tests;
  }

  /**
   * Asserts that rejected requests change nothing, and returns the state. Background work of
   * earlier operations, such as the removal of a dropped collection, may add a limited number of
   * commits.
   */
  private static String changesNothing(Sample sample) throws Exception {
    String after = "";
    String before;
    int attempts = 0;
    do {
      before = state();
      callers(sample, true).parallelStream().forEach(caller -> isRefused(sample, caller));
      after = state();
    } while (!after.equals(before)
        && withoutVersion(after).equals(withoutVersion(before))
        && ++attempts < 20);
    assertThat(after).as("what is refused changes nothing: " + sample).isEqualTo(before);
    return after;
  }

  private static String withoutVersion(String state) {
    return state.substring(state.indexOf('['));
  }

  private static void answersAsTheTableSays(Sample sample) throws Exception {
    String before = changesNothing(sample);
    boolean writes =
        sample.row().reach() != PARTS && !sample.row().writes().isEmpty()
            || sample.parts().stream().anyMatch(part -> !part.writes().isEmpty());
    for (Caller caller : callers(sample, false)) {
      Reply reply = ask(sample, caller);
      assertThat(reply.status())
          .as("%s as %s: %s", sample, caller.name(), reply.body())
          .isNotIn(401, 403)
          .isLessThan(500);
      if (!caller.access().contains(AccessRight.READ)) {
        assertThat(reply.body()).as(caller.name()).doesNotContain(SECRET);
      }
    }
    if (writes) {
      seed();
    } else {
      assertThat(state()).as("what only reads writes nothing: " + sample).isEqualTo(before);
    }
  }

  private static void isRefused(Sample sample, Caller caller) {
    Reply reply;
    try {
      reply = ask(sample, caller);
    } catch (Exception e) {
      throw new AssertionError(sample + " as " + caller.name(), e);
    }
    assertThat(reply.status())
        .as("%s as %s: %s", sample, caller.name(), reply.body())
        .isEqualTo(refusal(sample, caller));
    assertThat(reply.body()).as(caller.name()).doesNotContain(SECRET);
  }

  private static List<Caller> callers(Sample sample, boolean refused) {
    return CALLERS.stream()
        .filter(caller -> refused == refusal(sample, caller) > 0)
        .collect(Collectors.toList());
  }
}
