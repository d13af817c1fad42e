package example.engine;

import io.kvreactive.KvLimits;
import io.kvreactive.spi.KvConnector;
import io.kvreactive.spi.KvEngine;
import io.vertx.core.Vertx;
import reactor.core.publisher.Mono;

/** Opens an empty store by {@code Kv.connect} with a URL {@code sortedmap:NAME}. */
public final class SortedMapConnector implements KvConnector {
  private static final String SCHEME = "sortedmap:";

  @Override
  public boolean accepts(String url) {
    return url.startsWith(SCHEME);
  }

  @Override
  public Mono<KvEngine> connect(Vertx vertx, String url, String token) {
    return new SortedMapOptions(url.substring(SCHEME.length()), KvLimits.DEFAULT).openEngine(vertx);
  }
}
