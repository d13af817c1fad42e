package io.kvreactive.web.internal.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The source of a body that is read as a whole, such as a page of rows. */
public final class WholeSource implements Outlet.Source {
  private final long reservedBytes;
  private final Function<ByteBudget.Share, Mono<Whole>> work;
  private volatile @Nullable Consumer<HttpServerResponse> headers; // null until it was read

  /**
   * A response.
   *
   * @param body the body, with the memory that it takes besides what the work has taken
   * @param headers sets its headers
   */
  public record Whole(Outlet.Part body, Consumer<HttpServerResponse> headers) {
    /** Returns a response in one buffer, which takes memory. */
    public static Whole of(Buffer body, Consumer<HttpServerResponse> headers) {
      return new Whole(new Outlet.Part(body.length(), List.of(body).iterator()), headers);
    }

    /** Returns a response whose memory was taken by the work. */
    public static Whole taken(Iterator<Buffer> body, Consumer<HttpServerResponse> headers) {
      return new Whole(new Outlet.Part(0, body), headers);
    }
  }

  /**
   * Creates a source.
   *
   * @param reservedBytes the memory in bytes to reserve before the read; if the body is larger, the
   *     rest is taken when it is there
   * @param work the response, which may be emitted on any thread
   */
  public WholeSource(long reservedBytes, Mono<Whole> work) {
    this(reservedBytes, memory -> work);
  }

  /**
   * Creates a source that takes its memory itself.
   *
   * @param work returns the response, which takes memory from the given share
   */
  public WholeSource(Function<ByteBudget.Share, Mono<Whole>> work) {
    this(0, work);
  }

  private WholeSource(long reservedBytes, Function<ByteBudget.Share, Mono<Whole>> work) {
    this.reservedBytes = reservedBytes;
    this.work = work;
  }

  @Override
  public long nextBytes() {
    return reservedBytes;
  }

  @Override
  public Mono<Outlet.Part> next(ByteBudget.Share memory) {
    return work.apply(memory)
        .map(
            whole -> {
              headers = whole.headers();
              return whole.body();
            });
  }

  @Override
  public boolean done() {
    return headers != null;
  }

  @Override
  public void setHeaders(HttpServerResponse response) {
    Consumer<HttpServerResponse> known = headers;
    if (known != null) {
      known.accept(response);
    }
  }
}
