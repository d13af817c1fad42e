package io.kvreactive.web.internal.feed;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.spi.KvEngine;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A store whose disk can no longer be read. */
final class BrokenFeeds {
  private BrokenFeeds() {}

  /** Feeds break behind their first commit. */
  static KvEngine afterTheFirst(KvEngine engine) {
    return (KvEngine)
        Proxy.newProxyInstance(
            KvEngine.class.getClassLoader(),
            new Class<?>[] {KvEngine.class},
            (proxy, method, arguments) -> {
              try {
                Object result = method.invoke(engine, arguments);
                return method.getName().equals("changes") ? broken((Flux<?>) result) : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static Flux<?> broken(Flux<?> feed) {
    return feed.take(1)
        .cast(Object.class)
        .concatWith(Mono.error(new KvException(KvErrorCode.IO_FAILED, "segment 7 at 4096")));
  }
}
