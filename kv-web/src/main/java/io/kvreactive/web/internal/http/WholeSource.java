package io.kvreactive.web.internal.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The source of a body that is read as a whole, such as a page of rows. */
public final class WholeSource implements Outlet.Source {
  private final long reservedBytes;
  private final Mono<Whole> work;
  private volatile @Nullable Whole whole;

  /**
   * A response.
   *
   * @param headers sets its headers
   */
  public record Whole(Buffer body, Consumer<HttpServerResponse> headers) {}

  /**
   * Creates a source.
   *
   * @param reservedBytes the memory in bytes to reserve before the read; if the body is larger, the
   *     rest is taken when it is there
   * @param work the response, which may be emitted on any thread
   */
  public WholeSource(long reservedBytes, Mono<Whole> work) {
    this.reservedBytes = reservedBytes;
    this.work = work;
  }

  @Override
  public long nextBytes() {
    return reservedBytes;
  }

  @Override
  public Mono<Outlet.Part> next(ByteBudget.Share memory) {
    return work.map(
        made -> {
          whole = made;
          return new Outlet.Part(made.body().length(), List.of(made.body()).iterator());
        });
  }

  @Override
  public boolean done() {
    return whole != null;
  }

  @Override
  public void setHeaders(HttpServerResponse response) {
    Whole made = whole;
    if (made != null) {
      made.headers().accept(response);
    }
  }
}
