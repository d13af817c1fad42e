package io.kvreactive.web.internal.rest;

import io.kvreactive.KvError;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvValue;
import io.kvreactive.ListOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.json.KvJson;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.BodyReader;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.http.ResponseBodies;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** Routes of one key: get, set, delete, touch. */
final class EntryRoutes {
  private static final int ATTEMPTS = 10;
  private static final String KEY = "key";
  private static final String EXPIRE_IN = "expireIn";
  private static final String EXPIRE_AT = "expireAt";

  private EntryRoutes() {}

  static void mount(OperationRoutes routes) {
    routes.plain(Operation.GET_ENTRY, EntryRoutes::get);
    routes.body(Operation.SET_ENTRY, EntryRoutes::set, WriteRequests::answer);
    routes.plain(Operation.DELETE_ENTRY, EntryRoutes::delete);
    routes.plain(Operation.TOUCH_ENTRY, EntryRoutes::touch);
  }

  private static void get(RoutingContext context) {
    List<String> types = ContentNegotiation.all(context, Responses.JSON, Responses.BYTES);
    KvKey key =
        WriteRequests.authorized(context, QueryParams.of(context, KEY).requiredStoredKey(KEY));
    KvEngine engine = RequestContext.of(context).kv().engine();
    List<ReadRange> point = List.of(ReadRange.point(key.bytes()));
    ReadResult now = engine.readNow(point);
    if (now == null) {
      Responses.when(
          context,
          engine.read(point, null).publishOn(Responses.here()),
          read -> answer(context, key, read, types));
    } else {
      answer(context, key, now, types);
    }
  }

  private static void answer(
      RoutingContext context, KvKey key, ReadResult read, List<String> types) {
    Responses.stamp(context, read.snapshot());
    List<StoredEntry> found = read.pages().get(0).entries();
    if (found.isEmpty()) {
      throw absent(key);
    }
    StoredEntry entry = found.get(0);
    KvValue value = Objects.requireNonNull(entry.value());
    HttpServerResponse response = context.response();
    response.putHeader("ETag", "\"" + entry.versionstamp() + "\"").headers().add("Vary", "Accept");
    if (Preconditions.isCurrent(context, entry.versionstamp())) {
      response.setStatusCode(304).end();
    } else if (type(value, types).equals(Responses.BYTES)) {
      answerBytes(context, value, entry.expireAt());
    } else {
      Responses.json(context, DataWriter.bytes(entry));
    }
  }

  /**
   * Returns the first acceptable type that the value has. Every value has JSON, and values of bytes
   * have both types.
   */
  private static String type(KvValue value, List<String> types) {
    boolean bytes = value.encoding() == KvValue.Encoding.BYTES;
    return types.stream()
        .filter(type -> bytes || type.equals(Responses.JSON))
        .findFirst()
        .orElseThrow(
            () ->
                new WebException(
                    WebErrorCode.NOT_ACCEPTABLE,
                    "the value is not bytes (expected: Accept: application/json)"));
  }

  private static void answerBytes(RoutingContext context, KvValue value, long expireAt) {
    HttpServerResponse response = context.response();
    if (expireAt != 0) {
      response.putHeader("X-Kv-Expire-At", String.valueOf(expireAt));
    }
    Responses.setType(response, Responses.BYTES).putHeader("X-Content-Type-Options", "nosniff");
    ResponseBodies.send(context, Buffer.buffer(value.bytes()));
  }

  private static WebException absent(KvKey key) {
    return new WebException(WebErrorCode.NO_SUCH_KEY, "key " + key + " does not exist");
  }

  private static Commit set(RoutingContext context) {
    QueryParams query = QueryParams.of(context, KEY, EXPIRE_IN, EXPIRE_AT);
    KvKey key = WriteRequests.authorized(context, query.requiredKey(KEY));
    long expireAt = expireAt(context, query);
    String type = ContentNegotiation.contentType(context, Operation.SET_ENTRY.body());
    KvValue value =
        type.equals(Responses.BYTES)
            ? new KvValue(KvValue.Encoding.BYTES, BodyReader.bytes(context))
            : KvJson.valueOf(OperationRoutes.json(context));
    return write(context, key, new Mutation.Set(key.bytes(), value, expireAt));
  }

  private static void delete(RoutingContext context) {
    KvKey key =
        WriteRequests.authorized(context, QueryParams.of(context, KEY).requiredStoredKey(KEY));
    WriteRequests.answer(context, write(context, key, new Mutation.Delete(key.bytes())));
  }

  private static Commit write(RoutingContext context, KvKey key, Mutation change) {
    List<Check> checks = WriteRequests.conditions(context, key);
    return WriteRequests.commit(context, checks, List.of(change), List.of());
  }

  private static long expireAt(RoutingContext context, QueryParams query) {
    return WriteRequests.expireAt(
        RequestContext.of(context).clock(),
        query.whole(EXPIRE_IN, -1, 0, Long.MAX_VALUE),
        query.whole(EXPIRE_AT, -1, 0, Long.MAX_VALUE));
  }

  private static void touch(RoutingContext context) {
    QueryParams query = QueryParams.of(context, KEY, EXPIRE_IN, EXPIRE_AT);
    KvKey key = WriteRequests.authorized(context, query.requiredKey(KEY));
    if (!query.has(EXPIRE_IN) && !query.has(EXPIRE_AT)) {
      throw StrictJson.bad("query parameter expireIn or expireAt is missing (0: never expires)");
    }
    Mutation.Touch touch = new Mutation.Touch(key.bytes(), expireAt(context, query));
    List<Check> requested = WriteRequests.conditions(context, key);
    Responses.when(
        context,
        requested.isEmpty() ? touchPresent(context, key, touch) : touch(context, requested, touch),
        versionstamp -> Responses.committed(context, versionstamp));
  }

  /**
   * Touches an entry that must exist. Reads the entry again after a concurrent change, up to 10
   * times.
   */
  private static Mono<Versionstamp> touchPresent(
      RoutingContext context, KvKey key, Mutation.Touch touch) {
    ListOptions keyOnly = ListOptions.DEFAULT.withKeysOnly(true).withBatchSize(1);
    return RequestContext.of(context)
        .kv()
        .page(KvRange.single(key), keyOnly, KvValue.class)
        .flatMap(
            page -> {
              if (page.entries().isEmpty()) {
                return Mono.error(absent(key));
              }
              Check unchanged = new Check(key.bytes(), page.entries().get(0).versionstamp());
              return touch(context, List.of(unchanged), touch);
            })
        .retryWhen(
            Retry.max(ATTEMPTS)
                .filter(EntryRoutes::isCheckFailed)
                .onRetryExhaustedThrow((spec, last) -> last.failure()));
  }

  private static boolean isCheckFailed(Throwable failure) {
    return KvError.is(failure, WebErrorCode.CHECK_FAILED);
  }

  private static Mono<Versionstamp> touch(
      RoutingContext context, List<Check> checks, Mutation.Touch touch) {
    return WriteRequests.run(
            context, WriteRequests.commit(context, checks, List.of(touch), List.of()))
        .map(WriteRequests::stampOf);
  }
}
