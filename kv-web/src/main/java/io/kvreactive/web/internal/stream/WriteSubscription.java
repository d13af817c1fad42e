package io.kvreactive.web.internal.stream;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.web.internal.rest.StrictJson;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/**
 * A write of items: reports of its progress, and its answer, which ends it. They need no credit.
 *
 * <p>Writes of a connection take turns: a limited number of them runs or holds an answer, and none
 * begins while the connection has no room. An answer is held however large it is, because the write
 * has taken effect.
 */
final class WriteSubscription extends io.kvreactive.web.internal.stream.Subscription {
  /**
   * A report or an answer to be sent.
   *
   * @param members an object as JSON in ASCII characters, without its first character
   */
  private record Answer(String members, boolean isLast) {
    static Answer of(ObjectNode json) {
      return new Answer(StrictJson.ascii(json).substring(1), json.path("done").asBoolean(true));
    }
  }

  private final String type;
  private final Flux<Answer> answers;
  private final Source source = new Source();
  private @Nullable Answer arrived;
  private boolean hasPermit;

  /**
   * Creates a write, which does nothing before its first turn.
   *
   * @param answers reports with {@code "done":false}, and one answer
   */
  WriteSubscription(StreamSocket socket, ClientFrame.Write requested, Flux<ObjectNode> answers) {
    super(socket, requested);
    this.type = requested.op();
    this.answers = answers.map(Answer::of);
  }

  @Override
  boolean isWrite() {
    return true;
  }

  @Override
  boolean reads() {
    return hasPermit && arrived == null;
  }

  @Override
  int turn() {
    Answer answer = arrived;
    if (answer == null) {
      begin();
      return 0;
    }
    arrived = null;
    socket.held().give(answer.members().length());
    socket.frames().answer(id, type, answer.members());
    int bytes = socket.send();
    if (answer.isLast()) {
      socket.remove(this);
    } else {
      source.request(1);
    }
    return bytes;
  }

  private void begin() {
    if (hasPermit) {
      return;
    }
    if (socket.held().isFull()) {
      socket.held().waitFor(this);
    } else if (socket.writes().mayRead(this)) {
      hasPermit = true;
      // not on the connection's context, so that JSON is written on other threads
      answers.subscribeOn(Schedulers.parallel(), false).subscribe(source);
    }
  }

  private void take(Answer answer) {
    if (ended()) {
      socket.held().give(answer.members().length());
    } else {
      arrived = answer;
      wantTurn();
    }
  }

  @Override
  void release() {
    source.cancel();
    Answer answer = arrived;
    if (answer != null) {
      arrived = null;
      socket.held().give(answer.members().length());
    }
    if (hasPermit) {
      hasPermit = false;
      socket.writes().hasRead();
    }
  }

  /**
   * The subscriber of the write. It passes signals of other threads to the connection's context.
   */
  private final class Source extends BaseSubscriber<Answer> {
    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      request(1);
    }

    @Override
    protected void hookOnNext(Answer answer) {
      socket.held().add(answer.members().length());
      socket.run(() -> take(answer));
    }

    @Override
    protected void hookOnError(Throwable failure) {
      socket.run(() -> fail(failure));
    }
  }
}
