package io.kvreactive.web.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlushCoalescerTest {
  private final FlushCoalescer answers = new FlushCoalescer();
  private final Connection connection = new Connection();
  private final EmbeddedChannel channel = new EmbeddedChannel(connection, answers);

  /** Flushed messages; finishing the channel would run pending tasks of its event loop. */
  private static final class Connection extends ChannelOutboundHandlerAdapter {
    private final List<Object> sent = new ArrayList<>();
    private int flushes;

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      sent.add(message);
      promise.setSuccess();
    }

    @Override
    public void flush(ChannelHandlerContext context) {
      flushes++;
    }
  }

  private void answer(String text) {
    channel.pipeline().writeAndFlush(text);
  }

  @Test
  void flushesAnswersAfterPendingTasksOfTheEventLoop() {
    answers.hold();
    answer("a");
    answers.hold();
    answer("b");
    assertThat(connection.flushes).isZero();
    channel.runPendingTasks();
    assertThat(connection.flushes).isOne();
    assertThat(connection.sent).containsExactly("a", "b");
  }

  @Test
  void flushesOtherWritesOneByOne() {
    answer("a");
    assertThat(connection.flushes).isOne();
    answers.hold();
    channel.runPendingTasks();
    answer("b");
    assertThat(connection.flushes).isEqualTo(2);
    assertThat(connection.sent).containsExactly("a", "b");
  }

  @Test
  void doesNotFlushWithoutWrites() {
    answers.hold();
    channel.runPendingTasks();
    assertThat(connection.flushes).isZero();
  }

  @Test
  void flushesAFullConnectionAtOnce() {
    answers.hold();
    channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
    answer("a");
    assertThat(connection.flushes).isOne();
  }

  @Test
  void flushesHeldWritesBeforeClose() {
    answers.hold();
    answer("a");
    channel.pipeline().close();
    assertThat(connection.flushes).isOne();
    assertThat(connection.sent).containsExactly("a");
  }
}
