package io.kvreactive.documents.client.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvError;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ChangeFeedOptions;
import io.kvreactive.documents.ChangeFeedOptions.Mode;
import io.kvreactive.documents.ChangeGroup;
import io.kvreactive.documents.ChangePage;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.FeedRange;
import io.kvreactive.http.client.HttpCall;
import io.kvreactive.http.client.HttpCall.Safety;
import io.kvreactive.protocol.CollectionMessages;
import io.kvreactive.protocol.CollectionMessages.NewGroup;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A group on a server, whose members may be embedded in the server or connected to it. The server
 * replaces a lease only if its version is the one that the request names.
 */
final class RemoteChangeGroup<T> implements ChangeGroup<T> {
  /** The time after which a reader passes on the position of a bookmark. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

  private final RestCaller rest;
  private final RequestJson requests;
  private final String path;
  private final DocumentCollection<T> collection;

  /**
   * Creates a handle.
   *
   * @param path the path of the group
   * @param collection the collection, which is not created on first use
   */
  RemoteChangeGroup(RestCaller rest, String path, DocumentCollection<T> collection) {
    this.rest = rest;
    this.requests = new RequestJson(rest.mapper());
    this.path = path;
    this.collection = collection;
  }

  @Override
  public Mono<List<Lease>> leases() {
    return rest.read(Mono.defer(() -> rest.call(rest.get(path))), CollectionMessages.LEASES);
  }

  @Override
  public Mono<List<Lease>> create(int ranges, @Nullable Versionstamp since) {
    JsonNode body = CollectionMessages.NEW_GROUP.write(new NewGroup(ranges, since));
    HttpCall put = // repeated like a read: a group that exists stays as it is
        rest.send(HttpMethod.PUT, path, requests.body(body), Safety.REPEATABLE);
    return rest.read(Mono.defer(() -> rest.call(put)), CollectionMessages.LEASES);
  }

  @Override
  public Mono<Lease> replace(Lease lease) {
    HttpCall put =
        rest.send(
                HttpMethod.PUT,
                path + "/leases/" + lease.range(),
                requests.body(CollectionMessages.NEW_LEASE.write(lease)),
                Safety.CONDITIONAL)
            .with("If-Match", "\"" + lease.versionstamp() + "\"");
    return rest.read(Mono.defer(() -> rest.call(put)), CollectionMessages.LEASE)
        .onErrorResume(
            failure -> KvError.is(failure, DocumentErrorCode.ETAG_MISMATCH),
            changed -> Mono.empty());
  }

  @Override
  public Mono<ChangePage<T>> page(Mode mode, FeedRange range, Versionstamp since, int limit) {
    return collection.changePage(new ChangeFeedOptions(mode, since, null, range), limit);
  }

  @Override
  public Mono<Reader<T>> reader(Mode mode, FeedRange range, int limit) {
    return Mono.just(new PageReader(mode, range, limit));
  }

  /** Reads pages. If there are no changes, it waits for the first one of a stream. */
  private final class PageReader implements Reader<T> {
    private final Mode mode;
    private final FeedRange range;
    private final int limit;

    PageReader(Mode mode, FeedRange range, int limit) {
      this.mode = mode;
      this.range = range;
      this.limit = limit;
    }

    @Override
    public Mono<ChangePage<T>> next(Versionstamp since) {
      return page(mode, range, since, limit)
          .flatMap(
              page ->
                  page.commits().isEmpty() && !page.hasMore()
                      ? idle(page.continuation())
                      : Mono.just(page));
    }

    private Mono<ChangePage<T>> idle(Versionstamp position) {
      return collection
          .changeFeed(new ChangeFeedOptions(mode, position, null, range))
          .limitRate(1)
          .takeUntil(changes -> !changes.isBookmark())
          .takeUntilOther(Mono.delay(LONGEST_WAIT))
          .reduce((earlier, later) -> later.isBookmark() ? later : earlier)
          .map(last -> last.isBookmark() ? last.versionstamp() : position)
          .defaultIfEmpty(position)
          .map(reached -> new ChangePage<>(List.of(), reached, true));
    }

    @Override
    public Mono<Void> close() {
      return Mono.empty();
    }
  }
}
