package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.LoadProgress;
import io.kvreactive.web.internal.BodyLimits;
import io.kvreactive.web.internal.http.ByteBudget;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * A body of lines that are stored as they come, answered by {@link ProgressLines}. To be begun on
 * the request's event loop, when it is known that the caller may.
 */
public final class LineUpload {
  private static final long TOLD_EACH_MILLIS = 1000;

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

  /** The lines, read from the connection as they are asked for; for one subscriber. */
  public Flux<String> lines() {
    return lines;
  }

  /** What the request holds of the memory for bodies; given back when it has been answered. */
  public ByteBudget.Share share() {
    return share;
  }

  /** What the request holds of the memory for parsed lines; given back when it is answered. */
  public ByteBudget.Share trees() {
    return trees;
  }

  /** Throws the body away, when nobody will ask for its lines. */
  public void discard() {
    lines.cancel();
  }

  /**
   * Answers with progress once a second and at the end: a caller that is sending may not be
   * reading.
   *
   * @param counted what is counted, the name of the property
   * @param load emits on the context that is current at subscribe
   */
  public static void answer(RoutingContext context, String counted, Flux<LoadProgress> load) {
    ProgressLines.answer(context, new Told(counted).of(load));
  }

  private static final class Told {
    private final String counted;
    private @Nullable LoadProgress last;
    private long told;

    Told(String counted) {
      this.counted = counted;
    }

    Flux<ObjectNode> of(Flux<LoadProgress> load) {
      return load.doOnNext(progress -> last = progress)
          .filter(progress -> isDue(progress.elapsed().toMillis()))
          .map(progress -> line(progress, false))
          .onBackpressureLatest()
          .concatWith(Flux.defer(() -> Flux.just(line(last, true))));
    }

    private boolean isDue(long elapsed) {
      boolean due = elapsed - told >= TOLD_EACH_MILLIS;
      told = due ? elapsed : told;
      return due;
    }

    private ObjectNode line(@Nullable LoadProgress progress, boolean done) {
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
}
