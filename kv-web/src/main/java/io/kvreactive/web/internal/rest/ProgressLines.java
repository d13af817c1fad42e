package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.web.internal.http.FailureHandler;
import io.kvreactive.web.internal.http.FluxSource;
import io.kvreactive.web.internal.http.Outlet;
import io.kvreactive.web.internal.http.RequestContext;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * Answers long-running operations with lines of JSON that report the progress. The last line has
 * {@code "done":true}, or the problem as {@code "error"}. A failure before the first line is
 * answered like that of other requests. The operation is cancelled if the caller disconnects.
 */
public final class ProgressLines {
  private ProgressLines() {}

  /**
   * Answers a request.
   *
   * @param work the operation, which must emit lines on the Vert.x context that is current at
   *     subscribe; the last line is the result
   */
  public static void answer(RoutingContext context, Flux<ObjectNode> work) {
    Responses.setType(
        context.response().setChunked(true), Responses.NDJSON); // before the head, see beginning()
    Outlet.write(context, new Lines(context, work));
  }

  /**
   * Returns the progress of an operation whose lines are rarer than its progress. The first
   * progress sends the head of the answer, so that a caller that limits the time until an answer
   * begins does not give up a long operation. A failure after it is the last line.
   */
  public static <T> Flux<T> beginning(RoutingContext context, Flux<T> progress) {
    HttpServerResponse response = context.response();
    return progress.doOnNext(
        next -> {
          if (!response.headWritten() && !response.closed()) {
            response.writeHead();
          }
        });
  }

  /**
   * Returns the lines of an operation: its progress about once a second, only the latest if the
   * caller does not read, because a caller that is sending may not be reading; and the result.
   *
   * @param elapsed returns the time since the start
   * @param line writes the last progress, null if there was none; the flag is true for the result
   */
  public static <P> Flux<ObjectNode> seconds(
      Flux<P> progress,
      Function<P, Duration> elapsed,
      BiFunction<@Nullable P, Boolean, ObjectNode> line) {
    return Flux.defer(
        () -> {
          AtomicReference<@Nullable P> last = new AtomicReference<>();
          AtomicLong due = new AtomicLong(1000);
          return progress
              .doOnNext(last::setPlain)
              .filter(
                  next -> {
                    long millis = elapsed.apply(next).toMillis();
                    boolean isDue = millis >= due.getPlain();
                    due.setPlain(isDue ? millis + 1000 : due.getPlain());
                    return isDue;
                  })
              .map(next -> line.apply(next, false))
              .onBackpressureLatest()
              .concatWith(Flux.defer(() -> Flux.just(line.apply(last.getPlain(), true))));
        });
  }

  private static Buffer line(ObjectNode json) {
    return Buffer.buffer(StrictJson.bytes(json)).appendByte((byte) '\n');
  }

  private static final class Lines extends FluxSource {
    private final RoutingContext context;
    private final Flux<ObjectNode> lines;

    Lines(RoutingContext context, Flux<ObjectNode> lines) {
      super(PART_BYTES, 0, response -> {});
      this.context = context;
      this.lines = lines;
    }

    @Override
    protected Flux<Element> elements(@Nullable Versionstamp after) {
      return lines.map(json -> new Element(line(json), null));
    }

    @Override
    public @Nullable Buffer lastWords(Throwable failure, boolean begun) {
      if (!begun) {
        return null;
      }
      ObjectNode error = StrictJson.object();
      error.set(
          "error",
          FailureHandler.problem(context, failure).toJson(RequestContext.of(context).requestId()));
      return line(error);
    }
  }
}
