package io.kvreactive.web.internal.rest;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.protocol.JsonForm;
import io.kvreactive.protocol.Members;
import io.kvreactive.web.internal.http.RequestContext;
import io.vertx.ext.web.RoutingContext;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the ranges of requests: a prefix, a start, an end, or two of them. */
public final class RangeParams {
  /**
   * The name of the prefix, as query parameter and as property; {@link #START} and {@link #END} are
   * the others.
   */
  public static final String PREFIX = "prefix";

  public static final String START = "start";
  public static final String END = "end";

  private RangeParams() {}

  /** Reads the query parameters of a request with a range. */
  public static QueryParams query(RoutingContext context, String... others) {
    return QueryParams.of(
        context,
        Stream.of(List.of(PREFIX, START, END), List.of(others))
            .flatMap(List::stream)
            .toArray(String[]::new));
  }

  /** Returns the range of a query; all keys if it has none. */
  public static KvRange of(QueryParams query) {
    return of(query.key(PREFIX), query.bound(START), query.bound(END));
  }

  /** Returns the range of an object; all keys if it has none. */
  public static KvRange of(Members<?> range) {
    return of(
        range.readIfAny(PREFIX, JsonForm.KEY),
        range.readIfAny(START, JsonForm.STORED_KEY),
        range.readIfAny(END, JsonForm.STORED_KEY));
  }

  /**
   * Returns the range of an object.
   *
   * @throws io.kvreactive.web.WebException BAD_REQUEST if the object has none
   */
  static KvRange explicit(Members<?> range) {
    return explicit(
        range.readIfAny(PREFIX, JsonForm.KEY),
        range.readIfAny(START, JsonForm.STORED_KEY),
        range.readIfAny(END, JsonForm.STORED_KEY));
  }

  /**
   * Returns the range of a query.
   *
   * @throws io.kvreactive.web.WebException BAD_REQUEST if the query has none
   */
  public static KvRange explicit(QueryParams query) {
    return explicit(query.key(PREFIX), query.bound(START), query.bound(END));
  }

  private static KvRange explicit(
      @Nullable KvKey prefix, @Nullable KvKey start, @Nullable KvKey end) {
    if (prefix == null && (start == null || end == null)) {
      throw StrictJson.bad("no range (expected: prefix, or start and end; for all keys prefix=[])");
    }
    return of(prefix, start, end);
  }

  /**
   * Returns the range of a prefix, a start, inclusive, and an end, exclusive. All keys if all are
   * null.
   *
   * @throws KvException INVALID_RANGE
   */
  public static KvRange of(@Nullable KvKey prefix, @Nullable KvKey start, @Nullable KvKey end) {
    KvKey within = prefix == null ? KvKey.EMPTY : prefix;
    if (start == null && end == null) {
      return KvRange.prefix(within);
    }
    if (prefix != null && start != null && end != null) {
      throw new KvException(
          KvErrorCode.INVALID_RANGE, "prefix, start and end (expected: at most two of them)");
    }
    if (start != null && end != null) {
      return KvRange.between(start, end);
    }
    return start != null
        ? KvRange.prefixFrom(within, start)
        : KvRange.prefixUntil(within, Objects.requireNonNull(end));
  }

  /** Returns the prefix whose keys are exactly those of a range; null if there is none. */
  public static @Nullable KvKey prefixOf(KvRange range) {
    byte[] start = range.startBytes();
    if (start.length == 0) {
      return null;
    }
    try {
      KvKey prefix = KvKey.decode(Arrays.copyOf(start, start.length - 1));
      KvRange whole = KvRange.prefix(prefix);
      boolean same =
          Arrays.equals(start, whole.startBytes())
              && Arrays.equals(range.endBytes(), whole.endBytes());
      return same ? prefix : null;
    } catch (KvException e) { // the start is not a key
      return null;
    }
  }

  /**
   * Authorizes the caller for a range and returns the range.
   *
   * @throws KvException FORBIDDEN
   */
  public static KvRange authorized(RoutingContext context, KvRange range) {
    RequestContext.of(context).authorizeRange(range.startBytes(), range.endBytes());
    return range;
  }
}
