package io.kvreactive.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process that runs out of file descriptors while segments of the log fill. */
class DescriptorsTest {
  @TempDir Path temp;

  /** The next line that is not one of the child's log. */
  private static String told(ChildJvm child) throws Exception {
    String line = child.readLine();
    while (line != null && !line.startsWith(DescriptorsChild.TOLD)) {
      line = child.readLine();
    }
    return line == null ? null : line.substring(DescriptorsChild.TOLD.length());
  }

  @Test
  @Timeout(120)
  void survivesRunningOutOfDescriptors() throws Exception {
    int written;
    try (ChildJvm child = ChildJvm.withDescriptors(200, DescriptorsChild.class, temp.toString())) {
      assertThat(told(child)).isEqualTo("written without descriptors");
      written = Integer.parseInt(told(child));
      assertThat(told(child)).isEqualTo("closed");
      assertThat(child.waitFor()).isZero();
    }
    Vertx vertx = Vertx.vertx();
    try {
      Kv kv = Kv.open(vertx, KvOptions.at(temp.resolve("store"))).block();
      assertThat(kv.count(KvRange.all()).block()).isEqualTo(written);
      kv.close().block();
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
  }
}
