package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.json.KvJson;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.RequestContext;
import io.vertx.ext.web.RoutingContext;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The route that lists the keys as a tree, one level at a time. */
final class TreeRoutes {
  private static final int MAX_CHILDREN = 1000;

  /** The first byte of a cursor whose key is malformed. No key begins with it. */
  private static final byte MALFORMED = (byte) 0xFF;

  private TreeRoutes() {}

  static void mount(OperationRoutes routes) {
    routes.plain(Operation.TREE, TreeRoutes::tree);
  }

  private static void tree(RoutingContext context) {
    QueryParams query = QueryParams.of(context, "prefix", "start", "limit", "cursor");
    KvKey given = query.key("prefix");
    KvKey prefix = given == null ? KvKey.EMPTY : given;
    var unused = RangeParams.authorized(context, KvRange.prefix(prefix));
    int limit = (int) query.whole("limit", 100, 1, MAX_CHILDREN);
    KvKey after = cursor(query.text("cursor"), prefix);
    byte[] start = start(query.key("start"), prefix);
    KvEngine engine = RequestContext.of(context).kv().engine();
    Mono<TreeWalk> walked =
        Mono.usingWhen(
                engine.snapshot(),
                snapshot -> new TreeWalk(engine, snapshot, prefix, start, after, limit).run(),
                snapshot -> Mono.fromRunnable(snapshot::close))
            .publishOn(Responses.here());
    Responses.when(context, walked, walk -> answer(context, walk));
  }

  /** Returns the first key of the first child to list. */
  private static byte[] start(@Nullable KvKey start, KvKey prefix) {
    if (start == null) {
      return KvRange.prefix(prefix).startBytes();
    }
    if (start.equals(prefix) || !start.startsWith(prefix)) {
      throw new KvException(
          KvErrorCode.INVALID_RANGE,
          "start: %s (expected: a key below the prefix)".formatted(start));
    }
    return start.prefix(prefix.size() + 1).bytes();
  }

  private static @Nullable KvKey cursor(@Nullable String text, KvKey prefix) {
    if (text == null || text.isEmpty()) {
      return null;
    }
    try {
      byte[] cursor = Base64.getUrlDecoder().decode(text);
      boolean malformed = cursor.length > 0 && cursor[0] == MALFORMED;
      KvKey key =
          malformed
              ? KvKey.fromEncoded(Arrays.copyOfRange(cursor, 1, cursor.length))
              : KvKey.decode(cursor);
      if (TreeWalk.isChild(key, prefix)) {
        return key;
      }
    } catch (IllegalArgumentException | KvException e) {
      // reported below
    }
    throw new KvException(
        KvErrorCode.INVALID_CURSOR,
        "cursor \"%s\" (expected: a cursor of this prefix)".formatted(StrictJson.excerpt(text)));
  }

  private static String cursor(TreeWalk.Child last) {
    byte[] key = last.key().bytes();
    byte[] cursor = key;
    if (last.isMalformed()) {
      cursor = new byte[key.length + 1];
      cursor[0] = MALFORMED;
      System.arraycopy(key, 0, cursor, 1, key.length);
    }
    return Base64.getUrlEncoder().withoutPadding().encodeToString(cursor);
  }

  private static void answer(RoutingContext context, TreeWalk walk) {
    Responses.stamp(context, walk.versionstamp());
    ObjectNode body = StrictJson.object();
    ArrayNode children = body.putArray("children");
    for (TreeWalk.Child child : walk.children()) {
      ObjectNode json = children.addObject();
      JsonNode key = KvJson.toJson(child.key());
      json.set("part", key.isArray() ? key.get(key.size() - 1) : key);
      json.set("key", key);
      json.put("isKey", child.isKey());
      json.put("hasChildren", child.hasChildren());
    }
    TreeWalk.Child last = walk.resumeAfter();
    body.put("cursor", last == null ? null : cursor(last));
    body.put("versionstamp", walk.versionstamp().toString());
    Responses.json(context, body);
  }
}
