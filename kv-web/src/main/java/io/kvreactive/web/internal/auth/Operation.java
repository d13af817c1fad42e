package io.kvreactive.web.internal.auth;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The table of all operations of callers: the content they read, the state they write, and the
 * rights that a token needs. Routes, WebSocket frames and the parts of commits are authorized by
 * their row and by nothing else; {@code docs/security.md} has the same table.
 */
public enum Operation {
  // no rights required
  EXPLORER("GET /", Rights.NO_TOKEN, Reach.NOTHING, Home.SERVER, "the page", ""),
  EXPLORER_FILE(
      "GET /explorer/:file", Rights.NO_TOKEN, Reach.NOTHING, Home.SERVER, "its files", ""),
  EXPLORER_OF_DATABASE(
      "GET /db/:name/", Rights.NO_TOKEN, Reach.NOTHING, Home.SERVER, "a redirect to the page", ""),
  OPENAPI("GET /openapi.json", Rights.NO_TOKEN, Reach.NOTHING, Home.SERVER, "the description", ""),
  LIVE("GET /livez", Rights.NO_TOKEN, Reach.NOTHING, Home.SERVER, "that the process answers", ""),
  READY(
      "GET /readyz",
      Rights.NO_TOKEN,
      Reach.NOTHING,
      Home.SERVER,
      "the state, codes of failures",
      ""),

  // of the server
  METRICS(
      "GET /metrics",
      Rights.READ_OR_ADMIN,
      Reach.ALL_DATABASES,
      Home.SERVER,
      "meters; without a token for local callers",
      ""),
  LIST_TOKENS(
      "GET /api/v1/tokens",
      Rights.ADMIN,
      Reach.ALL_DATABASES,
      Home.SERVER,
      "tokens, no secrets or hashes",
      ""),
  CREATE_TOKEN(
      "POST /api/v1/tokens",
      Rights.ADMIN,
      Reach.ALL_DATABASES,
      Home.SERVER,
      "the new secret, once",
      "a token"),
  REVOKE_TOKEN(
      "DELETE /api/v1/tokens/:name", Rights.ADMIN, Reach.ALL_DATABASES, Home.SERVER, "", "a token"),
  ROTATE_TOKEN(
      "POST /api/v1/tokens/:name/rotate",
      Rights.ADMIN,
      Reach.ALL_DATABASES,
      Home.SERVER,
      "the new secret, once",
      "a token"),
  CREATE_DATABASE(
      "first use of a database", Rights.ADMIN, Reach.NOTHING, Home.SERVER, "", "a database"),

  // of a database
  INFO(
      "GET /api/v1/info",
      Rights.ANY_TOKEN,
      Reach.NOTHING,
      Home.EXISTING,
      "limits, the clock, the token's own rights",
      ""),
  LIST_DATABASES(
      "GET /api/v1/databases",
      Rights.ANY_TOKEN,
      Reach.NOTHING,
      Home.EXISTING,
      "names of open databases that the token reaches",
      ""),
  STATS("GET /api/v1/stats", Rights.READ, Reach.ALL_KEYS, Home.EXISTING, "statistics", ""),
  LIST_QUEUES(
      "GET /api/v1/queues",
      Rights.READ,
      Reach.ALL_KEYS,
      Home.EXISTING,
      "names and sizes of queues",
      ""),
  BACK_UP(
      "POST /api/v1/backup",
      Rights.ADMIN,
      Reach.ALL_KEYS,
      Home.EXISTING,
      "progress",
      "a directory below that of backups"),
  COMPACT(
      "POST /api/v1/compact",
      Rights.ADMIN,
      Reach.ALL_KEYS,
      Home.EXISTING,
      "progress",
      "the files of the store"),
  VERIFY(
      "POST /api/v1/verify",
      Rights.ADMIN,
      Reach.ALL_KEYS,
      Home.EXISTING,
      "a report; keys in it with READ only",
      ""),

  // keys
  GET_ENTRY("GET /api/v1/entry", Rights.READ, Reach.KEYS, Home.EXISTING, "the entry", ""),
  SET_ENTRY(
      "PUT /api/v1/entry", Rights.WRITE, Reach.KEYS, Home.FIRST_USE, "versionstamp", "the entry"),
  DELETE_ENTRY(
      "DELETE /api/v1/entry", Rights.WRITE, Reach.KEYS, Home.EXISTING, "versionstamp", "the entry"),
  TOUCH_ENTRY(
      "POST /api/v1/entry/touch",
      Rights.READ_AND_WRITE,
      Reach.KEYS,
      Home.EXISTING,
      "whether the key exists",
      "its expiry"),
  GET_ENTRIES("POST /api/v1/entries/get", Rights.READ, Reach.KEYS, Home.EXISTING, "entries", ""),
  LIST_ENTRIES("GET /api/v1/entries", Rights.READ, Reach.KEYS, Home.EXISTING, "entries", ""),
  DELETE_ENTRIES(
      "DELETE /api/v1/entries",
      Rights.WRITE,
      Reach.KEYS,
      Home.EXISTING,
      "versionstamp",
      "the range"),
  COUNT("GET /api/v1/count", Rights.READ, Reach.KEYS, Home.EXISTING, "a number", ""),
  TREE("GET /api/v1/tree", Rights.READ, Reach.KEYS, Home.EXISTING, "keys", ""),
  EXPORT("GET /api/v1/export", Rights.READ, Reach.KEYS, Home.EXISTING, "entries", ""),
  IMPORT(
      "POST /api/v1/import",
      Rights.WRITE,
      Reach.ALL_KEYS,
      Home.FIRST_USE,
      "progress",
      "entries, those of collections with ADMIN"),
  CHANGES(
      "GET /api/v1/changes",
      Rights.READ,
      Reach.KEYS,
      Home.EXISTING,
      "commits, as a poll or as SSE",
      ""),
  COMMIT(
      "POST /api/v1/atomic",
      Rights.READ_OR_WRITE,
      Reach.PARTS,
      Home.FIRST_USE,
      "its parts",
      "its parts"),

  // parts of commits, of REST and of KV Connect
  CHECK(
      "part: check, If-Match and If-None-Match of a key",
      Rights.READ,
      Reach.KEYS,
      Home.EXISTING,
      "whether it holds",
      ""),
  CHANGE("part: change", Rights.WRITE, Reach.KEYS, Home.EXISTING, "", "the key or range"),
  CHANGE_COLLECTION_KEY(
      "part: change of a key below `[\"kvi\"]`",
      Rights.WRITE_AND_ADMIN,
      Reach.KEYS,
      Home.EXISTING,
      "",
      "the key or range"),
  SEND_MESSAGE("part: message", Rights.WRITE, Reach.ALL_KEYS, Home.EXISTING, "", "a queue"),
  COMMIT_ID(
      "part: Idempotency-Key; ignored without the right",
      Rights.WRITE,
      Reach.NOTHING,
      Home.EXISTING,
      "versionstamp of the first commit",
      "the id, apart for each token with prefixes"),
  EMPTY_COMMIT("part: none at all", Rights.WRITE, Reach.NOTHING, Home.EXISTING, "", ""),

  // queues
  ENQUEUE(
      "POST /api/v1/enqueue",
      Rights.WRITE,
      Reach.ALL_KEYS,
      Home.FIRST_USE,
      "versionstamp",
      "a queue"),
  CLAIM(
      "POST /api/v1/queue/claim",
      Rights.READ_AND_WRITE,
      Reach.ALL_KEYS,
      Home.EXISTING,
      "messages",
      "leases"),
  ACKNOWLEDGE(
      "POST /api/v1/queue/ack",
      Rights.READ_AND_WRITE,
      Reach.ALL_KEYS,
      Home.EXISTING,
      "",
      "a message"),
  REJECT(
      "POST /api/v1/queue/nack",
      Rights.READ_AND_WRITE,
      Reach.ALL_KEYS,
      Home.EXISTING,
      "",
      "a message"),
  EXTEND_LEASE(
      "POST /api/v1/queue/extend",
      Rights.READ_AND_WRITE,
      Reach.ALL_KEYS,
      Home.EXISTING,
      "",
      "a lease"),

  // collections
  LIST_COLLECTIONS(
      "GET /api/v1/collections", Rights.READ, Reach.COLLECTIONS, Home.EXISTING, "definitions", ""),
  GET_COLLECTION(
      "GET /api/v1/collections/:collection",
      Rights.READ,
      Reach.COLLECTIONS,
      Home.EXISTING,
      "a definition, sizes",
      ""),
  DEFINE_COLLECTION(
      "PUT /api/v1/collections/:collection",
      Rights.ADMIN,
      Reach.COLLECTIONS,
      Home.FIRST_USE,
      "the definition",
      "the definition, indexes"),
  DROP_COLLECTION(
      "DELETE /api/v1/collections/:collection",
      Rights.ADMIN,
      Reach.COLLECTIONS,
      Home.EXISTING,
      "",
      "the collection"),
  TRANSFORMATION(
      "GET /api/v1/collections/:collection/transformation",
      Rights.READ,
      Reach.COLLECTIONS,
      Home.EXISTING,
      "progress of indexes",
      ""),
  CREATE_ITEM(
      "POST /api/v1/collections/:collection/items",
      Rights.WRITE,
      Reach.COLLECTIONS,
      Home.EXISTING,
      Content.WRITTEN,
      "the item"),
  GET_ITEM(
      "GET /api/v1/collections/:collection/items/:id",
      Rights.READ,
      Reach.COLLECTIONS,
      Home.EXISTING,
      "the item",
      ""),
  PUT_ITEM(
      "PUT /api/v1/collections/:collection/items/:id",
      Rights.WRITE,
      Reach.COLLECTIONS,
      Home.EXISTING,
      Content.WRITTEN,
      "the item"),
  PATCH_ITEM(
      "PATCH /api/v1/collections/:collection/items/:id",
      Rights.WRITE,
      Reach.COLLECTIONS,
      Home.EXISTING,
      Content.WRITTEN,
      "the item"),
  DELETE_ITEM(
      "DELETE /api/v1/collections/:collection/items/:id",
      Rights.WRITE,
      Reach.COLLECTIONS,
      Home.EXISTING,
      "versionstamp",
      "the item"),
  GET_ITEM_BY_JSON_ID(
      "GET /api/v1/collections/:collection/items",
      Rights.READ,
      Reach.COLLECTIONS,
      Home.EXISTING,
      "the item",
      ""),
  PUT_ITEM_BY_JSON_ID(
      "PUT /api/v1/collections/:collection/items",
      Rights.WRITE,
      Reach.COLLECTIONS,
      Home.EXISTING,
      Content.WRITTEN,
      "the item"),
  PATCH_ITEM_BY_JSON_ID(
      "PATCH /api/v1/collections/:collection/items",
      Rights.WRITE,
      Reach.COLLECTIONS,
      Home.EXISTING,
      Content.WRITTEN,
      "the item"),
  DELETE_ITEM_BY_JSON_ID(
      "DELETE /api/v1/collections/:collection/items",
      Rights.WRITE,
      Reach.COLLECTIONS,
      Home.EXISTING,
      "versionstamp",
      "the item"),
  LOAD_ITEMS(
      "POST /api/v1/collections/:collection/load",
      Rights.WRITE,
      Reach.COLLECTIONS,
      Home.EXISTING,
      "progress",
      "items"),
  QUERY(
      "POST /api/v1/collections/:collection/query",
      Rights.READ,
      Reach.COLLECTIONS,
      Home.EXISTING,
      "rows, plans",
      ""),

  // the WebSocket
  OPEN_STREAM(
      "GET /api/v1/stream", Rights.READ, Reach.NOTHING, Home.EXISTING, "the connection", ""),
  LIST_FRAME("frame: list", Rights.READ, Reach.KEYS, Home.EXISTING, "entries", ""),
  WATCH_FRAME("frame: watch", Rights.READ, Reach.KEYS, Home.EXISTING, "entries", ""),
  CHANGES_FRAME("frame: changes", Rights.READ, Reach.KEYS, Home.EXISTING, "commits", ""),
  QUERY_FRAME("frame: query", Rights.READ, Reach.COLLECTIONS, Home.EXISTING, "rows", ""),
  CREDIT_FRAME("frame: credit", Rights.READ, Reach.NOTHING, Home.EXISTING, "", ""),
  CANCEL_FRAME("frame: cancel", Rights.READ, Reach.NOTHING, Home.EXISTING, "", ""),
  PING_FRAME("frame: ping", Rights.READ, Reach.NOTHING, Home.EXISTING, "", ""),

  // KV Connect
  CONNECT_METADATA(
      "POST /",
      Rights.ANY_TOKEN,
      Reach.NOTHING,
      Home.FIRST_USE,
      "databaseId, limits, the token itself",
      ""),
  CONNECT_READ("POST /v2/snapshot_read", Rights.READ, Reach.KEYS, Home.EXISTING, "entries", ""),
  CONNECT_COMMIT(
      "POST /v2/atomic_write",
      Rights.READ_OR_WRITE,
      Reach.PARTS,
      Home.EXISTING,
      "its parts",
      "its parts"),
  CONNECT_WATCH("POST /v2/watch", Rights.READ, Reach.KEYS, Home.EXISTING, "entries", "");

  /** The rights that a token must have. */
  public enum Rights {
    NO_TOKEN("no token", Set.of(), Set.of()),
    ANY_TOKEN("any token", Set.of(), Set.of()),
    READ("READ", Set.of(AccessRight.READ), Set.of()),
    WRITE("WRITE", Set.of(AccessRight.WRITE), Set.of()),
    READ_AND_WRITE("READ and WRITE", Set.of(AccessRight.READ, AccessRight.WRITE), Set.of()),
    READ_OR_WRITE("READ or WRITE", Set.of(), Set.of(AccessRight.READ, AccessRight.WRITE)),
    READ_OR_ADMIN("READ or ADMIN", Set.of(), Set.of(AccessRight.READ, AccessRight.ADMIN)),
    WRITE_AND_ADMIN("WRITE and ADMIN", Set.of(AccessRight.WRITE, AccessRight.ADMIN), Set.of()),
    ADMIN("ADMIN", Set.of(AccessRight.ADMIN), Set.of());

    private final String text;

    @SuppressWarnings("ImmutableEnumChecker") // of Set.of
    private final Set<AccessRight> all;

    @SuppressWarnings("ImmutableEnumChecker")
    private final Set<AccessRight> any;

    Rights(String text, Set<AccessRight> all, Set<AccessRight> any) {
      this.text = text;
      this.all = Set.copyOf(all);
      this.any = Set.copyOf(any);
    }

    private void require(Grant grant) {
      for (AccessRight each : AccessRight.values()) {
        if (all.contains(each)) {
          grant.require(each);
        }
      }
      if (!any.isEmpty() && any.stream().noneMatch(grant.access()::contains)) {
        throw new KvException(
            KvErrorCode.FORBIDDEN,
            "token " + grant.name() + " has no access of this kind (expected: " + text + ")");
      }
    }

    private boolean writes() {
      return all.contains(AccessRight.WRITE);
    }

    @Override
    public String toString() {
      return text;
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

  private static final class Content {
    private static final String WRITTEN = "the item; without READ its id and `_etag`";
  }

  private static final Pattern ROUTE = Pattern.compile("[A-Z]+ /.*");
  private static final Pattern DATABASE = Pattern.compile("/db/[^/]+(?<below>/.*)?");

  /** The route in logs of a request that matches no row. */
  private static final String UNKNOWN_ROUTE = "-";

  private final String call;
  private final Rights rights;
  private final Reach reach;
  private final Home home;
  private final String reads;
  private final String writes;
  private final Pattern path;

  /**
   * @param call the method and the route's pattern, or the type of a frame or of a part of a commit
   * @param reads the stored content of the response
   */
  Operation(String call, Rights rights, Reach reach, Home home, String reads, String writes) {
    this.call = call;
    this.rights = rights;
    this.reach = reach;
    this.home = home;
    this.reads = reads;
    this.writes = writes;
    this.path = Pattern.compile(expression(call.substring(call.indexOf(' ') + 1)));
  }

  private static String expression(String pattern) {
    StringBuilder expression = new StringBuilder();
    for (String part : pattern.split("/", -1)) {
      if (!part.isEmpty()) {
        expression.append('/').append(part.startsWith(":") ? "[^/]+" : Pattern.quote(part));
      }
    }
    return expression + "/?";
  }

  /**
   * Returns the method and the route's pattern, or the type of a frame or of a part of a commit.
   */
  public String call() {
    return call;
  }

  /** Returns true for a route, false for a frame or a part of a commit. */
  public boolean isRoute() {
    return ROUTE.matcher(call).matches();
  }

  /** Returns the method of a route. */
  public String method() {
    return call.substring(0, call.indexOf(' '));
  }

  /** Returns the pattern of a route's path, relative to the path of the database. */
  public String path() {
    return call.substring(call.indexOf(' ') + 1);
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
   * Returns true if a request creates its database.
   *
   * @param below the path of the request relative to the path of the database, which has no
   *     trailing slash
   */
  public static boolean createsDatabase(String method, String below) {
    for (Operation operation : values()) {
      if (operation.home == Home.FIRST_USE
          && operation.method().equals(method)
          && operation.path.matcher(below).matches()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the pattern of the route that a path belongs to, for logs: it has none of the path's
   * names of databases, collections and items.
   *
   * @param requested the path relative to the mount point of the routes
   * @return {@code -} if there is no such route
   */
  public static String route(String requested) {
    var named = DATABASE.matcher(requested);
    if (!named.matches()) {
      return pattern(requested);
    }
    String below = named.group("below");
    String pattern = pattern(below == null ? "/" : below);
    return pattern.equals(UNKNOWN_ROUTE) ? UNKNOWN_ROUTE : "/db/:database" + pattern;
  }

  private static String pattern(String requested) {
    for (Operation operation : values()) {
      if (operation.isRoute() && operation.path.matcher(requested).matches()) {
        return operation.path();
      }
    }
    return UNKNOWN_ROUTE;
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
    return grant.access().containsAll(CHANGE_COLLECTION_KEY.rights.all);
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
