package io.kvreactive.web.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

class SentTogetherTest {
  private final SentTogether answers = new SentTogether();
  private final Flushes flushes = new Flushes();
  private final EmbeddedChannel channel = new EmbeddedChannel(flushes, answers);

  /** What reaches the connection. */
  private static final class Flushes extends ChannelOutboundHandlerAdapter {
    private int count;

    @Override
    public void flush(ChannelHandlerContext context) {
      count++;
      context.flush();
    }
  }

  /** As the connection does; the channel's own method would run what waits for its event loop. */
  private void answer(String text) {
    channel.pipeline().writeAndFlush(text);
  }

  @Test
  void answersWaitForWhatWaitsForTheEventLoop() {
    answers.hold();
    answer("a");
    answers.hold();
    answer("b");
    assertThat(flushes.count).isZero();
    channel.runPendingTasks();
    assertThat(flushes.count).isOne();
    assertThat(channel.outboundMessages()).containsExactly("a", "b");
  }

  @Test
  void othersLeaveOneByOne() {
    answer("a");
    assertThat(flushes.count).isOne();
    answers.hold();
    channel.runPendingTasks();
    answer("b");
    assertThat(flushes.count).isEqualTo(2);
    assertThat(channel.outboundMessages()).containsExactly("a", "b");
  }

  @Test
  void nothingToSendIsNoFlush() {
    answers.hold();
    channel.runPendingTasks();
    assertThat(flushes.count).isZero();
  }

  @Test
  void aConnectionThatIsFullIsNotHeldBack() {
    answers.hold();
    channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
    answer("a");
    assertThat(flushes.count).isOne();
  }

  @Test
  void whatIsHeldLeavesBeforeTheConnectionIsClosed() {
    answers.hold();
    answer("a");
    channel.pipeline().close();
    assertThat(flushes.count).isOne();
    assertThat(channel.outboundMessages()).containsExactly("a");
  }
}
