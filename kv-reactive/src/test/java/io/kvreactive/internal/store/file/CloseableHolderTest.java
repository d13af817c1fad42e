package io.kvreactive.internal.store.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Closeable;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Closing during any step of opening. */
class CloseableHolderTest {
  private final Resource resource = new Resource();
  private final CloseableHolder<Resource> opened = new CloseableHolder<>();

  private static final class Resource implements Closeable {
    private int closed;

    @Override
    public void close() {
      closed++;
    }
  }

  @Test
  void closesAnOpenResourceOnce() throws Exception {
    assertThat(opened.open(() -> resource)).isSameAs(resource);
    assertThat(resource.closed).isZero();
    opened.close();
    opened.close();
    assertThat(resource.closed).isEqualTo(1);
  }

  @Test
  void closesAResourceOpenedAfterwards() throws Exception {
    opened.close();
    opened.open(() -> resource);
    assertThat(resource.closed).isEqualTo(1);
  }

  @Test
  void closesAResourceBeingOpened() throws Exception {
    opened.open(
        () -> {
          opened.close();
          return resource;
        });
    assertThat(resource.closed).isEqualTo(1);
  }

  @Test
  void hasNothingToCloseWhenOpeningFailed() throws Exception {
    assertThatThrownBy(
            () ->
                opened.open(
                    () -> {
                      throw new IOException("no");
                    }))
        .hasMessage("no");
    opened.close();
  }
}
