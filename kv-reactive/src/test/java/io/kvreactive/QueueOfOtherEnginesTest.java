package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.internal.api.EngineKv;
import io.kvreactive.internal.engine.EmbeddedEngine;
import io.kvreactive.internal.shared.CallbackThread;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.internal.value.ValueMapper;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

/** An engine need not have queues. */
class QueueOfOtherEnginesTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @Test
  void rejectsQueuesOfEnginesWithoutSupport() {
    ExecutorService storeThread = Executors.newSingleThreadExecutor();
    KvOptions options = KvOptions.inMemory().withName("no-queues");
    // forwards the mandatory operations only, so it has no queues
    CountingEngine engine = new CountingEngine(EmbeddedEngine.open(options, storeThread));
    SubscriberContext subscriberContext =
        new SubscriberContext(new CallbackThread("kv-callback-no-queues"));
    Kv kv = new EngineKv(engine, new ValueMapper(), subscriberContext, engine.close());

    StepVerifier.create(kv.queues().listen(String.class))
        .expectErrorSatisfies(
            e -> assertThat(((KvException) e).code()).isEqualTo(KvErrorCode.UNSUPPORTED))
        .verify(TIMEOUT);
    kv.close().block(TIMEOUT);
    storeThread.shutdown();
  }
}
