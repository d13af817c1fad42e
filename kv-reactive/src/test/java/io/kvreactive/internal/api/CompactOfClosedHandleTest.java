package io.kvreactive.internal.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.CompactionProgress;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.internal.value.ValueMapper;
import io.kvreactive.spi.KvEngine;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.publisher.TestPublisher;

/**
 * A compaction that is cancelled by the closing of its handle does not complete like a finished
 * one.
 */
class CompactOfClosedHandleTest {
  private final TestPublisher<CompactionProgress> compaction = TestPublisher.create();

  private KvEngine engine() {
    return (KvEngine)
        Proxy.newProxyInstance(
            KvEngine.class.getClassLoader(),
            new Class<?>[] {KvEngine.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("compact");
              return compaction.flux();
            });
  }

  @Test
  void failsWhenTheHandleCloses() {
    EngineKv kv =
        new EngineKv(
            engine(), new ValueMapper(), new SubscriberContext(Runnable::run), Mono.empty());
    List<Throwable> errors = new ArrayList<>();
    var unused = kv.admin().compact().subscribe(progress -> {}, errors::add);
    compaction.assertWasSubscribed();
    kv.close().block();
    assertThat(errors)
        .singleElement()
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.CLOSED));
    compaction.assertCancelled();
  }
}
