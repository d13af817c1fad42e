package io.kvreactive.web.internal.connect;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.connect.wire.SnapshotRead;
import io.kvreactive.internal.shared.ArgumentChecks;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.web.internal.http.Outlet;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.http.ResponseBodies;
import io.kvreactive.web.internal.http.WholeSource;
import io.kvreactive.web.internal.http.WorkerOffload;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/** Handles reads of ranges at one version. Each range is read up to its limit or its end. */
final class SnapshotReadHandler implements Handler<RoutingContext> {
  /** Maximum number of ranges of a request. Deno requests at most 10. */
  static final int MAX_RANGES = 1000;

  private static final byte[] END_OF_ALL = {(byte) 0xFF};
  private static final CharSequence PROTOBUF =
      HttpHeaders.createOptimized(ConnectProtocol.PROTOBUF);
  private static final CharSequence VERSIONSTAMP =
      HttpHeaders.createOptimized(ConnectProtocol.VERSIONSTAMP_HEADER.toLowerCase(Locale.ROOT));

  private final MessageBodies bodies;

  SnapshotReadHandler(MessageBodies bodies) {
    this.bodies = bodies;
  }

  @Override
  public void handle(RoutingContext context) {
    KvLimits limits = RequestContext.of(context).database().kv().limits();
    int ranges = Math.min(MAX_RANGES, limits.maxKeysPerGetMany());
    bodies.read(
        context,
        SnapshotRead.getDefaultInstance(),
        ranges,
        request -> read(context, request, limits.maxBatchSize()));
  }

  private void read(RoutingContext context, SnapshotRead request, int maxEntries) {
    RequestContext requestContext = RequestContext.of(context);
    List<ReadRange> ranges = ranges(request, requestContext, maxEntries);
    KvEngine engine = requestContext.kv().engine();
    boolean withExpiry = request.getWithExpiry();
    RangeReader now = RangeReader.now(engine, ranges);
    if (now == null) {
      Outlet.write(
          context,
          new WholeSource(
              memory ->
                  RangeReader.of(engine, ranges, memory)
                      .map(read -> inParts(new ReadResponse(read, withExpiry)))));
      return;
    }
    // without switching threads, which is half the cost of a short read
    ReadResponse answer = new ReadResponse(now, withExpiry);
    // Sent in a later task, after the other received requests were read. Responses that are
    // written while Vert.x reads are flushed at the end of the read only, and the client would
    // be idle until then.
    Consumer<ReadResponse> sending =
        WorkerOffload.guarded(context, message -> send(context, message));
    Outlet.current().runOnContext(ignored -> sending.accept(answer));
  }

  private static List<ReadRange> ranges(
      SnapshotRead request, RequestContext requestContext, int maxEntries) {
    List<ReadRange> ranges = new ArrayList<>(request.getRangesCount());
    if (request.getRangesCount() == 0) {
      requestContext.namesNoKey();
    }
    long entries = 0;
    for (var range : request.getRangesList()) {
      int limit = range.getLimit();
      ArgumentChecks.atLeast("limit", limit, 1);
      entries += limit;
      ranges.add(
          allowed(
              requestContext,
              new ReadRange(
                  range.getStart().toByteArray(),
                  range.getEnd().toByteArray(),
                  limit,
                  range.getReverse(),
                  false)));
    }
    if (entries > maxEntries) {
      throw new KvException(
          KvErrorCode.LIMIT_EXCEEDED,
          "limits of all ranges: " + entries + " (expected: at most " + maxEntries + " together)");
    }
    return ranges;
  }

  /**
   * Returns the part of a range that the token permits. The npm client reads a single key as the
   * first of all keys that follow it, and ignores any other key; such a range is cut off at the end
   * of the permitted keys.
   *
   * @throws KvException FORBIDDEN
   */
  private static ReadRange allowed(RequestContext requestContext, ReadRange requested) {
    byte[] start = requested.start();
    byte[] end = requested.end();
    if (requested.limit() == 1 && !requested.reverse() && Arrays.equals(end, END_OF_ALL)) {
      end = requestContext.grant().visibleEnd(start, end);
    }
    requestContext.authorizeRange(start, end);
    return new ReadRange(start, end, requested.limit(), requested.reverse(), false);
  }

  private static void send(RoutingContext context, ReadResponse answer) {
    HttpServerResponse response = context.response();
    if (response.closed()) {
      return;
    }
    Buffer whole = answer.whole();
    if (whole == null) {
      Outlet.write(
          context,
          new WholeSource(
              memory -> {
                memory.take(answer.size());
                return Mono.just(inParts(answer));
              }));
    } else {
      setHeaders(response, answer);
      ResponseBodies.send(context, whole);
    }
  }

  private static void setHeaders(HttpServerResponse response, ReadResponse answer) {
    response.putHeader(HttpHeaders.CONTENT_TYPE, PROTOBUF);
    response.putHeader(VERSIONSTAMP, answer.version().toString());
    if (answer.whole() == null) {
      response.putHeader(HttpHeaders.CONTENT_LENGTH, Long.toString(answer.size()));
    }
  }

  /** Returns a response that is read as a whole: the message begins with the sizes of its parts. */
  private static WholeSource.Whole inParts(ReadResponse answer) {
    return WholeSource.Whole.taken(answer.buffers(), response -> setHeaders(response, answer));
  }
}
