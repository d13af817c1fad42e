package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.LoadProgress;
import io.kvreactive.web.internal.BodyLimits;
import io.kvreactive.web.internal.http.ByteBudget;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * A request body of lines that are stored as they arrive. Its response is written by {@link
 * ProgressLines}. Must be created on the request's event loop, after the caller was authorized.
 */
public final class LineUpload {
  private final RequestLines lines;
  private final ByteBudget.Share share;
  private final ByteBudget.Share trees;

  private LineUpload(RequestLines lines, ByteBudget.Share share, ByteBudget.Share trees) {
    this.lines = lines;
    this.share = share;
    this.trees = trees;
  }

  static LineUpload begin(RoutingContext context, BodyLimits bodyLimits, int maxLineBytes) {
    if ("100-continue".equalsIgnoreCase(context.request().getHeader("Expect"))) {
      context.response().writeContinue();
    }
    ByteBudget.Share share = bodyLimits.memory().bodies().share();
    ByteBudget.Share trees = bodyLimits.memory().trees().share();
    context.addEndHandler(
        ended -> {
          share.release();
          trees.release();
        });
    return new LineUpload(new RequestLines(context.request(), maxLineBytes, share), share, trees);
  }

  /** Returns the lines, which are read from the connection on demand. For one subscriber. */
  public Flux<String> lines() {
    return lines;
  }

  /**
   * Returns the share of the memory for bodies. It is released when the request has been answered.
   */
  public ByteBudget.Share share() {
    return share;
  }

  /**
   * Returns the share of the memory for parsed lines. It is released when the request has been
   * answered.
   */
  public ByteBudget.Share trees() {
    return trees;
  }

  /** Discards the body. For a request whose lines will not be subscribed to. */
  public void discard() {
    lines.discard();
  }

  /**
   * Answers with the progress once a second and at the end.
   *
   * @param counted the name of the property for the number of stored lines
   * @param load the load, which must emit on the Vert.x context that is current at subscribe
   */
  public static void answer(RoutingContext context, String counted, Flux<LoadProgress> load) {
    ProgressLines.answer(
        context,
        ProgressLines.seconds(
            load, LoadProgress::elapsed, (progress, done) -> line(counted, progress, done)));
  }

  private static ObjectNode line(String counted, @Nullable LoadProgress progress, boolean done) {
    ObjectNode line = StrictJson.object().put("done", done);
    if (progress == null) {
      return line.put(counted, 0).put("bytes", 0).put("elapsedMs", 0);
    }
    return line.put(counted, progress.entries())
        .put("bytes", progress.bytes())
        .put("elapsedMs", progress.elapsed().toMillis())
        .put("versionstamp", progress.versionstamp().toString());
  }
}
