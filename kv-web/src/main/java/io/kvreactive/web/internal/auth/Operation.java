package io.kvreactive.web.internal.auth;

import static io.kvreactive.web.internal.auth.Operation.Body.JSON;
import static io.kvreactive.web.internal.auth.Operation.Body.LINES;
import static io.kvreactive.web.internal.auth.Operation.Body.PROTOBUF;
import static io.kvreactive.web.internal.auth.Operation.Body.VALUE;
import static io.kvreactive.web.internal.auth.Operation.Content.WRITTEN;
import static io.kvreactive.web.internal.auth.Operation.Home.FIRST_USE;
import static io.kvreactive.web.internal.auth.Operation.Home.SERVER;
import static io.kvreactive.web.internal.auth.Operation.Reach.ALL_DATABASES;
import static io.kvreactive.web.internal.auth.Operation.Reach.ALL_KEYS;
import static io.kvreactive.web.internal.auth.Operation.Reach.COLLECTIONS;
import static io.kvreactive.web.internal.auth.Operation.Reach.KEYS;
import static io.kvreactive.web.internal.auth.Operation.Reach.NOTHING;
import static io.kvreactive.web.internal.auth.Operation.Reach.PARTS;
import static io.kvreactive.web.internal.auth.Operation.Rights.ADMIN;
import static io.kvreactive.web.internal.auth.Operation.Rights.METRICS_READ_OR_ADMIN;
import static io.kvreactive.web.internal.auth.Operation.Rights.NO_TOKEN;
import static io.kvreactive.web.internal.auth.Operation.Rights.READ;
import static io.kvreactive.web.internal.auth.Operation.Rights.READ_AND_WRITE;
import static io.kvreactive.web.internal.auth.Operation.Rights.READ_OR_WRITE;
import static io.kvreactive.web.internal.auth.Operation.Rights.READ_WRITE_OR_ADMIN;
import static io.kvreactive.web.internal.auth.Operation.Rights.WRITE;
import static io.kvreactive.web.internal.auth.Operation.Rights.WRITE_AND_ADMIN;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The table of all operations of callers: routes, WebSocket frames and parts of commits. A row has
 * the method, path and body of a route, the required rights, the state that is read and written,
 * and the {@link #id}. Routes are mounted from their row. Answers with 405 and labels in logs
 * derive from the rows. Callers are authorized only by the row of their operation. {@code
 * docs/security.md} has the same table, and {@code openapi.yaml} is derived from it.
 */
public enum Operation {
  // no rights required
  EXPLORER("GET /", NO_TOKEN, NOTHING, SERVER, "the page"),
  EXPLORER_FILE("GET /explorer/:file", NO_TOKEN, NOTHING, SERVER, "its files"),
  EXPLORER_OF_DATABASE("GET /db/:name/", NO_TOKEN, NOTHING, SERVER, "a redirect to the page"),
  OPENAPI("GET /openapi.json", NO_TOKEN, NOTHING, SERVER, "the description"),
  LIVE("GET /livez", NO_TOKEN, NOTHING, SERVER, "that the process answers"),
  READY("GET /readyz", NO_TOKEN, NOTHING, SERVER, "the state, codes of failures"),
  // of the server
  METRICS(
      "GET /metrics",
      METRICS_READ_OR_ADMIN,
      ALL_DATABASES,
      SERVER,
      "meters; without a token for local callers"),
  LIST_TOKENS("GET /api/v1/tokens", ADMIN, ALL_DATABASES, SERVER, "tokens, no secrets or hashes"),
  CREATE_TOKEN(
      "POST /api/v1/tokens", JSON, ADMIN, ALL_DATABASES, SERVER, "the new secret, once", "a token"),
  REVOKE_TOKEN("DELETE /api/v1/tokens/:name", ADMIN, ALL_DATABASES, SERVER, "", "a token"),
  ROTATE_TOKEN(
      "POST /api/v1/tokens/:name/rotate",
      JSON,
      ADMIN,
      ALL_DATABASES,
      SERVER,
      "the new secret, once",
      "a token"),
  CREATE_DATABASE("first use of a database", ADMIN, NOTHING, SERVER, "", "a database"),
  // of a database
  INFO(
      "GET /api/v1/info",
      READ_WRITE_OR_ADMIN,
      NOTHING,
      "limits, the clock, the token's own rights"),
  DATABASES(
      "GET /api/v1/databases",
      READ_WRITE_OR_ADMIN,
      NOTHING,
      "names of the databases that the token reaches"),
  STATS("GET /api/v1/stats", READ, ALL_KEYS, "statistics"),
  QUEUES("GET /api/v1/queues", READ, ALL_KEYS, "names and sizes of queues"),
  BACKUP(
      "POST /api/v1/backup",
      JSON,
      ADMIN,
      ALL_KEYS,
      "progress",
      "a directory below that of backups"),
  COMPACT("POST /api/v1/compact", ADMIN, ALL_KEYS, "progress", "the files of the store"),
  VERIFY("POST /api/v1/verify", ADMIN, ALL_KEYS, "a report; keys in it with READ only"),
  // keys
  GET_ENTRY("GET /api/v1/entry", READ, KEYS, "the entry"),
  SET_ENTRY("PUT /api/v1/entry", VALUE, WRITE, KEYS, FIRST_USE, "versionstamp", "the entry"),
  DELETE_ENTRY("DELETE /api/v1/entry", WRITE, KEYS, "versionstamp", "the entry"),
  TOUCH_ENTRY(
      "POST /api/v1/entry/touch", READ_AND_WRITE, KEYS, "whether the key exists", "its expiry"),
  GET_ENTRIES("POST /api/v1/entries/get", JSON, READ, KEYS, "entries"),
  LIST_ENTRIES("GET /api/v1/entries", READ, KEYS, "entries"),
  DELETE_ENTRIES("DELETE /api/v1/entries", WRITE, KEYS, "versionstamp", "the range"),
  COUNT("GET /api/v1/count", READ, KEYS, "a number"),
  TREE("GET /api/v1/tree", READ, KEYS, "keys"),
  EXPORT("GET /api/v1/export", READ, KEYS, "entries"),
  IMPORT(
      "POST /api/v1/import",
      LINES,
      WRITE,
      ALL_KEYS,
      FIRST_USE,
      "progress",
      "entries, those of collections with ADMIN"),
  CHANGES("GET /api/v1/changes", READ, KEYS, "commits, as a poll or as SSE"),
  ATOMIC("POST /api/v1/atomic", JSON, READ_OR_WRITE, PARTS, FIRST_USE, "its parts", "its parts"),
  // parts of commits, of REST and of KV Connect
  CHECK(
      "part: check of a key or range, If-Match and If-None-Match of a key",
      READ,
      KEYS,
      "whether it holds"),
  CHANGE("part: change", WRITE, KEYS, "", "the key or range"),
  CHANGE_COLLECTION_KEY(
      "part: change of a key below `[\"kvi\"]`", WRITE_AND_ADMIN, KEYS, "", "the key or range"),
  SEND_MESSAGE("part: message", WRITE, ALL_KEYS, "", "a queue"),
  COMMIT_ID(
      "part: Idempotency-Key; ignored without the right",
      WRITE,
      NOTHING,
      "versionstamp of the first commit",
      "the id, apart for each token with prefixes"),
  EMPTY_COMMIT("part: none at all", WRITE, NOTHING),
  // queues
  ENQUEUE("POST /api/v1/enqueue", JSON, WRITE, ALL_KEYS, FIRST_USE, "versionstamp", "a queue"),
  CLAIM("POST /api/v1/queue/claim", JSON, READ_AND_WRITE, ALL_KEYS, "messages", "leases"),
  ACK("POST /api/v1/queue/ack", JSON, READ_AND_WRITE, ALL_KEYS, "", "a message"),
  NACK("POST /api/v1/queue/nack", JSON, READ_AND_WRITE, ALL_KEYS, "", "a message"),
  EXTEND("POST /api/v1/queue/extend", JSON, READ_AND_WRITE, ALL_KEYS, "", "a lease"),
  // collections
  LIST_COLLECTIONS("GET /api/v1/collections", READ, COLLECTIONS, "definitions"),
  GET_COLLECTION("GET /api/v1/collections/:collection", READ, COLLECTIONS, "a definition, sizes"),
  DEFINE_COLLECTION(
      "PUT /api/v1/collections/:collection",
      JSON,
      ADMIN,
      COLLECTIONS,
      FIRST_USE,
      "the definition",
      "the definition, indexes"),
  DROP_COLLECTION(
      "DELETE /api/v1/collections/:collection", ADMIN, COLLECTIONS, "", "the collection"),
  FOLLOW_TRANSFORMATION(
      "GET /api/v1/collections/:collection/transformation",
      READ,
      COLLECTIONS,
      "progress of indexes"),
  CREATE_ITEM(
      "POST /api/v1/collections/:collection/items", JSON, WRITE, COLLECTIONS, WRITTEN, "the item"),
  GET_ITEM("GET /api/v1/collections/:collection/items/:id", READ, COLLECTIONS, "the item"),
  PUT_ITEM(
      "PUT /api/v1/collections/:collection/items/:id",
      JSON,
      WRITE,
      COLLECTIONS,
      WRITTEN,
      "the item"),
  PATCH_ITEM(
      "PATCH /api/v1/collections/:collection/items/:id",
      JSON,
      WRITE,
      COLLECTIONS,
      WRITTEN,
      "the item"),
  DELETE_ITEM(
      "DELETE /api/v1/collections/:collection/items/:id",
      WRITE,
      COLLECTIONS,
      "versionstamp",
      "the item"),
  GET_ITEM_BY_ID("GET /api/v1/collections/:collection/items", READ, COLLECTIONS, "the item"),
  PUT_ITEM_BY_ID(
      "PUT /api/v1/collections/:collection/items", JSON, WRITE, COLLECTIONS, WRITTEN, "the item"),
  PATCH_ITEM_BY_ID(
      "PATCH /api/v1/collections/:collection/items", JSON, WRITE, COLLECTIONS, WRITTEN, "the item"),
  DELETE_ITEM_BY_ID(
      "DELETE /api/v1/collections/:collection/items",
      WRITE,
      COLLECTIONS,
      "versionstamp",
      "the item"),
  EXECUTE_BATCH(
      "POST /api/v1/collections/:collection/batch",
      JSON,
      READ_AND_WRITE,
      COLLECTIONS,
      "items",
      "items"),
  LIST_PARTITION("GET /api/v1/collections/:collection/partition", READ, COLLECTIONS, "items"),
  DELETE_PARTITION(
      "DELETE /api/v1/collections/:collection/partition",
      WRITE,
      COLLECTIONS,
      "the number of deleted items",
      "items"),
  LOAD_ITEMS(
      "POST /api/v1/collections/:collection/load", LINES, WRITE, COLLECTIONS, "progress", "items"),
  DELETE_MANY_ITEMS(
      "POST /api/v1/collections/:collection/delete",
      JSON,
      READ_AND_WRITE,
      COLLECTIONS,
      "progress",
      "the items that a query finds"),
  ITEM_CHANGES(
      "GET /api/v1/collections/:collection/changes",
      READ,
      COLLECTIONS,
      "changes of items, as pages or as SSE"),
  GET_CHANGE_GROUP(
      "GET /api/v1/collections/:collection/groups/:group",
      READ,
      COLLECTIONS,
      "leases and positions of a group"),
  CREATE_CHANGE_GROUP(
      "PUT /api/v1/collections/:collection/groups/:group",
      JSON,
      READ_AND_WRITE,
      COLLECTIONS,
      "leases and positions of a group",
      "the group, unless it exists"),
  PUT_CHANGE_LEASE(
      "PUT /api/v1/collections/:collection/groups/:group/leases/:range",
      JSON,
      READ_AND_WRITE,
      COLLECTIONS,
      "the lease",
      "the lease"),
  QUERY_ITEMS("POST /api/v1/collections/:collection/query", JSON, READ, COLLECTIONS, "rows, plans"),
  // the WebSocket
  OPEN_STREAM("GET /api/v1/stream", READ, NOTHING, "the connection"),
  LIST_FRAME("frame: list", READ, KEYS, "entries"),
  WATCH_FRAME("frame: watch", READ, KEYS, "entries"),
  CHANGES_FRAME("frame: changes", READ, KEYS, "commits"),
  QUERY_FRAME("frame: query", READ, COLLECTIONS, "rows"),
  ITEM_CHANGES_FRAME("frame: itemChanges", READ, COLLECTIONS, "changes of items"),
  BATCH_FRAME("frame: batch", READ_AND_WRITE, COLLECTIONS, "items", "items"),
  DELETE_ITEMS_FRAME(
      "frame: deleteItems",
      READ_AND_WRITE,
      COLLECTIONS,
      "progress",
      "the items that a query finds"),
  DELETE_PARTITION_FRAME(
      "frame: deletePartition", READ_AND_WRITE, COLLECTIONS, "progress", "items"),
  CREDIT_FRAME("frame: credit", READ, NOTHING),
  CANCEL_FRAME("frame: cancel", READ, NOTHING),
  PING_FRAME("frame: ping", READ, NOTHING),
  // KV Connect
  CONNECT_METADATA(
      "POST /",
      JSON,
      READ_WRITE_OR_ADMIN,
      NOTHING,
      FIRST_USE,
      "databaseId, limits, the token itself"),
  CONNECT_READ("POST /v2/snapshot_read", PROTOBUF, READ, KEYS, "entries"),
  CONNECT_COMMIT("POST /v2/atomic_write", PROTOBUF, READ_OR_WRITE, PARTS, "its parts", "its parts"),
  CONNECT_WATCH("POST /v2/watch", PROTOBUF, READ, KEYS, "entries");

  /** The body of a request. */
  public enum Body {
    /** No body that matters. */
    NONE,
    JSON("application/json"),
    /** A value, as JSON or as bytes. */
    VALUE("application/json", "application/octet-stream"),
    /** Lines of JSON. */
    LINES("application/x-ndjson"),
    PROTOBUF("application/x-protobuf");

    @SuppressWarnings("ImmutableEnumChecker") // of List.of
    private final List<String> types;

    Body(String... types) {
      this.types = List.of(types);
    }

    /** Returns the content types of the body. */
    public List<String> types() {
      return types;
    }
  }

  /** The rights that a token must have. */
  public enum Rights {
    NO_TOKEN(true),
    READ_WRITE_OR_ADMIN(false, AccessRight.READ, AccessRight.WRITE, AccessRight.ADMIN),
    READ(true, AccessRight.READ),
    WRITE(true, AccessRight.WRITE),
    READ_AND_WRITE(true, AccessRight.READ, AccessRight.WRITE),
    READ_OR_WRITE(false, AccessRight.READ, AccessRight.WRITE),
    METRICS_READ_OR_ADMIN(false, AccessRight.METRICS, AccessRight.READ, AccessRight.ADMIN),
    WRITE_AND_ADMIN(true, AccessRight.WRITE, AccessRight.ADMIN),
    ADMIN(true, AccessRight.ADMIN);

    private final boolean needsAll; // of the rights; otherwise one of them

    @SuppressWarnings("ImmutableEnumChecker") // of List.of
    private final List<AccessRight> rights;

    Rights(boolean needsAll, AccessRight... rights) {
      this.needsAll = needsAll;
      this.rights = List.of(rights);
    }

    private void require(Grant grant) {
      if (needsAll) {
        rights.forEach(grant::require);
      } else if (rights.stream().noneMatch(grant.access()::contains)) {
        throw new KvException(
            KvErrorCode.FORBIDDEN,
            "token " + grant.name() + " has no access of this kind (expected: " + this + ")");
      }
    }

    private boolean writes() {
      return needsAll && rights.contains(AccessRight.WRITE);
    }

    @Override
    public String toString() {
      String names =
          rights.stream()
              .map(AccessRight::name)
              .collect(Collectors.joining(needsAll ? " and " : ", "));
      return names.isEmpty() ? "no token" : names.replaceFirst(", (?=\\w+$)", " or ");
    }
  }

  /** The keys, or the databases, that a token must permit. */
  public enum Reach {
    /** No keys. */
    NOTHING(""),
    /** The keys and ranges of the request, each below one prefix of the token. */
    KEYS("the keys named"),
    /** All keys: tokens with prefixes are rejected. */
    ALL_KEYS("all keys"),
    /** All keys of collections. */
    COLLECTIONS("`[\"kvi\"]`"),
    /** All keys of all databases. */
    ALL_DATABASES("all keys of all databases"),
    /** The reach of each part of the commit. */
    PARTS("as for its parts");

    private final String text;

    Reach(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** The database of an operation. */
  public enum Home {
    /** No database. */
    SERVER(""),
    /** A database that exists and that the token permits. */
    EXISTING("must exist"),
    /** A database that the token permits; created if it does not exist, with ADMIN access. */
    FIRST_USE("created");

    private final String text;

    Home(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  static final class Content {
    static final String WRITTEN = "the item; without READ its id and `_etag`";

    private Content() {}
  }

  private final String call;
  private final Body body;
  private final Rights rights;
  private final Reach reach;
  private final Home home;
  private final String reads;
  private final String writes;

  Operation(String call, Rights rights, Reach reach, String... content) {
    this(call, Body.NONE, rights, reach, content);
  }

  Operation(String call, Body body, Rights rights, Reach reach, String... content) {
    this(call, body, rights, reach, Home.EXISTING, content);
  }

  Operation(String call, Rights rights, Reach reach, Home home, String... content) {
    this(call, Body.NONE, rights, reach, home, content);
  }

  /**
   * @param call the method and the route's pattern, or the type of a frame or of a part of a commit
   * @param home the database; by default one that exists
   * @param content the stored content of the response, and the state that is written, if any
   */
  Operation(String call, Body body, Rights rights, Reach reach, Home home, String... content) {
    if (content.length > 2) {
      throw new IllegalArgumentException(
          call + ": " + content.length + " texts (expected: 0 to 2)");
    }
    this.call = call;
    this.body = body;
    this.rights = rights;
    this.reach = reach;
    this.home = home;
    this.reads = content.length > 0 ? content[0] : "";
    this.writes = content.length > 1 ? content[1] : "";
  }

  /**
   * Returns the method and the route's pattern, or the type of a frame or of a part of a commit.
   */
  public String call() {
    return call;
  }

  /** Returns true for a route, false for a frame or a part of a commit. */
  public boolean isRoute() {
    return call.contains(" /");
  }

  /** Returns the method of a route. */
  public String method() {
    return call.substring(0, call.indexOf(' '));
  }

  /** Returns the pattern of a route's path, relative to the path of the database. */
  public String path() {
    return call.substring(call.indexOf(' ') + 1);
  }

  /** Returns the name in OpenAPI and in generated clients, such as {@code setEntry}. */
  public String id() {
    String[] words = name().toLowerCase(Locale.ROOT).split("_", -1);
    StringBuilder id = new StringBuilder(words[0]);
    for (int i = 1; i < words.length; i++) {
      id.append(Character.toUpperCase(words[i].charAt(0))).append(words[i], 1, words[i].length());
    }
    return id.toString();
  }

  /** Returns true for probes and metrics, which are answered in every state of the server. */
  public boolean isAlwaysAnswered() {
    return this == LIVE || this == READY || this == METRICS;
  }

  /** Returns true if a route also answers HEAD: it reads, and its response is not a stream. */
  public boolean answersHead() {
    return method().equals("GET")
        && this != CHANGES
        && this != ITEM_CHANGES
        && this != EXPORT
        && this != OPEN_STREAM;
  }

  public Body body() {
    return body;
  }

  public Rights rights() {
    return rights;
  }

  public Reach reach() {
    return reach;
  }

  public Home home() {
    return home;
  }

  /** Returns a description of the content that is read. */
  public String reads() {
    return reads;
  }

  /** Returns a description of the state that is written. */
  public String writes() {
    return writes;
  }

  /** Returns true if each key, range or part requires an authorization of its own. */
  public boolean isByKey() {
    return reach == Reach.KEYS || reach == Reach.PARTS;
  }

  /**
   * Checks that a token allows this operation, apart from the keys of the request.
   *
   * @throws KvException FORBIDDEN
   */
  public void authorize(Grant grant) {
    rights.require(grant);
    switch (reach) {
      case NOTHING, KEYS, PARTS -> {}
      case ALL_KEYS -> grant.requireAllKeys();
      case COLLECTIONS -> grant.requireReach(CollectionKeyspace.start(), CollectionKeyspace.end());
      case ALL_DATABASES -> {
        grant.requireAllKeys();
        grant.requireAllDatabases();
      }
    }
  }

  /** Returns true if a token may write keys of collections directly. */
  public static boolean mayChangeCollectionKeys(Grant grant) {
    return grant.access().containsAll(CHANGE_COLLECTION_KEY.rights.rights);
  }

  /** Checks that a token allows this operation on a key. */
  public void authorizeKey(Grant grant, byte[] key) {
    authorizeRange(grant, key, Arrays.copyOf(key, key.length + 1));
  }

  /**
   * Checks that a token allows this operation on all keys from {@code start} to {@code end}.
   * Writing a key of collections also requires the rights of {@link #CHANGE_COLLECTION_KEY}: direct
   * writes would let items and index entries diverge.
   *
   * @throws KvException FORBIDDEN
   */
  public void authorizeRange(Grant grant, byte[] start, byte[] end) {
    if (!isByKey()) {
      throw new IllegalStateException(name().toLowerCase(Locale.ROOT) + " is not about keys");
    }
    rights.require(grant);
    grant.requireReach(start, end);
    if (rights.writes()
        && !mayChangeCollectionKeys(grant)
        && CollectionKeyspace.overlaps(start, end)) {
      throw CollectionKeyspace.forbidden();
    }
  }
}
