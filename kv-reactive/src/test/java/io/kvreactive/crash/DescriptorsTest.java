package io.kvreactive.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.testing.ChildJvm;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A process that runs out of file descriptors while segments of the log fill. */
@ExtendWith(VertxExtension.class)
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
  void survivesRunningOutOfDescriptors(Vertx vertx) throws Exception {
    int written;
    try (ChildJvm child = ChildJvm.withDescriptors(200, DescriptorsChild.class, temp.toString())) {
      assertThat(told(child)).isEqualTo("written without descriptors");
      written = Integer.parseInt(told(child));
      assertThat(told(child)).isEqualTo("closed");
      assertThat(child.waitFor()).isZero();
    }
    Kv kv = Kv.open(vertx, KvOptions.at(temp.resolve("store"))).block();
    assertThat(kv.count(KvRange.all()).block()).isEqualTo(written);
    kv.close().block();
  }
}
